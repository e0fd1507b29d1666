import { describe, expect, it } from 'vitest';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import type { KubeRequest } from '../../../../src/kube/client/kube-transport.ts';
import { listRights, type Right, Rights } from '../../../../src/kube/client/rights.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

interface Case {
  readonly why: string;
  readonly request: KubeRequest;
  readonly rights: readonly Right[];
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/albridge-system/leases';
const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: 'albridge-system' };

function ownedBy(owner: object): string {
  return JSON.stringify({ metadata: { ownerReferences: [{ ...owner, name: 'shop' }] } });
}

const cases: Readonly<Record<string, Case>> = {
  'a get in the core group': {
    why: 'a namespace is itself no namespaced resource',
    request: { method: 'GET', path: '/api/v1/namespaces/kube-system' },
    rights: [{ verb: 'get', group: '', resource: 'namespaces', name: 'kube-system' }],
  },
  'a list over all namespaces': {
    why: 'no name, no namespace',
    request: { method: 'GET', path: '/apis/demo.rtfm.co.ua/v1/myingresses' },
    rights: [{ verb: 'list', group: 'demo.rtfm.co.ua', resource: 'myingresses' }],
  },
  'a watch of one object': {
    why: 'a field selector by name is allowed by that name',
    request: {
      method: 'GET',
      path: LEASES,
      query: { watch: 'true', fieldSelector: 'metadata.name=albridge' },
    },
    rights: [{ ...lease, verb: 'watch', name: 'albridge' }],
  },
  'a create': {
    why: 'no name in the path',
    request: { method: 'POST', path: LEASES },
    rights: [{ ...lease, verb: 'create' }],
  },
  'an update': {
    why: 'PUT is update',
    request: { method: 'PUT', path: `${LEASES}/albridge` },
    rights: [{ ...lease, verb: 'update', name: 'albridge' }],
  },
  'a patch of status': {
    why: 'a subresource has rights of its own',
    request: {
      method: 'PATCH',
      path: '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses/shop/status',
    },
    rights: [
      {
        verb: 'patch',
        group: 'demo.rtfm.co.ua',
        resource: 'myingresses',
        subresource: 'status',
        namespace: 'web',
        name: 'shop',
      },
    ],
  },
  'a delete': {
    why: 'of one object',
    request: { method: 'DELETE', path: '/api/v1/namespaces/web/pods/one' },
    rights: [{ verb: 'delete', group: '', resource: 'pods', namespace: 'web', name: 'one' }],
  },
  'a watch in one namespace': {
    why: 'ALBRIDGE_NAMESPACES: the right may be granted in that namespace alone',
    request: {
      method: 'GET',
      path: '/api/v1/namespaces/web/pods',
      query: { watch: 'true', labelSelector: 'app.kubernetes.io/managed-by=albridge' },
    },
    rights: [{ verb: 'watch', group: '', resource: 'pods', namespace: 'web' }],
  },
  'an eviction': {
    why: 'a create of a subresource',
    request: { method: 'POST', path: '/api/v1/namespaces/web/pods/one/eviction', body: '{}' },
    rights: [
      {
        verb: 'create',
        group: '',
        resource: 'pods',
        subresource: 'eviction',
        namespace: 'web',
        name: 'one',
      },
    ],
  },
  'a delete of a collection': {
    why: 'it has a verb of its own',
    request: { method: 'DELETE', path: '/api/v1/namespaces/web/pods' },
    rights: [{ verb: 'deletecollection', group: '', resource: 'pods', namespace: 'web' }],
  },
  'a name that is escaped in the path': {
    why: 'a review knows no escapes',
    request: { method: 'GET', path: '/apis/example.com/v1/namespaces/web/things/a%3Ab' },
    rights: [
      { verb: 'get', group: 'example.com', resource: 'things', namespace: 'web', name: 'a:b' },
    ],
  },
  'a create of what has an owner': {
    why: 'holding up the deletion of the owner is a right over the owner',
    request: {
      method: 'POST',
      path: '/api/v1/namespaces/web/pods',
      body: ownedBy({ apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyApp', blockOwnerDeletion: true }),
    },
    rights: [
      { verb: 'create', group: '', resource: 'pods', namespace: 'web' },
      {
        verb: 'update',
        group: 'demo.rtfm.co.ua',
        resource: 'myapps',
        subresource: 'finalizers',
        namespace: 'web',
        name: 'shop',
      },
    ],
  },
  'a create of what does not hold up its owner': {
    why: 'anybody may name an owner that may go first',
    request: {
      method: 'POST',
      path: '/api/v1/namespaces/web/pods',
      body: ownedBy({ apiVersion: 'v1', kind: 'Service', blockOwnerDeletion: false }),
    },
    rights: [{ verb: 'create', group: '', resource: 'pods', namespace: 'web' }],
  },
  'an owner in the core group': {
    why: 'its apiVersion has no group',
    request: {
      method: 'PATCH',
      path: '/api/v1/namespaces/web/pods/one',
      body: ownedBy({ apiVersion: 'v1', kind: 'Ingress', blockOwnerDeletion: true }),
    },
    rights: [
      { verb: 'patch', group: '', resource: 'pods', namespace: 'web', name: 'one' },
      {
        verb: 'update',
        group: '',
        resource: 'ingresses',
        subresource: 'finalizers',
        namespace: 'web',
        name: 'shop',
      },
    ],
  },
  'a path that is no resource': {
    why: 'nothing of RBAC on resources',
    request: { method: 'GET', path: '/version' },
    rights: [],
  },
};

describe('the rights that a request needs', () => {
  it.each(Object.entries(cases))('%s', (_, { request, rights }) => {
    expect(listRights(request)).toEqual(rights);
  });
});

interface Bench {
  readonly rights: Rights;
  readonly clock: ManualClock;
  readonly log: SilentLogger;
  readonly transport: ScriptedTransport;
  /** What the API server answers from now on. */
  answer: Answer | ((right: Right) => Answer);
  /** Has a request refused: a create of pods, unless told another. */
  fail(request?: KubeRequest): Promise<void>;
}

type Answer = { readonly allowed: boolean } | 'error';

const CREATE = { method: 'POST', path: '/api/v1/namespaces/web/pods', body: '{}' } as const;
const REMOVE = { method: 'DELETE', path: '/api/v1/namespaces/web/pods/one' } as const;
const createIn = (namespace: string): KubeRequest => ({
  ...CREATE,
  path: `/api/v1/namespaces/${namespace}/pods`,
});
const isDeletion = ({ verb }: Right): boolean => verb === 'delete';

/** A client whose every request but a review is refused with 403. */
function setUp(): Bench {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const transport = new ScriptedTransport(({ path, body }) => {
    if (!path.endsWith('selfsubjectaccessreviews')) {
      const message = 'pods "one" is forbidden: exceeded quota';
      return { status: 403, json: { kind: 'Status', reason: 'Forbidden', message } };
    }
    const { spec } = JSON.parse(body ?? '') as { spec: { resourceAttributes: Right } };
    const { answer } = bench;
    const status = typeof answer === 'function' ? answer(spec.resourceAttributes) : answer;
    if (status === 'error') return { error: new Error('other side closed') };
    return { status: 201, json: { status } };
  });
  const common = { transport, clock, metrics: new RecordingMetrics() };
  const rights = new Rights({ client: new KubeClient(common), clock, log });
  const client = new KubeClient({ ...common, rights });
  const fail = async (request: KubeRequest = CREATE): Promise<void> => {
    await expect(client.request(request)).rejects.toThrow('quota');
    await clock.advance(0);
  };
  const bench: Bench = { rights, clock, log, transport, answer: { allowed: false }, fail };
  return bench;
}

const SENTENCE = /^the operator may not create pods of the core API group: grant /;

describe('rights', () => {
  it('reports a missing one once, by verb and resource', async () => {
    const { rights, log, fail } = setUp();
    await fail();
    await fail();
    expect(rights.listMissing()).toEqual([expect.stringMatching(SENTENCE)]);
    expect(log.shown).toMatchObject([
      {
        message: 'permission missing',
        fields: { verb: 'create', resource: 'pods', why: expect.stringMatching(SENTENCE) },
      },
    ]);
    rights.stop();
  });

  it('takes a quota or a policy for no missing right', async () => {
    const bench = setUp();
    bench.answer = { allowed: true };
    await bench.fail();
    expect(bench.rights.listMissing()).toEqual([]);
    expect(bench.log.shown).toEqual([]);
    bench.rights.stop();
  });

  it('believes the refusal where it gets no answer', async () => {
    const bench = setUp();
    bench.answer = 'error';
    await bench.fail();
    expect(bench.rights.listMissing()).toHaveLength(1);
    bench.rights.stop();
  });

  it('notices within seconds that the right was granted, says so, and then asks no more', async () => {
    const bench = setUp();
    let granted = 0;
    bench.rights.onGranted(() => void granted++);
    await bench.fail();
    expect(granted).toBe(0);
    bench.answer = { allowed: true };
    await bench.clock.advance(6_001);
    expect(granted).toBe(1);
    expect(bench.rights.listMissing()).toEqual([]);
    expect(bench.log.shown.at(-1)?.message).toBe('permission granted');
    const asked = bench.transport.requests.length;
    await bench.clock.advance(60_000);
    expect(bench.transport.requests).toHaveLength(asked);
  });

  it('reports several, and forgets each as it is granted', async () => {
    const bench = setUp();
    await bench.fail(CREATE);
    await bench.fail(REMOVE);
    expect(bench.rights.listMissing()).toHaveLength(2);
    bench.answer = (right) => ({ allowed: isDeletion(right) });
    await bench.clock.advance(12_001);
    expect(bench.rights.listMissing()).toEqual([expect.stringMatching(SENTENCE)]);
    bench.rights.stop();
  });

  it('notices the grant in one namespace while another still lacks it, and shows one sentence', async () => {
    const bench = setUp();
    let granted = 0;
    bench.rights.onGranted(() => void granted++);
    await bench.fail(createIn('a'));
    await bench.fail(createIn('b'));
    expect(bench.rights.listMissing()).toEqual([expect.stringMatching(SENTENCE)]);
    for (const [round, allowed] of [['b'], ['b', 'a']].entries()) {
      expect(granted).toBe(round);
      bench.answer = ({ namespace = '' }) => ({ allowed: allowed.includes(namespace) });
      await bench.clock.advance(12_001);
      expect(granted).toBe(round + 1);
      expect(bench.rights.listMissing()).toHaveLength(1 - round);
    }
    const messages = bench.log.shown.map(({ message }) => message);
    expect(messages).toEqual(['permission missing', 'permission granted']);
  });

  it('asks for 20 refused ones in a round, and for others in the next', async () => {
    const bench = setUp();
    let granted = 0;
    bench.rights.onGranted(() => void granted++);
    const namespaces = Array.from({ length: 30 }, (_, index) => `team-${index}`);
    for (const namespace of namespaces) await bench.fail(createIn(namespace));
    const before = bench.transport.requests.length;
    await bench.clock.advance(6_001);
    expect(bench.transport.requests.length - before).toBe(20);
    bench.answer = ({ namespace }) => ({ allowed: namespace === 'team-29' });
    await bench.clock.advance(6_001);
    expect(bench.log.shown.map(({ message }) => message)).toEqual(['permission missing']);
    expect(granted).toBe(1);
    bench.answer = { allowed: true };
    await bench.clock.advance(6_001);
    expect(bench.rights.listMissing()).toEqual([]);
  });

  it('reports one that is taken away again, and checks that one again too', async () => {
    const bench = setUp();
    for (const round of [1, 2]) {
      bench.answer = { allowed: false };
      await bench.fail();
      expect(bench.rights.listMissing(), `round ${round}`).toHaveLength(1);
      bench.answer = { allowed: true };
      await bench.clock.advance(12_001);
      expect(bench.rights.listMissing(), `round ${round}`).toEqual([]);
    }
    expect(bench.log.shown.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('goes on missing one while the API server gives no answer', async () => {
    const bench = setUp();
    await bench.fail();
    bench.answer = 'error';
    await bench.clock.advance(60_000);
    expect(bench.rights.listMissing()).toHaveLength(1);
    bench.rights.stop();
  });

  it('names the right over the owner where only that one is missing', async () => {
    const bench = setUp();
    bench.answer = ({ subresource }) => ({ allowed: subresource !== 'finalizers' });
    const owner = { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyApp', blockOwnerDeletion: true };
    await bench.fail({ ...CREATE, body: ownedBy(owner) });
    expect(bench.rights.listMissing()).toEqual([
      expect.stringContaining('may not update myapps/finalizers of the API group demo.rtfm.co.ua'),
    ]);
    bench.rights.stop();
  });

  it('asks about the same right once, however many are refused at once', async () => {
    const { rights, transport, fail } = setUp();
    await Promise.all([fail(), fail(), fail()]);
    const reviews = transport.requests.filter(({ path }) => path.endsWith('accessreviews'));
    expect(reviews).toHaveLength(1);
    rights.stop();
  });

  it('takes its end for no grant', async () => {
    const bench = setUp();
    await bench.fail();
    bench.answer = () => {
      bench.rights.stop();
      return 'error';
    };
    await bench.clock.advance(60_000);
    expect(bench.log.shown.map(({ message }) => message)).toEqual(['permission missing']);
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
