import { describe, expect, it } from 'vitest';
import { podKind } from '../../../../src/kube/client/built-in-kinds.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { createChildWriter } from '../../../../src/kube/write/child-writer.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';

/** A check of a pod that the API server answers so. */
function check(message: string, code = 403, reason = 'Forbidden'): Promise<void> {
  const status = { kind: 'Status', code, reason, message };
  const transport = new ScriptedTransport(() => ({ status: code, json: status }));
  const metadata = { name: 'shop-pod', namespace: 'web' };
  const writer = createChildWriter(createClient(transport), [podKind]);
  return writer.check({ apiVersion: 'v1', kind: 'Pod', metadata });
}

function createClient(transport: ScriptedTransport): KubeClient {
  return new KubeClient({ transport, clock: new ManualClock(), metrics: new RecordingMetrics() });
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

describe('a check that is answered 400', () => {
  const answer = (message: string): Promise<void> => check(message, 400, 'BadRequest');

  it('passes where a webhook judges no dry runs', async () => {
    const message = 'admission webhook "pods.example.com" does not support dry run';
    await expect(answer(message)).resolves.toBeUndefined();
  });

  it.each([
    'strict decoding error: unknown field "spec.x"',
    'admission webhook "pods.example.com" denied the request: the image does not support dry run',
  ])('fails for any other reason: %s', async (message) => {
    await expect(answer(message)).rejects.toMatchObject({ reason: 'Invalid' });
  });
});

describe('an apply to a pod that another one of the same name has replaced', () => {
  it('writes nothing to that one', async () => {
    const managedFields = [
      { manager: 'albridge', operation: 'Update', fieldsV1: { 'f:spec': { 'f:hostname': {} } } },
    ];
    const metadata = { name: 'shop-pod', namespace: 'web', uid: 'uid-1' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata };
    const live = { ...pod, metadata: { ...metadata, uid: 'uid-2', managedFields } };
    const causes = [{ field: 'metadata.uid' }];
    const status = { kind: 'Status', code: 422, reason: 'Invalid', details: { causes } };
    const transport = new ScriptedTransport(({ headers }) =>
      headers?.['content-type'] === 'application/apply-patch+yaml'
        ? { status: 422, json: status }
        : { status: 200, json: live },
    );
    const writer = createChildWriter(createClient(transport), [podKind]);
    await expect(writer.apply(pod)).rejects.toMatchObject({ reason: 'Conflict' });
    const patched = transport.requests.filter(({ method }) => method === 'PATCH');
    expect(patched.map(({ body }) => JSON.parse(body ?? '').metadata.uid)).toEqual(['uid-1']);
  });
});
