import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** `npm run gen`: deploy/dashboards/albridge.json, the Grafana dashboard. */

export const DASHBOARD = resolve(import.meta.dirname, 'dashboards/albridge.json');

interface Panel {
  readonly title: string;
  readonly type: 'stat' | 'timeseries';
  /** https://grafana.com/docs/grafana/latest/panels-visualizations/configure-standard-options/#unit */
  readonly unit?: string;
  /** Query by its legend. */
  readonly queries: Readonly<Record<string, string>>;
  /** By legend: the colour from a value on; the first is that of all lower ones. */
  readonly colours?: Readonly<Record<string, readonly [number | null, Colour][]>>;
}

type Colour = 'text' | 'green' | 'orange' | 'red';

/** A value that should be 0. */
function alarm(colour: Colour): [number | null, Colour][] {
  return [
    [null, 'text'],
    [1, colour],
  ];
}

function quantile99(metric: string, by: string): string {
  return `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket{$job}[$__rate_interval])))`;
}

function rate(metric: string, by: string, matchers = ''): string {
  return `sum by (${by}) (rate(${metric}{$job${matchers}}[$__rate_interval]))`;
}

/** `$job` stands for the matcher of the variable. */
const PANELS: readonly Panel[] = [
  {
    ...{ title: 'Replicas, leaders', type: 'stat' },
    queries: {
      replicas: 'count(albridge_build_info{$job})',
      leaders: 'sum(leader_election_master_status{$job})',
    },
    colours: {
      leaders: [
        [null, 'red'],
        [1, 'green'],
        [2, 'red'],
      ],
    },
  },
  {
    ...{ title: 'Objects', type: 'stat' },
    queries: {
      all: 'sum(albridge_object_conditions{$job, type="Ready"})',
      ready: 'sum(albridge_object_conditions{$job, type="Ready", status="True"})',
      stalled: 'sum(albridge_object_conditions{$job, type="Stalled"}) or vector(0)',
    },
    colours: { stalled: alarm('orange') },
  },
  {
    ...{ title: 'Should be zero', type: 'stat' },
    queries: {
      'watch faults': 'max(albridge_watch_faults{$job})',
      'missing rights': 'max(albridge_missing_rights{$job})',
      orphans: 'max(albridge_orphaned_load_balancers{$job})',
    },
    colours: {
      'watch faults': alarm('red'),
      'missing rights': alarm('red'),
      orphans: alarm('orange'),
    },
  },
  {
    ...{ title: 'Age of the last drift scan', type: 'stat', unit: 's' },
    queries: { age: 'time() - max(albridge_drift_scan_timestamp_seconds{$job})' },
  },
  {
    ...{ title: 'Objects that are not Ready, by reason', type: 'timeseries' },
    queries: {
      '{{controller}} {{reason}}':
        'sum by (controller, reason) (albridge_object_conditions{$job, type="Ready", status!="True"})',
    },
  },
  {
    ...{ title: 'Longest Stalled, by reason', type: 'timeseries', unit: 's' },
    queries: {
      '{{controller}} {{reason}}':
        'max by (controller, reason) (albridge_object_condition_oldest_seconds{$job, type="Stalled"})',
    },
  },
  {
    ...{ title: 'Target groups by state', type: 'timeseries' },
    queries: { '{{state}}': 'sum by (state) (albridge_target_groups{$job})' },
  },
  {
    ...{ title: 'Targets', type: 'timeseries' },
    queries: { '{{state}}': 'sum by (state) (albridge_targets{$job})' },
  },
  {
    ...{ title: 'Registration of a target, 99 %', type: 'timeseries', unit: 's' },
    queries: { '{{write}}': quantile99('albridge_target_write_delay_seconds', 'write') },
  },
  {
    ...{ title: 'Drift per hour', type: 'timeseries' },
    queries: {
      'found by scans': 'sum(increase(albridge_drift_found_total{$job}[1h]))',
      'repaired {{controller}}':
        'sum by (controller) (increase(albridge_drift_repairs_total{$job}[1h]))',
      'targets changed by others': 'sum(increase(albridge_target_drift_total{$job}[1h]))',
    },
  },
  {
    ...{ title: 'Calls to AWS per second', type: 'timeseries', unit: 'reqps' },
    queries: { '{{operation}}': rate('aws_api_calls_total', 'operation') },
  },
  {
    ...{ title: 'Failed calls to AWS per second', type: 'timeseries', unit: 'reqps' },
    queries: {
      '{{operation}} {{error_code}}': rate(
        'aws_api_calls_total',
        'operation, error_code',
        ', error_code!=""',
      ),
    },
  },
  {
    ...{ title: 'AWS budget: tokens left', type: 'timeseries' },
    queries: { '{{bucket}}': 'min by (bucket) (albridge_aws_budget_tokens{$job})' },
  },
  {
    ...{ title: 'AWS budget: claims in line', type: 'timeseries' },
    queries: { '{{bucket}}': 'sum by (bucket) (albridge_aws_budget_waiting_turns{$job})' },
  },
  {
    ...{ title: 'Pods with older data, restarted pods per hour', type: 'timeseries' },
    queries: {
      'waiting {{source}}': 'sum by (source) (albridge_configmonitor_waiting_pods{$job})',
      'restarted {{source}}':
        'sum by (source) (increase(albridge_configmonitor_restarted_pods_total{$job}[1h]))',
    },
  },
  {
    ...{ title: 'Passes per second', type: 'timeseries', unit: 'ops' },
    queries: {
      '{{controller}} {{result}}': rate('controller_runtime_reconcile_total', 'controller, result'),
    },
  },
  {
    ...{ title: 'Length of a pass, 99 %', type: 'timeseries', unit: 's' },
    queries: {
      '{{controller}}': quantile99('controller_runtime_reconcile_time_seconds', 'controller'),
    },
  },
  {
    ...{ title: 'Keys that wait for a worker', type: 'timeseries' },
    queries: { '{{controller}}': 'sum by (controller) (workqueue_depth{$job})' },
  },
  {
    ...{ title: 'Requests to the API server per second', type: 'timeseries', unit: 'reqps' },
    queries: { '{{method}} {{code}}': rate('rest_client_requests_total', 'method, code') },
  },
  {
    ...{ title: 'Memory', type: 'timeseries', unit: 'bytes' },
    queries: { '{{instance}}': 'process_resident_memory_bytes{$job}' },
  },
  {
    ...{ title: 'Delay of the event loop, 99 %', type: 'timeseries', unit: 's' },
    queries: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{$job}' },
  },
];

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;
const COLUMNS = 24;
const SIZES = { stat: { w: 6, h: 4 }, timeseries: { w: 12, h: 8 } } as const;

