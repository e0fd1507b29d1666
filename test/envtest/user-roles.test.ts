import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { USER_ROLES } from '../../deploy/user-roles.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import {
  type CustomResourceDefinition,
  type DefinitionName,
  readDefinition,
} from '../unit/crds/custom-resource-definition.ts';
import {
  type ApiRequest,
  callApi,
  createNamespace,
  installDefinition,
  pathOf,
  succeeded,
} from './crd-api.ts';

const ROOT = new URL('../../', import.meta.url);
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const definitions = readdirSync(new URL('crds', ROOT), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => readDefinition(name as DefinitionName));
const kinds = definitions.map((definition) => [definition.spec.names.kind, definition] as const);

/** Each is bound, in one namespace, to the role of Kubernetes that has its name. */
const USERS = ['view', 'edit', 'admin'] as const;
const WRITERS: readonly string[] = ['edit', 'admin'];

let plane: ControlPlane;
/** Where the users are bound, and where they are not. */
let team = '';
let foreign = '';
let codesWithout: readonly number[] = [];

beforeAll(async () => {
  // Aggregation is work of kube-controller-manager.
  plane = await startControlPlane({ controllerManager: true });
  for (const definition of definitions) await installDefinition(plane, definition);
  team = await createNamespace(plane, 'team');
  foreign = await createNamespace(plane, 'foreign');
  for (const user of USERS) await bind(user);
  for (const definition of definitions) {
    await create(definition, team);
    await create(definition, foreign);
  }
  await vi.waitUntil(async () => (await ask('view', readConfigMaps())) === 200, 120_000);
  codesWithout = await Promise.all(
    definitions.map((definition) =>
      ask('admin', { method: 'GET', path: pathOf(definition, team) }),
    ),
  );
  await plane.kubectl(['apply', '-f', new URL(USER_ROLES, ROOT).pathname]);
  await vi.waitUntil(isAggregated, 120_000);
});

afterAll(() => plane?.stop());

