import { describe, expect, it } from 'vitest';
import {
  type PlanningParts,
  planManifest,
  readAttaching,
} from '../../../../src/cli/plan/local-plans.ts';
import type { ShownPlan } from '../../../../src/cli/plan/stored-plan.ts';
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

const MANIFEST = {
  ...{ apiVersion: 'demo.rtfm.co.ua/v1alpha1', kind: 'MyIngress', spec: {} },
  metadata: { name: 'shop', namespace: 'web' },
};
const STEPS = ['delete rule'];

function planAs(
  object: object,
  parts: Pick<PlanningParts, 'areWebAppsKnown' | 'operators' | 'serving'>,
): Promise<ShownPlan> {
  const plan = { generation: 1, digest: '', steps: STEPS, omitted: 0 };
  const preview = () => Promise.resolve({ kind: 'planned', plan } as const);
  return planManifest(MANIFEST, { client: connect(() => object), preview, signal, ...parts });
}

it.each([
  {
    why: 'nothing, where a WebApp attaches to the object and WebApps cannot be listed',
    ...{ status: ATTACHED, areWebAppsKnown: false, steps: undefined },
    failure:
      'it cannot be planned: WebApps attach to it (status.attached), and they cannot be listed: install their CRD, or ask for the right to list webapps.apps.example.com in all namespaces',
  },
  {
    why: 'what the operator would do, where WebApps can be listed',
    ...{ status: ATTACHED, areWebAppsKnown: true, steps: STEPS, failure: undefined },
  },
  {
    why: 'what the operator would do, where nothing attaches to the object',
    ...{ status: {}, areWebAppsKnown: false, steps: STEPS, failure: undefined },
  },
])('plans $why', async ({ status, areWebAppsKnown, steps, failure }) => {
  const parts = { areWebAppsKnown, operators: [], serving: [] };
  const shown = await planAs({ ...MANIFEST, status }, parts);
  expect({ steps: shown.plan?.steps, failure: shown.failure }).toEqual({ steps, failure });
});

const AWAY = { ALBRIDGE_NAMESPACES: 'shop' };
const OBSERVING = { ALBRIDGE_MODE: 'observe' };

it.each([
  { why: 'an operator serves it', operators: [{}], notes: [] },
  { why: 'no operator is known', operators: [], notes: [] },
  { why: 'one of two serves it', operators: [AWAY, { ALBRIDGE_NAMESPACES: 'web' }], notes: [] },
  {
    why: 'no operator serves its namespace',
    operators: [AWAY],
    notes: [
      'no operator serves the namespace web: nothing of it is done before ALBRIDGE_NAMESPACES of one has it',
    ],
  },
  {
    why: 'an operator of another id, or one that is not known, serves its namespace',
    operators: [AWAY],
    others: [{ ALBRIDGE_NAMESPACES: 'web' }],
    notes: [
      'the operator of the namespace web has another id, or one that you may not read: set ALBRIDGE_CLUSTER_ID to it for a plan of what it would do',
    ],
  },
  {
    why: 'the operator observes',
    operators: [AWAY, OBSERVING],
    notes: ['the operator is in mode observe (ALBRIDGE_MODE): nothing of it is done'],
  },
  {
    why: 'it is in plan mode itself',
    annotations: { 'albridge.io/mode': 'plan' },
    operators: [{}],
    notes: ['the object is in plan mode: nothing of it is done before albridge.io/mode is removed'],
  },
])(
  'says whether anybody carries a plan out where $why',
  async ({ operators, others = [], notes, ...more }) => {
    const object = { ...MANIFEST, metadata: { ...MANIFEST.metadata, ...more }, status: {} };
    const serving = [...operators, ...others];
    const shown = await planAs(object, { areWebAppsKnown: true, operators, serving });
    expect(shown).toMatchObject({ plan: { steps: STEPS }, notes });
  },
);

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
