import { describe, expect, it } from 'vitest';
import { noMetrics } from '../../../../src/cli/cluster.ts';
import { LeaderMetrics } from '../../../../src/cli/leader/leader-metrics.ts';
import { composeOperator } from '../../../../src/cli/ui/operator-part.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import {
  type Answer,
  type AnswerTo,
  ScriptedStream,
  ScriptedTransport,
} from '../../../fakes/scripted-transport.ts';
import { FORBIDDEN, HOSTILE } from '../ui/shop.ts';

const TEXT = `albridge_aws_budget_tokens{bucket="writes"} 3.5
albridge_aws_budget_waiting_turns{bucket="writes"} 4
aws_api_call_throttled_errors_total{service="ELBv2"} 2
albridge_drift_scan_timestamp_seconds ${Date.UTC(2025, 11, 31, 23, 58) / 1000}
albridge_drift_scan_interval_seconds 300
albridge_configmonitor_waiting_pods{namespace="shop",source="ConfigMap/settings"} 3
albridge_configmonitor_restarted_pods_total{namespace="shop",source="ConfigMap/settings"} 7
`;

function createLease(namespace: string, creationTimestamp: string, holder: string): object {
  const metadata = { name: 'albridge', namespace, creationTimestamp };
  return { metadata, spec: { holderIdentity: holder } };
}

const LEASE = createLease('albridge-system', '2025-01-01T00:00:00Z', 'albridge-a_1-2-3');

interface Script {
  readonly leases?: readonly object[] | Answer;
  readonly pod?: Answer;
  readonly text?: string | Exclude<Answer, string>;
}

function ok(json: object): Answer {
  return { status: 200, json };
}

function refuse(status: number, message = 'forbidden'): Exclude<Answer, string> {
  return { status, json: { kind: 'Status', code: status, message } };
}

const POD = ok({
  spec: { containers: [{}, { ports: [{ name: 'metrics', containerPort: 9090 }] }] },
});

function start(script: Script, namespace?: string) {
  const answer: AnswerTo = ({ path }) => {
    const { leases = [LEASE], pod = POD, text = TEXT } = script;
    if (path.endsWith('/leases'))
      return Array.isArray(leases) ? ok({ items: leases }) : (leases as Answer);
    if (!path.endsWith('/proxy/metrics')) return pod;
    if (text === 'hang' || typeof text !== 'string') return text;
    return { stream: new ScriptedStream().pushBytes(Buffer.from(text)).end() };
  };
  const clock = new ManualClock();
  const transport = new ScriptedTransport(answer);
  const client = new KubeClient({ transport, clock, metrics: noMetrics });
  const metrics = new LeaderMetrics({ client, clock, namespace, onChange: () => {} });
  const show = (...kinds: readonly string[]): string =>
    composeOperator(metrics.known, { clock, kinds: new Set(kinds) }).toString();
  const count = (): number => transport.requests.length;
  return { clock, metrics, show, count, transport };
}

async function showOnce(script: Script): Promise<string> {
  const { clock, metrics, show } = start(script);
  metrics.view();
  await clock.advance(10_000);
  await metrics.stop();
  return show();
}

