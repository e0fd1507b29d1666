import { describe, expect, it } from 'vitest';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import type { KubeRequest } from '../../../src/kube/kube-transport.ts';
import { type Right, rightOf } from '../../../src/kube/right.ts';
import { createRights, type Rights } from '../../../src/kube/rights.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';

interface Case {
  readonly why: string;
  readonly request: KubeRequest;
  readonly right: Right | undefined;
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/albridge-system/leases';
const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: 'albridge-system' };

const cases: Readonly<Record<string, Case>> = {
  'a get in the core group': {
    why: 'a namespace is itself no namespaced resource',
    request: { method: 'GET', path: '/api/v1/namespaces/kube-system' },
    right: { verb: 'get', group: '', resource: 'namespaces', name: 'kube-system' },
  },
  'a list over all namespaces': {
    why: 'no name, no namespace',
    request: { method: 'GET', path: '/apis/demo.rtfm.co.ua/v1/myingresses' },
    right: { verb: 'list', group: 'demo.rtfm.co.ua', resource: 'myingresses' },
  },
  'a watch of one object': {
    why: 'a field selector by name is allowed by that name',
    request: {
      method: 'GET',
      path: LEASES,
      query: { watch: 'true', fieldSelector: 'metadata.name=albridge' },
    },
    right: { ...lease, verb: 'watch', name: 'albridge' },
  },
  'a create': {
    why: 'no name in the path',
    request: { method: 'POST', path: LEASES },
    right: { ...lease, verb: 'create' },
  },
  'an update': {
    why: 'PUT is update',
    request: { method: 'PUT', path: `${LEASES}/albridge` },
    right: { ...lease, verb: 'update', name: 'albridge' },
  },
  'a patch of status': {
    why: 'a subresource has rights of its own',
    request: {
      method: 'PATCH',
      path: '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses/shop/status',
    },
    right: {
      verb: 'patch',
      group: 'demo.rtfm.co.ua',
      resource: 'myingresses',
      subresource: 'status',
      namespace: 'web',
      name: 'shop',
    },
  },
  'a delete': {
    why: 'of one object',
    request: { method: 'DELETE', path: '/api/v1/namespaces/web/pods/one' },
    right: { verb: 'delete', group: '', resource: 'pods', namespace: 'web', name: 'one' },
  },
  'a path that is no resource': {
    why: 'nothing of RBAC on resources',
    request: { method: 'GET', path: '/version' },
    right: undefined,
  },
};

describe('the right that a request needs', () => {
  it.each(Object.entries(cases))('%s', (_, { request, right }) => {
    expect(rightOf(request)).toEqual(right);
  });
});

interface Bench {
  readonly rights: Rights;
  readonly clock: ManualClock;
  readonly log: SilentLogger;
  readonly transport: ScriptedTransport;
  /** What the API server answers from now on. */
  answer: { allowed: boolean } | 'error';
  fail(): Promise<void>;
}

/** A client whose every request but a review is refused with 403. */
function setUp(): Bench {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const transport = new ScriptedTransport(({ path }) => {
    if (!path.endsWith('selfsubjectaccessreviews')) {
      const message = 'pods "one" is forbidden: exceeded quota';
      return { status: 403, json: { kind: 'Status', reason: 'Forbidden', message } };
    }
    if (bench.answer === 'error') return { error: new Error('other side closed') };
    return { status: 201, json: { status: bench.answer } };
  });
  const common = { transport, clock, metrics: new RecordingMetrics() };
  const rights = createRights({ client: createKubeClient(common), clock, log });
  const client = createKubeClient({ ...common, rights });
  const fail = async (): Promise<void> => {
    const path = '/api/v1/namespaces/web/pods';
    await expect(client.request({ method: 'POST', path, body: '{}' })).rejects.toThrow('quota');
    await clock.advance(0);
  };
  const bench: Bench = { rights, clock, log, transport, answer: { allowed: false }, fail };
  return bench;
}

const SENTENCE = /^the operator may not create pods of the core API group: grant /;

describe('rights', () => {
  it('tells of a missing one once, by verb and resource', async () => {
    const { rights, log, fail } = setUp();
    await fail();
    await fail();
    expect(rights.missing()).toEqual([expect.stringMatching(SENTENCE)]);
    expect(log.shown.map(({ message }) => message)).toEqual(rights.missing());
    rights.stop();
  });

  it('takes a quota or a policy for no missing right', async () => {
    const bench = setUp();
    bench.answer = { allowed: true };
    await bench.fail();
    expect(bench.rights.missing()).toEqual([]);
    expect(bench.log.shown).toEqual([]);
    bench.rights.stop();
  });

  it('believes the refusal where it gets no answer', async () => {
    const bench = setUp();
    bench.answer = 'error';
    await bench.fail();
    expect(bench.rights.missing()).toHaveLength(1);
    bench.rights.stop();
  });

  it('notices within seconds that the right was granted, and then asks no more', async () => {
    const bench = setUp();
    await bench.fail();
    bench.answer = { allowed: true };
    await bench.clock.advance(12_001);
    expect(bench.rights.missing()).toEqual([]);
    expect(bench.log.shown.at(-1)?.message).toBe('a right that was missing is there');
    const asked = bench.transport.requests.length;
    await bench.clock.advance(60_000);
    expect(bench.transport.requests).toHaveLength(asked);
  });

  it('asks nothing any more once it is stopped', async () => {
    const bench = setUp();
    await bench.fail();
    bench.rights.stop();
    const asked = bench.transport.requests.length;
    await bench.clock.advance(60_000);
    expect(bench.transport.requests).toHaveLength(asked);
  });
});
