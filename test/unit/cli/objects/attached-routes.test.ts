import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { type ClusterAccess, noMetrics } from '../../../../src/cli/cluster.ts';
import type { CommandContext } from '../../../../src/cli/command.ts';
import { composeGraph } from '../../../../src/cli/drawing/graph.ts';
import { joinAttachedRoutes } from '../../../../src/cli/objects/attached-routes.ts';
import { growObject } from '../../../../src/cli/objects/grow.ts';
import { findKind } from '../../../../src/cli/objects/kinds.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import type { KubeTransport } from '../../../../src/kube/client/kube-transport.ts';
import { systemClock } from '../../../../src/system-clock.ts';
import { createIngress } from '../ui/shop.ts';

type Objects = readonly object[] | 'forbidden';

/** An API server that answers by path. */
function access(answers: Readonly<Record<string, Objects>>, asked: string[] = []): ClusterAccess {
  const transport: KubeTransport = {
    request: async ({ path }) => {
      asked.push(path);
      const items = answers[path] ?? [];
      const isForbidden = items === 'forbidden';
      const refusal = { kind: 'Status', message: 'may not', reason: 'Forbidden' };
      const body = isForbidden ? refusal : { metadata: {}, items };
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      return {
        status: isForbidden ? 403 : 200,
        headers: {},
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
  };
  const client = new KubeClient({ transport, clock: systemClock, metrics: noMetrics });
  return { client, transport, namespace: 'shop' } as Partial<ClusterAccess> as ClusterAccess;
}

function createApp(namespace: string, name: string): object {
  return {
    metadata: { namespace, name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      expose: { ingress: { name: 'web', namespace: 'shop' }, hosts: [`${name}.example.com`] },
    },
  };
}

const OWN = '/apis/apps.example.com/v1/namespaces/shop/webapps';
const ALL = '/apis/apps.example.com/v1/webapps';
const NAMESPACES = '/api/v1/namespaces';
const DEPLOYMENTS = '/apis/apps/v1/deployments';
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const labelled = { metadata: { name: 'guests', labels: { public: 'true' } } };
const bySelector = {
  allowedNamespaces: { from: 'Selector', selector: { matchLabels: { public: 'true' } } },
} as const;

async function listRules(
  object: MyIngress,
  answers: Readonly<Record<string, Objects>>,
  asked?: string[],
): Promise<readonly string[]> {
  const cluster = access(answers, asked);
  const { signal } = new AbortController();
  const joined = await joinAttachedRoutes(object, { cluster: () => cluster, signal });
  return composeGraph(joined, new Map())
    .boxes.filter(({ column }) => column === 'rule')
    .map(({ name, notes }) => [name, ...notes.filter((note) => note.startsWith('of '))].join(' '))
    .filter((name) => /WebApp|not drawn/.test(name));
}

describe('the drawing of `status -o svg`', () => {
  it('has the rules that other objects attach, as the page has', async () => {
    const asked: string[] = [];
    const rules = await listRules(createIngress(), { [OWN]: [createApp('shop', 'cart')] }, asked);
    expect(rules).toEqual(['4. expose of WebApp/shop/cart']);
    // It asks for no more than the object admits.
    expect(asked.filter((path) => path.endsWith('/webapps'))).toEqual([OWN]);
  });

  it.each([
    { name: 'ALBRIDGE_KINDS', value: 'myingress' },
    { name: 'ALBRIDGE_NAMESPACES', value: 'other' },
  ])('has none that no operator serves, by its $name', async (variable) => {
    const operator = (env: readonly object[]): object => ({
      metadata: { namespace: 'albridge-system', name: 'albridge' },
      spec: { template: { spec: { containers: [{ env }] } } },
    });
    const answers = { [OWN]: [createApp('shop', 'cart')], [REVIEWS]: 'forbidden' } as const;
    const list = (env: readonly object[]): Promise<readonly string[]> =>
      listRules(createIngress(), { ...answers, [DEPLOYMENTS]: [operator(env)] });
    expect(await list([])).toHaveLength(1);
    expect(await list([variable])).toEqual([]);
  });

  it('has none that the tree of `status` lacks', async () => {
    const cluster = access({ [OWN]: [createApp('shop', 'cart')] });
    const context = { cluster: () => cluster, signal: new AbortController().signal };
    const found = { kind: findKind('myingress'), object: createIngress() };
    const tree = JSON.stringify(await growObject(found, context as CommandContext));
    expect(tree).toContain('"rule","name":"expose (of WebApp/shop/cart): hosts cart.example.com');
  });

  it.each([
    { why: 'all may', spec: { allowedNamespaces: { from: 'All' } as const }, namespaces: [] },
    { why: 'its labels are chosen', spec: bySelector, namespaces: [labelled] },
  ])('has those of another namespace where $why', async ({ spec, namespaces }) => {
    const answers = { [ALL]: [createApp('guests', 'cart')], [NAMESPACES]: namespaces };
    expect(await listRules(createIngress('web', spec), answers)).toEqual([
      '4. expose of WebApp/guests/cart',
    ]);
  });

  it('has none of a namespace that is not chosen', async () => {
    const answers = { [ALL]: [createApp('others', 'cart')], [NAMESPACES]: [labelled] };
    expect(await listRules(createIngress('web', bySelector), answers)).toEqual([]);
  });

  it('says how many objects have rules that it lacks, where the caller may not list them', async () => {
    const object = createIngress('web', { allowedNamespaces: { from: 'All' } });
    const attached = ['shop', 'guests'].map((namespace) => {
      return { kind: 'WebApp', namespace, name: 'cart', digest: 'd', reason: 'Attached' };
    });
    const refused = {
      kind: 'WebApp',
      namespace: 'shop',
      name: 'x',
      digest: '-',
      reason: 'HostTaken',
    };
    const status = { ...object.status, attached: [...attached, refused] };
    const answers = { [ALL]: 'forbidden', [OWN]: [createApp('shop', 'cart')] } as const;
    expect(await listRules({ ...object, status }, answers)).toEqual([
      '4. expose of WebApp/shop/cart',
      'rules of 1 object, not drawn',
    ]);
  });
});
