import { expect, it } from 'vitest';
import type { ResourceKind } from '../../../../src/core/objects/kube-object.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { createObjectWriter } from '../../../../src/kube/write/object-writer.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';

const KIND: ResourceKind = { group: 'demo.test', version: 'v1', kind: 'Widget', plural: 'widgets' };

/** The server-side apply leaves an empty `rollout` to its other manager, and the schema wants fields in it. */
it('writes a status by merge patch where a forged field makes each apply invalid', async () => {
  const metadata = { name: 'shop', namespace: 'web', uid: 'uid-1', resourceVersion: '7' };
  const object = { apiVersion: 'demo.test/v1', kind: 'Widget', metadata };
  const forged = { ...object, status: { hash: 'one', rollout: { hash: 'one' } } };
  const stored = { ...object, status: { hash: 'two' } };
  const transport = new ScriptedTransport((_, index) =>
    index === 0
      ? { status: 422, json: { kind: 'Status', code: 422, reason: 'Invalid' } }
      : { status: 200, json: stored },
  );
  const clock = new ManualClock();
  const client = new KubeClient({ transport, clock, metrics: new RecordingMetrics() });

  const written = await createObjectWriter(client, KIND).applyStatus(forged, { hash: 'two' });

  expect(written).toMatchObject({ status: { hash: 'two' } });
  expect(transport.requests).toHaveLength(2);
  expect(JSON.parse(String(transport.requests[1]?.body))).toEqual({
    metadata: { uid: 'uid-1', resourceVersion: '7' },
    status: { hash: 'two', rollout: null },
  });
});
