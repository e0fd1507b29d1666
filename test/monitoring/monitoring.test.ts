import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { RULE_OBJECT, RULES } from '../../deploy/alerts.ts';
import { DASHBOARD } from '../../deploy/dashboard.ts';
import { Browser } from '../browser/browser.ts';
import { until } from '../surroundings/until.ts';
import type { Labels } from './exposition.ts';
import { type Series as DrawnSeries, Monitored } from './monitored.ts';
import { drawDashboard, FAULTS, type Panel, sizePage } from './picture.ts';
import { extrapolate, MINUTES, runPromtool, type Series, testRules } from './promtool.ts';

/** Alerts and dashboard on what a real operator shows, by Debian's Prometheus and promtool. */

const file = (path: string): string => resolve(import.meta.dirname, path);
const component = (path: string): string =>
  readFileSync(file(`../../deploy/components/${path}`), 'utf8');
/** For a person to look at; docs/screenshots/dashboard.png is one of them. */
const PICTURE = file('../../dist/dashboard.png');
const SERVICE = component('metrics-service/service.yaml');
const POD_MONITOR = component('pod-monitor/pod-monitor.yaml');

let monitored: Monitored;

beforeAll(async () => {
  monitored = await Monitored.start();
});

afterAll(() => monitored?.stop());

interface Planted {
  readonly name: string;
  /** Of a series that the operator has shown. */
  readonly labels?: Labels;
  /** Undefined: the series is not there. */
  readonly values?: string;
  /** The first minute, by docs/alerts.md: of what holds from the beginning, that of `for`. */
  readonly firesAt: number;
}

const AGE = 'albridge_object_condition_oldest_seconds';
/** Here as ALBRIDGE_SWEEP_INTERVAL has it by default: the operator of the tests scans more often. */
const INTERVAL = 'albridge_drift_scan_interval_seconds';
const always = (value: number): string => `${value}x${MINUTES}`;
const growing = (perMinute: number): string => `0+${perMinute}x${MINUTES}`;

const PLANTED: Readonly<Record<string, Planted>> = {
  AlbridgeDown: { firesAt: 5, name: 'albridge_build_info' },
  AlbridgeNoLeader: {
    firesAt: 5,
    ...{ name: 'leader_election_master_status', labels: { name: 'albridge' } },
    values: always(0),
  },
  AlbridgeWatchFault: { firesAt: 10, name: 'albridge_watch_faults', values: always(2) },
  AlbridgeRightsMissing: { firesAt: 5, name: 'albridge_missing_rights', values: always(1) },
  AlbridgeObjectStalled: {
    firesAt: 17,
    ...{ name: AGE, labels: { type: 'Stalled', status: 'True', reason: 'SubnetNotFound' } },
    ...{ values: growing(60) },
  },
  AlbridgeObjectNotReady: {
    firesAt: 62,
    ...{ name: AGE, labels: { type: 'Ready', status: 'False', reason: 'SubnetNotFound' } },
    ...{ values: growing(60) },
  },
  AlbridgeAwsDenied: {
    firesAt: 6,
    ...{ name: 'aws_api_call_permission_errors_total', labels: { error_code: 'AccessDenied' } },
    values: growing(1),
  },
  AlbridgeAwsRefusing: {
    firesAt: 21,
    ...{ name: 'albridge_aws_budget_holds_total', labels: { bucket: 'reads' } },
    ...{ values: growing(4) },
  },
  AlbridgeBudgetExhausted: {
    firesAt: 46,
    ...{ name: 'albridge_aws_budget_exhausted_total', labels: { bucket: 'writes' } },
    ...{ values: growing(10) },
  },
  AlbridgeDriftScanOld: {
    firesAt: 23,
    name: 'albridge_drift_scan_timestamp_seconds',
    values: always(0),
  },
  AlbridgeTargetsUnhealthy: {
    firesAt: 15,
    ...{ name: 'albridge_target_groups', labels: { state: 'unhealthy' } },
    ...{ values: always(1) },
  },
  AlbridgeRestartFailing: {
    firesAt: 2,
    ...{ name: 'albridge_configmonitor_restart_failures_total' },
    values: growing(0.1),
  },
  AlbridgeOrphans: { firesAt: 15, name: 'albridge_orphaned_load_balancers', values: always(2) },
};