describe('the metrics of the leader on the page', () => {
  it('are those of the pod that holds the Lease, by its port of that name', async () => {
    const { clock, metrics, show, transport } = start({});
    expect(show()).toContain('being read');
    metrics.view();
    await clock.advance(0);
    expect(transport.requests.map(({ path }) => path)).toEqual([
      '/apis/coordination.k8s.io/v1/leases',
      '/api/v1/namespaces/albridge-system/pods/albridge-a',
      '/api/v1/namespaces/albridge-system/pods/albridge-a:9090/proxy/metrics',
    ]);
    for (const text of [
      '4 claims in line for the AWS budget',
      '2 throttled requests since it started',
      'last drift scan 2m ago',
      '3 pods to restart',
      '>3</td><td data-label="restarted:">7</td>',
      'albridge-system/albridge-a',
    ])
      expect(show()).toContain(text);
    await metrics.stop();
  });

  it('name what is late, what has no limit, and first the source whose pods wait', async () => {
    const text = `${TEXT.replace('_seconds 300', '_seconds 30').replace('} 3.5', '} 1e9')}
albridge_configmonitor_waiting_pods{namespace="shop",source="Secret/first"} 9
`;
    const html = await showOnce({ text });
    expect(html).toContain('<span class="warning">last drift scan 2m ago</span>');
    expect(html).toContain('>no limit</td>');
    expect(html).toMatch(/Secret\/first.*ConfigMap\/settings/);
    expect(await showOnce({})).toContain('<span class="dim">last drift scan 2m ago</span>');
  });

  it('are read every 15 seconds while a page is open, and not otherwise', async () => {
    const { clock, metrics, count } = start({});
    await clock.advance(60_000);
    expect(count()).toBe(0);
    const [end, endOther] = [metrics.view(), metrics.view()];
    await clock.advance(14_999);
    expect(count()).toBe(3);
    await clock.advance(1);
    expect(count()).toBe(6);
    end();
    await clock.advance(15_000);
    expect(count()).toBe(9);
    endOther();
    // Whoever loads the page again and again asks no more often.
    for (let loads = 0; loads < 10; loads++) metrics.view()();
    await clock.advance(600_000);
    expect(count()).toBe(9);
    metrics.view();
    await clock.advance(0);
    expect(count()).toBe(12);
    await metrics.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('count throttled requests from two samples, and begin again with a new count', async () => {
    const script = { text: TEXT };
    const { clock, metrics, show } = start(script);
    metrics.view();
    await clock.advance(0);
    script.text = TEXT.replace('{service="ELBv2"} 2', '{service="ELBv2"} 5');
    await clock.advance(120_000);
    expect(show()).toContain('3 throttled requests in the last 2m');
    await clock.advance(400_000);
    expect(show()).toContain('0 throttled requests in the last 5m');
    script.text = TEXT.replace('{service="ELBv2"} 2', '{service="ELBv2"} 1');
    await clock.advance(15_000);
    expect(show()).toContain('1 throttled request since it started');
    await metrics.stop();
  });

  it.each<readonly [string, Script, string]>([
    [
      'Leases that may not be listed',
      { leases: refuse(403, 'no list of leases') },
      'no list of leases: ask for',
    ],
    ['no Lease', { leases: [] }, 'no pod holds a Lease albridge'],
    ['a Lease that nobody holds', { leases: [createLease('x', '', '')] }, 'no pod holds a Lease'],
    ['a holder that is a path', { leases: [createLease('x', '', '../secrets_1')] }, 'no pod holds'],
    ['an operator outside the cluster', { pod: refuse(404) }, 'not a pod of this cluster'],
    [
      'a pod that may not be read',
      { text: refuse(403, 'no get of pods/proxy') },
      'no get of pods/proxy: ask for',
    ],
    ['metrics off', { text: refuse(503, 'connection refused') }, 'answers 503: are metrics off'],
    ['metrics over TLS', { text: { status: 400, json: 'x' } }, 'answers 400: are metrics off'],
    ['a NetworkPolicy', { text: 'hang' }, 'does not answer: are metrics off'],
    [
      'another text',
      { text: '<html>' },
      'its answer at /metrics is not in the format of Prometheus',
    ],
    ['no API server', { leases: { error: new Error('ECONNREFUSED') } }, 'ECONNREFUSED'],
  ])('say in one sentence that there is %s', async (_, script, sentence) => {
    const html = await showOnce(script);
    expect(html).toContain('its metrics are not shown: ');
    expect(html).toContain(sentence);
    expect(html).not.toContain('a defect of this command');
  });

  it('name kinds with objects that no operator reconciles, once all have been read', async () => {
    const name = 'controller_runtime_max_concurrent_reconciles';
    const text = `${TEXT}${name}{controller="myingress"} 4\n${name}{controller="configmap"} 1\n`;
    const script: { text: string | Exclude<Answer, string>; leases?: readonly object[] } = { text };
    const { clock, metrics, show } = start(script);
    expect(show('WebApp')).not.toContain('ALBRIDGE_KINDS');
    metrics.view();
    await clock.advance(0);
    const off = 'MyApp, WebApp: no operator reconciles them (ALBRIDGE_KINDS)';
    expect(show('WebApp', 'MyIngress', 'MyApp')).toContain(off);
    expect(show('MyIngress')).not.toContain('ALBRIDGE_KINDS');
    // Of one that cannot be read nothing is known.
    script.leases = [LEASE, createLease('other', '2026-01-01T00:00:00Z', 'b_1')];
    script.text = refuse(503);
    await clock.advance(15_000);
    expect(show('WebApp')).not.toContain('ALBRIDGE_KINDS');
    await metrics.stop();
    expect(await showOnce({})).not.toContain('ALBRIDGE_KINDS');
  });

  it('keep what they had, and say so, when the leader stops answering', async () => {
    const script: { text: string | Exclude<Answer, string> } = { text: TEXT };
    const { clock, metrics, show, count } = start(script);
    metrics.view();
    await clock.advance(0);
    script.text = refuse(503);
    await clock.advance(15_000);
    expect(show()).toContain('4 claims in line');
    expect(show()).toContain('Of 15s ago: its port for metrics answers 503');
    // And ask less often.
    await clock.advance(59_000);
    expect(count()).toBe(6);
    await metrics.stop();
  });

  it('name the oldest Lease first, and no more than three: a tenant may make one', async () => {
    const forged = ['b', 'c', 'd'].map((name) =>
      createLease(`tenant-${name}`, '2026-01-01T00:00:00Z', `${name}_1`),
    );
    const html = await showOnce({ leases: [...forged, LEASE] });
    expect(html.match(/metrics of the pod [^,]+/g)).toEqual([
      'metrics of the pod albridge-system/albridge-a',
      'metrics of the pod tenant-b/b',
      'metrics of the pod tenant-c/c',
    ]);
  });

  it('show hostile text as text, and a bounded part of it', async () => {
    const hostile = HOSTILE.toWellFormed().replaceAll(/["\\]/g, String.raw`\$&`);
    const rows = Array.from(
      { length: 4000 },
      (_, index) =>
        `albridge_configmonitor_waiting_pods{namespace="${hostile}",source="${'x'.repeat(500)}${index}"} 1e308`,
    );
    const text = `${rows.join('\n')}\nalbridge_aws_budget_tokens{bucket="${hostile}"} -1e300\nalbridge_drift_scan_timestamp_seconds -1e300\nalbridge_drift_scan_interval_seconds 1`;
    const html = await showOnce({ text });
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<img|onerror='/);
    for (const character of FORBIDDEN) expect(html).not.toContain(character);
    expect(html).toContain('and 3980 more');
    expect(html.length).toBeLessThan(30_000);
    const said = await showOnce({ text: refuse(403, HOSTILE.repeat(10_000)) });
    expect(said).not.toMatch(/<script|<img/);
    expect(said.length).toBeLessThan(5000);
  });

  it('are of one namespace where one was asked for', async () => {
    const { clock, metrics, show } = start({}, 'other');
    metrics.view();
    await clock.advance(0);
    expect(show()).toContain('no restart under way');
    await metrics.stop();
  });
});
