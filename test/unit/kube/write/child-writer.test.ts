import { describe, expect, it } from 'vitest';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { createChildWriter } from '../../../../src/kube/write/child-writer.ts';
import { podKind } from '../../../../src/pods/pod.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';

/** A check of a pod that the API server answers so. */
function check(message: string): Promise<void> {
  const status = { kind: 'Status', code: 403, reason: 'Forbidden', message };
  const transport = new ScriptedTransport(() => ({ status: 403, json: status }));
  const client = new KubeClient({
    transport,
    clock: new ManualClock(),
    metrics: new RecordingMetrics(),
  });
  const metadata = { name: 'shop-pod', namespace: 'web' };
  return createChildWriter(client, [podKind]).check({ apiVersion: 'v1', kind: 'Pod', metadata });
}

function exceed(requested: string, used: string, limited: string): string {
  return `pods "shop-pod" is forbidden: exceeded quota: team, requested: ${requested}, used: ${used}, limited: ${limited}`;
}

describe('a check of a pod in a full namespace', () => {
  it.each([
    ['pods=1', 'pods=2', 'pods=2'],
    ['cpu=500m,memory=1Gi', 'cpu=1,memory=2Gi', 'cpu=1,memory=2048Mi'],
    ['requests.nvidia.com/gpu=2', 'requests.nvidia.com/gpu=2', 'requests.nvidia.com/gpu=2'],
  ])('passes where the pod has room once another is gone: %s', async (requested, used, limited) => {
    await expect(check(exceed(requested, used, limited))).resolves.toBeUndefined();
  });

  it.each([
    ['memory=8Gi', 'memory=1Gi', 'memory=4Gi'],
    ['cpu=500m,memory=8Gi', 'cpu=1,memory=1Gi', 'cpu=1,memory=4G'],
    ['pods=1', 'pods=0', 'pods=0'],
  ])('fails where the pod never has room: %s', async (requested, used, limited) => {
    await expect(check(exceed(requested, used, limited))).rejects.toMatchObject({
      reason: 'Forbidden',
      healedBy: 'person',
    });
  });

  it('fails for any other refusal', async () => {
    await expect(check('pods "shop-pod" is forbidden: a policy')).rejects.toMatchObject({
      reason: 'Forbidden',
    });
  });
});