interface Alert {
  readonly alert: string;
  readonly expr: string;
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);

function hasLabels(series: Pick<Series, 'labels'>, labels: Labels): boolean {
  return Object.entries(labels).every(([name, value]) => series.labels[name] === value);
}

/** The healthy series that the rules use: promtool need not read the others. */
function listHealthy(): readonly Series[] {
  const all = alerts.map(({ expr }) => expr).join(' ');
  return extrapolate(monitored.healthy).filter(({ name }) => all.includes(name));
}

/** With one series as planted, which the operator has shown with exactly these labels. */
function plant({ name, labels = {}, values }: Omit<Planted, 'firesAt'>): readonly Series[] {
  const [shown] = monitored.troubled.find(name, labels);
  if (shown === undefined) throw new Error(`the operator has not shown ${name}`);
  const others = listHealthy()
    .filter((series) => series.name !== name || !hasLabels(series, labels))
    .map((series) => (series.name === INTERVAL ? { ...series, values: always(300) } : series));
  return values === undefined ? others : [...others, { name, labels: shown.labels, values }];
}

describe('deploy/alerts/rules.yaml', () => {
  it('is valid for promtool, and for Prometheus, which evaluates each rule', async () => {
    const checked = await runPromtool(['check', 'rules', RULES]);
    expect(checked.stdout).toContain(`${alerts.length} rules found`);
    expect(checked.code).toBe(0);
    await until('every rule is evaluated', async () => {
      const rules = await monitored.rules();
      return rules.length === alerts.length && rules.every(({ health }) => health === 'ok');
    });
  });

  it('uses only metrics and labels that the operator has shown', () => {
    for (const { alert, expr } of alerts) {
      const used = monitored.troubled.samples.filter(({ name }) =>
        new RegExp(`\\b${name}\\b`).test(expr),
      );
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, by = '']) =>
        by.split(/, */),
      );
      const matched = [...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label);
      expect(used.length, alert).toBeGreaterThan(0);
      for (const label of [...grouped, ...matched].filter((one) => one !== 'job')) {
        expect(
          used.some(({ labels }) => label in labels),
          `${alert} ${label}`,
        ).toBe(true);
      }
    }
  });

  it('is silent for four hours of an operator for which all is well', async () => {
    const series = listHealthy();
    expect(new Set(series.map(({ name }) => name)).size).toBeGreaterThan(8);
    expect(series.some(({ labels }) => labels['reason'] === 'Paused')).toBe(true);
    const expected = [5, 30, 60, 120, MINUTES].map((atMinutes) => ({ atMinutes, firing: [] }));
    const { code, stdout, stderr } = await testRules(monitored.directory, series, expected);
    expect(stdout + stderr).toContain('SUCCESS');
    expect(code).toBe(0);
  });

  it('has each alert planted', () => {
    expect(Object.keys(PLANTED)).toEqual(alerts.map(({ alert }) => alert));
  });

  it.each(Object.entries(PLANTED))(
    '%s alone fires where it is planted, and not before its time',
    async (name, planted) => {
      const expected = [
        { atMinutes: 0, firing: [] },
        { atMinutes: planted.firesAt - 1, firing: [] },
        { atMinutes: planted.firesAt, firing: [name] },
        { atMinutes: 120, firing: [name] },
      ];
      const run = await testRules(monitored.directory, plant(planted), expected);
      expect(run.stdout + run.stderr).toContain('SUCCESS');
      expect(run.code).toBe(0);
    },
  );
});

