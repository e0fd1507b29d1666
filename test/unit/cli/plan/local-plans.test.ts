import { describe, expect, it } from 'vitest';
import { planManifest, readAttaching } from '../../../../src/cli/plan/local-plans.ts';
import type { Environment } from '../../../../src/cli/surroundings.ts';
import type { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { KubeError } from '../../../../src/kube/client/kube-error.ts';

const signal = new AbortController().signal;

interface Asked {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

function connect(answer: (asked: Asked) => object): KubeClient {
  return { request: async (asked: Asked) => answer(asked) } as unknown as KubeClient;
}

const ATTACHED = { attached: [{ kind: 'WebApp', namespace: 'apps', name: 'blog' }] };

const ITEMS = ['a', 'b', 'c'].map((name) => ({ metadata: { name } }));

it('reads the objects that attach routes page by page', async () => {
  const client = connect(({ query = {} }) => {
    const from = Number(query['continue'] ?? 0);
    const end = query['limit'] === undefined ? ITEMS.length : from + 1;
    const token = end < ITEMS.length ? `${end}` : '';
    return { items: ITEMS.slice(from, end), metadata: { continue: token } };
  });
  const pages: Asked[] = [];
  const counting = connect((asked) => {
    pages.push(asked);
    return client.request(asked as never);
  });
  const { webApps, namespaces, warnings } = await readAttaching(counting, [], signal);
  expect(webApps).toEqual(ITEMS);
  expect(namespaces).toEqual(ITEMS);
  expect(warnings).toEqual([]);
  expect(pages).toHaveLength(6);
});

it('goes on without those that the caller may not list, and says so', async () => {
  const client = connect(() => {
    throw new KubeError({ status: 403, message: 'forbidden', reason: 'Forbidden' });
  });
  const { webApps, areWebAppsKnown, namespaces, warnings } = await readAttaching(
    client,
    [],
    signal,
  );
  expect({ webApps, areWebAppsKnown, namespaces }).toEqual({ webApps: [], areWebAppsKnown: false });
  expect(warnings).toEqual([expect.stringMatching(/^WebApps cannot be listed/)]);
});

it.each([
  {
    why: 'nothing, where a WebApp attaches to the object and WebApps cannot be listed',
    ...{ status: ATTACHED, areWebAppsKnown: false, steps: undefined },
    failure:
      'it cannot be planned: WebApps attach to it (status.attached), and they cannot be listed: install their CRD, or ask for the right to list webapps.apps.example.com in all namespaces',
  },
  {
    why: 'what the operator would do, where WebApps can be listed',
    ...{ status: ATTACHED, areWebAppsKnown: true, steps: ['delete rule'], failure: undefined },
  },
  {
    why: 'what the operator would do, where nothing attaches to the object',
    ...{ status: {}, areWebAppsKnown: false, steps: ['delete rule'], failure: undefined },
  },
])('plans $why', async ({ status, areWebAppsKnown, steps, failure }) => {
  const metadata = { name: 'shop', namespace: 'web' };
  const manifest = {
    apiVersion: 'demo.rtfm.co.ua/v1alpha1',
    kind: 'MyIngress',
    metadata,
    spec: {},
  };
  const client = connect(() => ({ ...manifest, status }));
  const plan = { generation: 1, digest: '', steps: ['delete rule'], omitted: 0 };
  const preview = () => Promise.resolve({ kind: 'planned', plan } as const);
  const shown = await planManifest(manifest, { client, preview, signal, areWebAppsKnown });
  expect({ steps: shown.plan?.steps, failure: shown.failure }).toEqual({ steps, failure });
});

describe('WebApps that attach routes', () => {
  const webApp = (place: string, namespace?: string): object => ({
    metadata: { name: 'blog', namespace: place },
    spec: { expose: { ingress: { name: 'shop', ...(namespace && { namespace }) } } },
  });
  const WEB_APPS = [webApp('web'), webApp('apps', 'web'), webApp('apps')];
  const client = connect(({ path }) => ({
    items: path.endsWith('/webapps') ? WEB_APPS : ITEMS,
    metadata: {},
  }));
  const WEB = { ALBRIDGE_NAMESPACES: 'web' };

  it.each([
    { why: 'all, where no operator is known', operators: [], seen: [0, 1, 2] },
    { why: 'all, where one has no list', operators: [WEB, {}], seen: [0, 1, 2] },
    { why: 'those of its kinds', operators: [{ ALBRIDGE_KINDS: 'myingress' }], seen: [] },
    { why: 'those in its namespaces', operators: [WEB], seen: [0] },
    {
      why: 'those that one operator serves together with their MyIngress',
      operators: [WEB, { ALBRIDGE_NAMESPACES: 'apps' }],
      seen: [0, 2],
    },
    { why: 'between them', operators: [{ ALBRIDGE_NAMESPACES: 'web, apps' }], seen: [0, 1, 2] },
  ])('are those that an operator serves: $why', async ({ operators, seen }) => {
    const { webApps, areWebAppsKnown } = await readAttaching(client, operators, signal);
    expect(webApps).toEqual(seen.map((index) => WEB_APPS[index]));
    expect(areWebAppsKnown).toBe(true);
  });

  it('are none, and known, where the operator serves none and the caller may not list them', async () => {
    const refusing = connect(() => {
      throw new KubeError({ status: 403, message: 'forbidden', reason: 'Forbidden' });
    });
    const operators = [{ ALBRIDGE_KINDS: 'myingress,myapp' }];
    const { webApps, areWebAppsKnown, warnings } = await readAttaching(refusing, operators, signal);
    expect({ webApps, areWebAppsKnown, warnings }).toEqual({
      ...{ webApps: [], areWebAppsKnown: true, warnings: [] },
    });
  });

  it('are chosen by labels of namespaces only where an operator may read those', async () => {
    const labelsFor = async (...operators: readonly Environment[]): Promise<unknown> =>
      (await readAttaching(client, operators, signal)).namespaces;
    expect(await labelsFor(WEB)).toBeUndefined();
    expect(await labelsFor(WEB, {})).toEqual(ITEMS);
  });
});
