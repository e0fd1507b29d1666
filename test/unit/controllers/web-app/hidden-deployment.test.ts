import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { WebAppBench } from './bench.ts';

let bench: WebAppBench;

beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

const OTHERS = {
  terminationGracePeriodSeconds: 300,
  containers: [{ name: 'app', image: 'nginx:1.25', readinessProbe: { httpGet: { port: 80 } } }],
};

/** It has lost its label, so the cache does not show it. */
function storeHidden(): void {
  const { name, uid } = bench.store().metadata;
  const apiVersion = 'apps.example.com/v1';
  const owner = { apiVersion, kind: 'WebApp', name, uid, controller: true };
  bench.deployments.hold();
  bench.kube.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'web', ownerReferences: [owner] },
    spec: { replicas: 3, template: { spec: OTHERS } },
  } as KubeObject);
}

describe('a Deployment that has lost its label', () => {
  it('gets it back, and no probe or grace period over those of others', async () => {
    bench.isBalanced = true;
    storeHidden();
    await bench.start();
    expect(bench.deployment.metadata.labels).toMatchObject({ app: 'shop' });
    expect(bench.deployment.spec?.template?.spec?.terminationGracePeriodSeconds).toBe(300);
    expect(JSON.stringify(bench.deployment.spec)).not.toContain('tcpSocket');
  });

  it('gets it back also where no Deployment could be created', async () => {
    const options = { reason: 'Forbidden', message: 'exceeded quota', healedBy: 'person' } as const;
    bench.kube.refuse('create', 'web/shop', new OperatorError(options));
    storeHidden();
    await bench.start();
    expect(bench.deployment.metadata.labels).toMatchObject({ app: 'shop' });
  });
});