async function bind(user: string): Promise<void> {
  const args = ['create', 'rolebinding', user, `--clusterrole=${user}`, `--user=${user}`];
  const { code, stderr } = await plane.kubectl(['-n', team, ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

function readConfigMaps(): ApiRequest {
  return { method: 'GET', path: `/api/v1/namespaces/${team}/configmaps` };
}

/** The example of the kind's article, as `name`. */
function exampleOf({ spec }: CustomResourceDefinition, name: string): object {
  const { kind } = spec.names;
  const prefix = kind === 'MyIngress' ? '' : `${kind.toLowerCase()}-`;
  const text = readFileSync(new URL(`examples/${prefix}01-article.yaml`, ROOT), 'utf8');
  const manifests = parseAllDocuments(text).map((one) => one.toJS() as { readonly kind: string });
  return { ...manifests.find((one) => one.kind === kind), metadata: { name } };
}

/** An object of the administrator's. */
async function create(definition: CustomResourceDefinition, namespace: string): Promise<void> {
  const [path, body] = [pathOf(definition, namespace), exampleOf(definition, 'given')];
  succeeded(await callApi(plane, { method: 'POST', path, body }));
}

async function ask(user: string, call: ApiRequest): Promise<number> {
  return (await callApi(plane, { ...call, as: user })).code;
}

/** True once the API server goes by roles that include ours: that of edit takes in that of view, admin that of edit. */
async function isAggregated(): Promise<boolean> {
  const calls = definitions.flatMap((definition) => {
    const path = pathOf(definition, team);
    const body = exampleOf(definition, 'tried');
    return [
      ...USERS.map((user) => ask(user, { method: 'GET', path })),
      ...WRITERS.map((user) => ask(user, { method: 'POST', path: `${path}?dryRun=All`, body })),
    ];
  });
  return (await Promise.all(calls)).every((code) => code < 300);
}

type Requests = Readonly<Record<string, ApiRequest>>;

const LABELLED = { metadata: { labels: { team: 'shop' } } };
const SCALED = { spec: { replicas: 2 } };
const REPORTED = { status: { observedGeneration: 7 } };

function hasScale({ spec }: CustomResourceDefinition): boolean {
  return spec.versions[0].subresources.scale !== undefined;
}

function reads(definition: CustomResourceDefinition, namespace: string): Requests {
  const [all, one] = [pathOf(definition, namespace), pathOf(definition, namespace, 'given')];
  return {
    list: { method: 'GET', path: all },
    watch: { method: 'GET', path: `${all}?watch=true&timeoutSeconds=1` },
    get: { method: 'GET', path: one },
    'get status': { method: 'GET', path: `${one}/status` },
    ...(hasScale(definition) && { 'get scale': { method: 'GET', path: `${one}/scale` } }),
  };
}

/** In an order in which one user can carry out all of them. */
function writes(definition: CustomResourceDefinition, namespace: string, name: string): Requests {
  const [all, one] = [pathOf(definition, namespace), pathOf(definition, namespace, name)];
  const scale = { method: 'PATCH', path: `${one}/scale`, patch: 'merge', body: SCALED } as const;
  return {
    create: { method: 'POST', path: all, body: exampleOf(definition, name) },
    patch: { method: 'PATCH', path: one, patch: 'merge', body: LABELLED },
    apply: {
      ...{ method: 'PATCH', path: `${one}?fieldManager=user&force=true`, patch: 'apply' },
      body: exampleOf(definition, name),
    },
    ...(hasScale(definition) && { scale }),
    delete: { method: 'DELETE', path: one },
    'delete all': { method: 'DELETE', path: `${all}?labelSelector=team%3Dnobody` },
  };
}

/** What only the operator, or an administrator of the cluster, may do. */
function others(definition: CustomResourceDefinition): Requests {
  const { group, names, versions } = definition.spec;
  const status = `${pathOf(definition, team, 'given')}/status`;
  const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
  return {
    'patch status': { method: 'PATCH', path: status, patch: 'merge', body: REPORTED },
    'put status': { method: 'PUT', path: status, body: exampleOf(definition, 'given') },
    'list of all namespaces': {
      ...{ method: 'GET', path: `/apis/${group}/${versions[0].name}/${names.plural}` },
    },
    'patch of the CRD': { method: 'PATCH', path: crd, patch: 'merge', body: LABELLED },
    'delete of the CRD': { method: 'DELETE', path: crd },
  };
}

/** The codes of all requests, one after the other. */
async function askAll(user: string, calls: Requests): Promise<Readonly<Record<string, number>>> {
  const codes: Record<string, number> = {};
  for (const [what, call] of Object.entries(calls)) codes[what] = await ask(user, call);
  return codes;
}

function expectAll(calls: Requests, code: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.keys(calls).map((what) => [what, code]));
}

/** With its resourceVersion: a write that gets through changes it. */
async function readGiven(definition: CustomResourceDefinition): Promise<readonly object[]> {
  const paths = [team, foreign].map((namespace) => pathOf(definition, namespace, 'given'));
  const answers = await Promise.all(paths.map((path) => callApi(plane, { method: 'GET', path })));
  return answers.map((answer) => succeeded(answer).body.metadata);
}

describe('view, edit and admin of a namespace', () => {
  it('have no right to our kinds without the component', () => {
    expect(codesWithout).toEqual(definitions.map(() => 403));
  });

  it.each(kinds)('with it all three read a %s and its status', async (_kind, definition) => {
    const calls = reads(definition, team);
    const codes = await Promise.all(USERS.map((user) => askAll(user, calls)));
    expect(codes).toEqual(USERS.map(() => expectAll(calls, 200)));
  });

  it.each(kinds)('edit and admin write a %s, view does not', async (_kind, definition) => {
    for (const user of WRITERS) {
      const calls = writes(definition, team, `of-${user}`);
      const codes = { ...expectAll(calls, 200), create: 201 };
      expect({ user, ...(await askAll(user, calls)) }).toEqual({ user, ...codes });
    }
    const before = await readGiven(definition);
    const calls = writes(definition, team, 'given');
    expect(await askAll('view', calls)).toEqual(expectAll(calls, 403));
    expect(await readGiven(definition)).toEqual(before);
  });

  it.each(kinds)(
    'none writes the status or the CRD of a %s, or leaves the namespace',
    async (_kind, definition) => {
      const before = await readGiven(definition);
      const calls = {
        ...others(definition),
        ...reads(definition, foreign),
        ...writes(definition, foreign, 'given'),
      };
      for (const user of USERS) {
        expect({ user, ...(await askAll(user, calls)) }).toEqual({
          user,
          ...expectAll(calls, 403),
        });
      }
      expect(await readGiven(definition)).toEqual(before);
    },
  );

  it('admin grants what it has and no more, edit grants nothing', async () => {
    const path = `${RBAC}/namespaces/${team}/roles`;
    const grant = (name: string, resource: string): ApiRequest => {
      const rule = { apiGroups: ['demo.rtfm.co.ua'], resources: [resource], verbs: ['patch'] };
      return { method: 'POST', path, body: { metadata: { name }, rules: [rule] } };
    };
    expect(await ask('admin', grant('writers', 'myingresses'))).toBe(201);
    expect(await ask('admin', grant('reporters', 'myingresses/status'))).toBe(403);
    expect(await ask('edit', grant('writers-too', 'myingresses'))).toBe(403);
  });

  it('none has a right of the guardrails', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const policy = readFileSync(new URL('deploy/components/guardrails/policy.yaml', ROOT), 'utf8');
    const resources = new Set(
      [...policy.matchAll(/\('guardrails\.albridge\.io'\)\.resource\('(\w+)'\)/g)].map(
        ([, one = '']) => one,
      ),
    );
    expect(resources).toContain('securitygroups');
    const askFor = async (user: string, resource: string): Promise<unknown> => {
      const what = { group: 'guardrails.albridge.io', resource, verb: 'use', namespace: team };
      const body = { spec: { resourceAttributes: what } };
      return succeeded(await callApi(plane, { method: 'POST', path, body, as: user })).body.status;
    };
    const asked = USERS.flatMap((user) => [...resources].map((resource) => askFor(user, resource)));
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ allowed: false })));
  });
});
