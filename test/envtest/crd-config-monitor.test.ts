import { beforeAll, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { configMonitorCases, configMonitorFaults } from '../unit/crds/config-monitor-cases.ts';
import { readDefinition } from '../unit/crds/custom-resource-definition.ts';
import { callApi, createNamespace, installDefinition, pathOf, succeeded } from './crd-api.ts';
import { describeRulesOnServer } from './crd-rules.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readDefinition('configmonitors.magalix.com');
let namespace = '';

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd-config-monitor');
});

describeRulesOnServer({
  definition,
  rules: configMonitorCases,
  faults: configMonitorFaults,
  namespace: () => namespace,
});

describe('the ConfigMonitor CRD in a real API server', () => {
  const spec = { configmap: 'flaskapp-config', podSelector: { app: 'frontend' } };

  async function create(name: string, fields: object): Promise<void> {
    const body = {
      apiVersion: 'magalix.com/v1',
      kind: 'ConfigMonitor',
      metadata: { name },
      spec: fields,
    };
    const path = pathOf(definition, namespace);
    succeeded(await callApi(cluster, { method: 'POST', path, body }));
  }

  it('fills in defaults, and shows that it was not reconciled yet', async () => {
    await create('defaults', spec);
    const path = pathOf(definition, namespace, 'defaults');
    const { body } = await callApi(cluster, { method: 'GET', path });
    expect(body.spec).toEqual({
      ...spec,
      strategy: 'Auto',
      maxUnavailable: '25%',
      debounceSeconds: 1,
      minIntervalSeconds: 0,
      progressDeadlineSeconds: 600,
      minReadySeconds: 10,
      unmanagedPods: 'Skip',
      suspend: false,
    });
    expect(body.status).toEqual({ observedGeneration: -1 });
  });

  it.each([1, 10_000, '1', '3', '1%', '25%', '100%'])('takes %s unavailable', async (value) => {
    await create(`unavailable-${String(value).replace('%', 'p')}-${typeof value}`, {
      ...spec,
      maxUnavailable: value,
    });
  });

  it('keeps every field of the status that albridge writes', async () => {
    await create('status', spec);
    const status = {
      observedGeneration: 1,
      lastHandledReconcileAt: 'x',
      configMap: 'flaskapp-config',
      configHash: 'a'.repeat(64),
      shortHash: 'a'.repeat(8),
      lastChangeTime: '2026-01-02T03:04:05Z',
      lastRestartTime: '2026-01-02T03:04:06Z',
      restartedSelection: 'app=frontend',
      restarts: 3,
      matchedPods: 8,
      pendingPods: 6,
      source: 'Secret/db +1',
      sources: [
        {
          kind: 'Secret',
          name: 'db',
          keys: 'c'.repeat(16),
          keyNames: ['user'],
          hash: 'a'.repeat(16),
        },
      ],
      hashKey: 'd'.repeat(8),
      change: {
        hash: 'b'.repeat(64),
        recorded: 'a'.repeat(64),
        selector: 'app=frontend',
        sources: ['Secret/db'],
        pods: [],
        between: [],
      },
      deselectedPods: ['f5a3c1d0-0000-4000-8000-000000000001'],
      rollout: {
        hash: 'b'.repeat(64),
        selector: 'app=frontend',
        sources: [{ kind: 'ConfigMap', name: 'db', hash: 'b'.repeat(16) }],
        startTime: '2026-01-02T03:04:06Z',
        progressTime: '2026-01-02T03:04:07Z',
        total: 8,
        unready: 2,
        pods: ['f5a3c1d0-0000-4000-8000-000000000000'],
        owners: [{ name: 'Deployment/frontend', pods: 8 }],
      },
      conditions: ['Ready', 'Stalled', 'ConfigMapFound'].map((type) => ({
        type,
        status: 'False',
        reason: 'PDBBlocked',
        message: 'a budget holds',
        lastTransitionTime: '2026-01-02T03:04:05Z',
        observedGeneration: 1,
      })),
    };
    const path = `${pathOf(definition, namespace, 'status')}/status`;
    const request = { method: 'PATCH', path, patch: 'merge', body: { status } } as const;
    expect(succeeded(await callApi(cluster, request)).body.status).toEqual(status);
  });

  it('explains its spec like documentation', async () => {
    await expect
      .poll(async () => (await cluster.kubectl(['explain', 'configmonitor.spec'])).code, {
        timeout: 120_000,
        interval: 200,
      })
      .toBe(0);
    const { stdout } = await cluster.kubectl(['explain', 'configmonitor', '--recursive']);
    expect(stdout).toContain('podSelector\t<map[string]string>');
    expect(stdout).not.toContain('<no description>');
  });
});
