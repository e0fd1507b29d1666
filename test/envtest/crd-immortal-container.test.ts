import { beforeAll, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { readDefinition } from '../unit/crds/custom-resource-definition.ts';
import {
  immortalContainerCases,
  immortalContainerFaults,
} from '../unit/crds/immortal-container-cases.ts';
import { callApi, createNamespace, installDefinition, pathOf, succeeded } from './crd-api.ts';
import { describeRulesOnServer } from './crd-rules.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readDefinition('immortalcontainers.immortalcontainer.flugel.it');
let namespace = '';

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd-immortal');
});

describeRulesOnServer({
  definition,
  rules: immortalContainerCases,
  faults: immortalContainerFaults,
  namespace: () => namespace,
});

describe('the ImmortalContainer CRD in a real API server', () => {
  const body = {
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    kind: 'ImmortalContainer',
    metadata: { name: 'example' },
    spec: { image: 'nginx:latest' },
  };

  it('keeps every field of the status that albridge writes, and takes a name of any length', async () => {
    const name = 'x'.repeat(253);
    const path = pathOf(definition, namespace);
    const object = { ...body, metadata: { name } };
    const created = succeeded(await callApi(cluster, { method: 'POST', path, body: object })).body;
    expect(created.status).toEqual({ observedGeneration: -1 });
    const status = {
      observedGeneration: 1,
      lastHandledReconcileAt: 'x',
      currentPod: `${'x'.repeat(241)}-immortalpod`,
      startTimes: 7,
      currentPodUID: 'f5a3c1d0-0000-4000-8000-000000000000',
      lastStartTime: '2026-01-02T03:04:05Z',
      phase: 'Failed',
      containerRestarts: 2,
      lastTermination: { reason: 'Error', exitCode: -1, time: '2026-01-02T03:04:05Z' },
      consecutiveFailures: 3,
      nextStartTime: '2026-01-02T03:04:45Z',
      replacementReason: 'Error',
      conditions: ['Ready', 'Reconciling', 'PodReady'].map((type) => ({
        type,
        status: 'False',
        reason: 'BackOff',
        message: 'it has ended',
        lastTransitionTime: '2026-01-02T03:04:05Z',
        observedGeneration: 1,
      })),
    };
    const at = `${pathOf(definition, namespace, name)}/status`;
    const request = { method: 'PATCH', path: at, patch: 'merge', body: { status } } as const;
    expect(succeeded(await callApi(cluster, request)).body.status).toEqual(status);
  });

  it('explains its spec like documentation', async () => {
    await expect
      .poll(async () => (await cluster.kubectl(['explain', 'immortalcontainer.spec'])).code, {
        timeout: 120_000,
        interval: 200,
      })
      .toBe(0);
    const { stdout } = await cluster.kubectl(['explain', 'immortalcontainer', '--recursive']);
    expect(stdout).toContain('image\t<string> -required-');
    expect(stdout).not.toContain('<no description>');
  });
});
