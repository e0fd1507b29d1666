import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebAppBench } from './bench.ts';

const LABELS = { app: 'shop', 'app.kubernetes.io/managed-by': 'webapp-operator' };

let bench: WebAppBench;

beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

describe('a WebApp behind a load balancer', () => {
  const gate = { readinessGates: [{ conditionType: 'albridge.io/targets-healthy' }] };

  async function learn(isBalanced: boolean | undefined): Promise<void> {
    bench.isBalanced = isBalanced;
    await bench.annotate({ 'albridge.io/reconcile-requested-at': `${isBalanced}` });
  }

  it('has the gate from the start, with one write', async () => {
    bench.isBalanced = true;
    const { metadata } = bench.store();
    await bench.start();
    await bench.serve(3);
    expect(bench.deployment).toMatchObject({
      spec: {
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: { ...LABELS, 'albridge.io/readiness-gate': 'true' } },
          spec: gate,
        },
      },
    });
    expect(bench.service).toMatchObject({ spec: { selector: LABELS } });
    expect(bench.object.metadata.uid).toBe(metadata.uid);
    expect(bench.events.reasons.filter((one) => one.startsWith('Deployment'))).toEqual([
      'DeploymentCreated',
    ]);
  });

  it('gets the gate and loses it by one write each, and none while that is not known', async () => {
    await bench.run();
    const plain = bench.deployment.spec;
    await learn(true);
    const gated = bench.deployment.spec;
    expect(gated?.template?.spec).toMatchObject(gate);
    await learn(undefined);
    expect(bench.deployment.spec).toEqual(gated);
    await learn(false);
    expect(bench.deployment.spec).toEqual(plain);
    await learn(undefined);
    expect(bench.deployment.spec).toEqual(plain);
    const changes = bench.events.reasons.filter((reason) => reason === 'DeploymentUpdated');
    expect(changes).toHaveLength(2);
  });

  it('has its gate repaired', async () => {
    await bench.run();
    await learn(true);
    await bench.editDeployment((live) => {
      const { readinessGates: _gone, ...spec } = live.spec?.template?.spec ?? {};
      return { ...live, spec: { ...live.spec, template: { ...live.spec?.template, spec } } };
    });
    expect(bench.deployment.spec?.template?.spec).toMatchObject(gate);
    expect(bench.events.recorded.find(({ reason }) => reason === 'DriftRepaired')?.note).toBe(
      'Repaired Deployment shop: spec.template.spec.readinessGates',
    );
  });
});
