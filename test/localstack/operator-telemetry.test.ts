import { describe, expect, inject, it } from 'vitest';
import { myIngressMetrics } from '../../src/controllers/my-ingress/orphans.ts';
import { coreMetrics } from '../../src/core/ports/metrics.ts';
import { logLines } from '../surroundings/log-lines.ts';
import { arnOf } from '../surroundings/my-ingresses.ts';
import type { LogLine } from '../surroundings/operator-process.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { healthPort, metricsPort, operatorLog } = inject('surroundings');

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

/** Each change of the orphans is one line with all of them. */
async function lastAboutOrphans(): Promise<LogLine | undefined> {
  return (await logLines(operatorLog)).findLast(({ orphans }) => orphans !== undefined);
}

describe('a tenant who pauses an object, takes its finalizer off and deletes it', () => {
  it('is found out: a gauge and one line of the log name the balancer that is left', async () => {
    const objects = await place.createNamespace('abandoned');
    await objects.create('web', { subnets: place.network.articleSubnets });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.annotate('web', { 'albridge.io/paused': 'true' });
    await objects.whenReason('web', 'Paused');
    await objects.patch('web', { metadata: { finalizers: [] } });
    await objects.startDeleting('web');
    await objects.isGone('web');

    const gauge = myIngressMetrics.orphans.name;
    // Other tests plant balancers that are orphans too.
    const { namespace } = objects;
    const orphan = { arn, namespace, name: 'web' };
    const line = await until('a line names it', async () => {
      const last = await lastAboutOrphans();
      return JSON.stringify(last).includes(arn) && last;
    });
    expect(line).toMatchObject({ level: 'error', orphans: expect.arrayContaining([orphan]) });
    expect(await valueOf(gauge)).toBeGreaterThan(0);
    expect(await place.standIn.balancer(arn)).toBeDefined();

    await place.outsider.deleteBalancer(arn);
    await until('it is named no more', async () => {
      return !JSON.stringify(await lastAboutOrphans()).includes(arn);
    });
  });
});

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

  it('has no label with the name of an object', async () => {
    const objects = await place.createNamespace('nameless');
    await objects.create('shop-of-a-tenant', { subnets: place.network.articleSubnets });
    await objects.whenReady('shop-of-a-tenant');
    const { body } = await get('/metrics');
    expect(body).toContain('controller_runtime_reconcile_total');
    expect(body).not.toContain(objects.namespace);
    expect(body).not.toContain('shop-of-a-tenant');
  });

  it('counts passes, errors, calls to AWS and to the API server', async () => {
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
