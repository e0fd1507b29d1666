import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Autoscaler, Autoscalers } from '../../../../src/controllers/web-app/autoscalers.ts';
import { WebAppBench } from './bench.ts';

let bench: WebAppBench;

beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

describe('an autoscaler', () => {
  const onDeployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' };

  async function scaleTo(replicas: number): Promise<void> {
    await bench.editDeployment((live) => ({ ...live, spec: { ...live.spec, replicas } }));
  }

  it('on the Deployment is not fought, and the rest is still kept', async () => {
    await bench.run();
    await bench.createAutoscaler(onDeployment);
    expect(bench.deployment.spec?.replicas, 'nothing changes by itself').toBe(3);
    await scaleTo(7);
    expect(bench.deployment.spec?.replicas).toBe(7);
    await bench.edit({ image: 'nginx:1.27' });
    expect(bench.deployment).toMatchObject({
      spec: { replicas: 7, template: { spec: { containers: [{ image: 'nginx:1.27' }] } } },
    });
  });

  it('that goes gives the number of pods back to the spec', async () => {
    await bench.run();
    const autoscaler = await bench.createAutoscaler(onDeployment);
    await scaleTo(7);
    bench.kube.delete(autoscaler);
    await bench.clock.advance(14_000);
    expect(bench.deployment.spec?.replicas, 'it may be replaced').toBe(7);
    await bench.clock.advance(1_000);
    expect(bench.deployment.spec?.replicas).toBe(3);
  });

  it('that is created again at once keeps the number of pods', async () => {
    await bench.run();
    const autoscaler = await bench.createAutoscaler(onDeployment);
    await scaleTo(7);
    bench.kube.delete(autoscaler);
    await bench.edit({ image: 'nginx:1.27' });
    await bench.createAutoscaler(onDeployment);
    await bench.clock.advance(60_000);
    expect(bench.deployment.spec?.replicas).toBe(7);
  });

  it('queues its WebApp for another target, and not for each status', async () => {
    const cache = bench.kube.cache<Autoscaler>('HorizontalPodAutoscaler');
    const queued: string[] = [];
    const stop = new Autoscalers(cache, bench.clock).source((key) => void queued.push(key));
    const autoscaler = await bench.createAutoscaler(onDeployment);
    expect(queued.splice(0)).toEqual(['web/shop']);
    bench.kube.server.applyStatus(autoscaler, { currentReplicas: 3 });
    expect(queued).toEqual([]);
    bench.kube.edit(autoscaler, (live) => ({
      ...live,
      spec: { scaleTargetRef: { ...onDeployment, name: 'other' } },
    }));
    expect(queued).toEqual(['web/shop', 'web/other']);
    stop();
  });

  it('that was just deleted leaves no timer after a stop', async () => {
    await bench.run();
    bench.kube.delete(await bench.createAutoscaler(onDeployment));
    await bench.clock.settle();
    await bench.stop();
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it('that was there first leaves the spec its say about the beginning', async () => {
    await bench.createAutoscaler(onDeployment);
    bench.store();
    await bench.start();
    expect(bench.deployment.spec?.replicas).toBe(3);
    await scaleTo(7);
    expect(bench.deployment.spec?.replicas).toBe(7);
  });

  const others: Readonly<Record<string, { why: string; target: object }>> = {
    'the WebApp itself': {
      why: 'it writes spec.replicas, which we follow',
      target: { apiVersion: 'apps.example.com/v1', kind: 'WebApp', name: 'shop' },
    },
    'another Deployment': { why: 'not ours', target: { ...onDeployment, name: 'other' } },
    'a Deployment of another group': {
      why: 'groups share names',
      target: { ...onDeployment, apiVersion: 'example.com/v1' },
    },
    nothing: { why: 'the field is not filled in', target: {} },
  };

  it.each(Object.entries(others))('on %s changes nothing', async (_name, { target, why }) => {
    await bench.run();
    await bench.createAutoscaler(target);
    await scaleTo(7);
    expect(bench.deployment.spec?.replicas, why).toBe(3);
  });
});