/** https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
export function renderDashboard(): string {
  const dashboard = {
    ...{
      uid: 'albridge',
      title: 'albridge',

      schemaVersion: 39,
      editable: true,
    },
    ...{ refresh: '1m', time: { from: 'now-6h', to: 'now' }, timezone: 'browser' },
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        {
          ...{ name: 'job', label: 'Job', type: 'query', datasource: DATASOURCE },
          ...{ query: 'label_values(albridge_build_info, job)', refresh: 2, includeAll: true },
          ...{ multi: true, allValue: '.*', current: { text: 'All', value: '$__all' } },
        },
      ],
    },
    panels: placePanels(),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

/** From left to right, then down; all panels of a row have one height. */
function placePanels(): readonly object[] {
  let [x, y, rowHeight] = [0, 0, 0];
  return PANELS.map(({ title, type, unit, queries, colours = {} }, index) => {
    const { w, h } = SIZES[type];
    if (x + w > COLUMNS) [x, y] = [0, y + rowHeight];
    const gridPos = { x, y, w, h };
    [x, rowHeight] = [x + w, h];
    return {
      ...{ id: index + 1, title, type, gridPos, datasource: DATASOURCE },
      fieldConfig: {
        defaults: {
          min: 0,
          ...(unit && { unit }),
          ...(type === 'stat' && colourBy([[null, 'text']])),
        },
        overrides: Object.entries(colours).map(([legend, steps]) => ({
          matcher: { id: 'byName', options: legend },
          properties: [{ id: 'thresholds', value: colourBy(steps).thresholds }],
        })),
      },
      targets: Object.entries(queries).map(([legendFormat, query], at) => ({
        ...{ refId: String.fromCharCode('A'.charCodeAt(0) + at), datasource: DATASOURCE },
        ...{ expr: query.replaceAll('$job', 'job=~"$job"'), legendFormat },
      })),
    };
  });
}

/**
 * Without steps Grafana shows each number in green, and from 80 on in red:
 * https://grafana.com/docs/grafana/latest/panels-visualizations/configure-thresholds/#default-thresholds
 */
function colourBy(steps: readonly [number | null, Colour][]): { readonly thresholds: object } {
  const shaped = steps.map(([value, color]) => ({ color, value }));
  return { thresholds: { mode: 'absolute', steps: shaped } };
}

if (import.meta.main) writeFileSync(DASHBOARD, renderDashboard());