describe('AlbridgeTargetsUnhealthy', () => {
  it('is silent for a Service that was scaled to 0', async () => {
    const labels = { state: 'empty' };
    const series = plant({ name: 'albridge_target_groups', labels, values: always(1) });
    const expected = [60, 120, MINUTES].map((atMinutes) => ({ atMinutes, firing: [] }));
    const run = await testRules(monitored.directory, series, expected);
    expect(run.stdout + run.stderr).toContain('SUCCESS');
    expect(run.code).toBe(0);
  });
});

describe('the components', () => {
  it('are objects that the API server takes, with no field that it does not know', async () => {
    await monitored.kubectl(['apply', '-f', file('operator-crds.yaml')]);
    const crds = ['podmonitors', 'prometheusrules'].map(
      (name) => `crd/${name}.monitoring.coreos.com`,
    );
    await monitored.kubectl(['wait', '--for=condition=Established', '--timeout=40s', ...crds]);
    const apply = ['apply', '--server-side', '--validate=strict', '-f', '-'];
    for (const text of [SERVICE, POD_MONITOR, readFileSync(RULE_OBJECT, 'utf8')]) {
      expect(await monitored.kubectl(apply, text)).toContain('serverside-applied');
    }
    const typo = POD_MONITOR.replace('podMetricsEndpoints', 'podMetricEndpoints');
    await expect(monitored.kubectl(apply, typo)).rejects.toThrow('field not declared in schema');
  });

  it('select the pods and the port of the Deployment', () => {
    const deployment = readFileSync(file('../../deploy/base/deployment.yaml'), 'utf8');
    const { template } = (parse(deployment) as Deployment).spec;
    const monitor = (parse(POD_MONITOR) as PodMonitor).spec;
    const service = (parse(SERVICE) as Service).spec;
    expect(template.metadata.labels).toMatchObject(monitor.selector.matchLabels);
    expect(template.metadata.labels).toMatchObject(service.selector);
    const names = template.spec.containers.flatMap(({ ports }) => ports.map(({ name }) => name));
    const used = [
      ...monitor.podMetricsEndpoints.map(({ port }) => port),
      ...service.ports.map(({ targetPort }) => targetPort),
    ];
    expect(used).toEqual(['metrics', 'metrics']);
    expect(names).toContain('metrics');
  });
});

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly containers: readonly { readonly ports: readonly { readonly name: string }[] }[];
      };
    };
  };
}

interface PodMonitor {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly podMetricsEndpoints: readonly { readonly port: string }[];
  };
}

interface Service {
  readonly spec: {
    readonly selector: Labels;
    readonly ports: readonly { readonly targetPort: string }[];
  };
}

describe('deploy/dashboards/albridge.json', () => {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
    readonly panels: readonly Panel[];
  };
  const queries = panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );

  it.each(queries)('%s: %s', async (_title, expr) => {
    // In place of the variables of Grafana: a time that a busy machine does not outlast, and all jobs.
    const query = expr.replaceAll('$__rate_interval', '1h').replaceAll('$job', '.*');
    expect(query).not.toContain('$');
    const numbers = await until(`${query} has data`, async () => {
      const result = await monitored.query(query);
      const values = result.map(({ value: [, text] }) => Number(text));
      return values.some((value) => !Number.isNaN(value)) && values;
    });
    expect(numbers.length).toBeLessThan(100);
  });

  it('is readable as a picture of the results, dist/dashboard.png', async () => {
    const results = new Map<string, readonly DrawnSeries[]>();
    for (const [, expr] of queries) {
      const query = expr.replaceAll('$__rate_interval', '15s').replaceAll('$job', '.*');
      results.set(expr, await monitored.queryAll(query));
    }
    const page = join(monitored.directory, 'dashboard.html');
    await writeFile(page, drawDashboard(panels, results));
    const browser = await Browser.start();
    try {
      const tab = await browser.openPage(sizePage(panels));
      await tab.visit(pathToFileURL(page).href);
      const picture = await tab.takeScreenshot();
      await mkdir(resolve(PICTURE, '..'), { recursive: true });
      await writeFile(PICTURE, picture);
      expect(await tab.evaluate(FAULTS)).toEqual([]);
      expect(tab.listComplaints()).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
