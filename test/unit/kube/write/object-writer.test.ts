import { describe, expect, it } from 'vitest';
import type { KubeObject, ResourceKind } from '../../../../src/core/objects/kube-object.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { createObjectWriter } from '../../../../src/kube/write/object-writer.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { type AnswerTo, ScriptedTransport } from '../../../fakes/scripted-transport.ts';

const KIND: ResourceKind = { group: 'demo.test', version: 'v1', kind: 'Widget', plural: 'widgets' };

const metadata = { name: 'shop', namespace: 'web', uid: 'uid-1', resourceVersion: '7' };
const object = { apiVersion: 'demo.test/v1', kind: 'Widget', metadata };

function open(answer: AnswerTo): { transport: ScriptedTransport; client: KubeClient } {
  const transport = new ScriptedTransport(answer);
  const [clock, metrics] = [new ManualClock(), new RecordingMetrics()];
  return { transport, client: new KubeClient({ transport, clock, metrics }) };
}

/** The server-side apply leaves an empty `rollout` to its other manager, and the schema wants fields in it. */
it('writes a status by merge patch where a forged field makes each apply invalid', async () => {
  const forged = { ...object, status: { hash: 'one', rollout: { hash: 'one' } } };
  const stored = { ...object, status: { hash: 'two' } };
  const { transport, client } = open((_, index) =>
    index === 0
      ? { status: 422, json: { kind: 'Status', code: 422, reason: 'Invalid' } }
      : { status: 200, json: stored },
  );

  const written = await createObjectWriter(client, KIND).applyStatus(forged, { hash: 'two' });

  expect(written).toMatchObject({ status: { hash: 'two' } });
  expect(transport.requests).toHaveLength(2);
  expect(JSON.parse(String(transport.requests[1]?.body))).toEqual({
    metadata: { uid: 'uid-1', resourceVersion: '7' },
    status: { hash: 'two', rollout: null },
  });
});

/** The API server drops it from a merge patch. */
it.each([
  [500, {}],
  [400, { reason: 'BadRequest' }],
])(
  'writes a status by merge patch where the CRD lacks a field of it, which an apply is answered %i for',
  async (code, more) => {
    const message =
      'failed to create typed patch object (web/shop; demo.test/v1, Kind=Widget): .status.added: field not declared in schema';
    const stored = { ...object, status: { hash: 'two' } };
    const { transport, client } = open((_, index) =>
      index === 0
        ? { status: code, json: { kind: 'Status', code, message, ...more } }
        : { status: 200, json: stored },
    );
    const status = { hash: 'two', added: 'new' };

    const written = await createObjectWriter(client, KIND).applyStatus(object, status);

    expect(written).toMatchObject({ status: { hash: 'two' } });
    const patches = transport.requests.map(({ body }) => JSON.parse(String(body)));
    expect(patches).toMatchObject([{ status }, { status }]);
  },
);

/** An apply leaves out of a list of conditions only what nobody else holds. */
it('takes away by merge patch a condition that the apply has left', async () => {
  const [ready, stalled] = [{ type: 'Ready' }, { type: 'Stalled' }];
  const both = { ...object, status: { conditions: [ready, stalled] } };
  const stored = { ...object, status: { conditions: [ready] } };
  const { transport, client } = open((_, index) => ({
    status: 200,
    json: index === 0 ? both : stored,
  }));

  await createObjectWriter(client, KIND).applyStatus(both, { conditions: [ready] });
  await createObjectWriter(client, KIND).applyStatus(stored, { conditions: [ready] });

  const patches = transport.requests.map(({ headers }) => headers?.['content-type']);
  const [apply, merge] = ['application/apply-patch+yaml', 'application/merge-patch+json'];
  expect(patches).toEqual([apply, merge, apply]);
  expect(JSON.parse(String(transport.requests[1]?.body))).toMatchObject({
    status: { conditions: [ready] },
  });
});

it.each(['addFinalizer', 'applyStatus', 'removeFinalizer'] as const)(
  '%s answers with what is held of an object of the kind',
  async (write) => {
    const stored = { ...object, spec: { large: 'x'.repeat(1000) } };
    const { client } = open(() => ({ status: 200, json: stored }));
    const writer = createObjectWriter<KubeObject>(
      client,
      KIND,
      ({ apiVersion, kind, metadata }) => ({
        ...{ apiVersion, kind, metadata },
      }),
    );
    const held = { ...object, metadata: { ...metadata, finalizers: ['ours'] } };

    const answers = {
      addFinalizer: () => writer.addFinalizer(object, 'ours'),
      applyStatus: () => writer.applyStatus(object, {}),
      removeFinalizer: () => writer.removeFinalizer(held, 'ours'),
    };

    expect(await answers[write]()).toEqual(object);
  },
);

describe('a status that is answered 404', () => {
  const absent = answerMissing('widgets', 'shop');

  function write(refusal: object, live: object): Promise<unknown> {
    const { client } = open(({ method }) =>
      method === 'GET' && live !== absent
        ? { status: 200, json: live }
        : { status: 404, json: method === 'GET' ? live : refusal },
    );
    return createObjectWriter(client, KIND).applyStatus(object, {});
  }

  it.each([
    ['is not there', absent],
    ['is another one of the same name', { ...object, metadata: { ...metadata, uid: 'uid-2' } }],
  ])('is of an object that %s', async (_is, live) => {
    await expect(write(absent, live)).resolves.toBeUndefined();
  });

  it.each([
    ['whose namespace is absent', answerMissing('namespaces', 'web'), 'NamespaceTerminating'],
    ['whose kind has no status', absent, 'StatusNotServed'],
  ])('is no sign that an object %s is gone', async (_whose, refusal, reason) => {
    await expect(write(refusal, object)).rejects.toMatchObject({ reason });
  });

  it('names the command that gives the kind a status', async () => {
    await expect(write(absent, object)).rejects.toThrow('kubectl apply --server-side -k crds');
  });
});

function answerMissing(kind: string, name: string): object {
  return { kind: 'Status', code: 404, reason: 'NotFound', details: { kind, name } };
}
