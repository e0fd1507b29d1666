import { afterAll, describe, expect, inject, it } from 'vitest';
import { coreMetrics } from '../../src/core/metrics.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
afterAll(() => place.close());
const { metricsPort, healthPort } = inject('surroundings');

async function get(
  path: string,
  port = metricsPort,
): Promise<{ readonly status: number; readonly body: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, body: await answer.text() };
}

/** The sum of all series of a metric whose labels contain `labels`. */
async function valueOf(name: string, ...labels: readonly string[]): Promise<number> {
  const { body } = await get('/metrics');
  const series = body
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => labels.every((label) => line.includes(label)));
  return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('the running operator', () => {
  it('answers the probes of the kubelet', async () => {
    expect(await get('/healthz', healthPort)).toEqual({ status: 200, body: 'ok' });
    expect(await get('/readyz', healthPort)).toEqual({ status: 200, body: 'ok' });
    expect((await get('/readyz?verbose', healthPort)).body).toContain('[+]watch ok');
    expect((await get('/healthz')).status).toBe(404);
  });

  it("exports controller-runtime's names", async () => {
    const { body } = await get('/metrics');
    for (const { name, type } of Object.values(coreMetrics)) {
      expect(body).toContain(`# TYPE ${name} ${type}`);
    }
  });

  it('counts what it does: passes, errors, calls to AWS and to the API server', async () => {
    const counted = async (): Promise<Readonly<Record<string, number>>> => ({
      settled: await valueOf('controller_runtime_reconcile_total', 'result="success"'),
      waited: await valueOf('controller_runtime_reconcile_total', 'result="requeue_after"'),
      failed: await valueOf('controller_runtime_reconcile_errors_total'),
      seconds: await valueOf('controller_runtime_reconcile_time_seconds_count'),
      added: await valueOf('workqueue_adds_total'),
      requests: await valueOf('rest_client_requests_total', 'method="PATCH"'),
    });
    const before = await counted();
    const objects = await place.createNamespace('metrics');
    await objects.create('web', { subnets: place.network.articleSubnets });
    await objects.create('bad', {
      subnets: ['subnet-0000000000000000f', 'subnet-0000000000000000e'],
    });
    await objects.whenReady('web');
    await objects.whenReason('bad', 'SubnetNotFound');
    await until('all values to have moved', async () => {
      const after = await counted();
      return Object.entries(before).every(([name, value]) => (after[name] ?? 0) > value);
    });
    expect(await valueOf('controller_runtime_reconcile_panics_total')).toBe(0);
    const controller = 'controller="myingress"';
    expect(await valueOf('controller_runtime_max_concurrent_reconciles', controller)).toBe(16);
  });
});
