import { text } from 'node:stream/consumers';
import { OUR_KINDS } from '../../../../src/cli/objects/kinds.ts';
import type { Answer, CliPlace } from '../cli-place.ts';

/** A cluster with an operator in each of the namespaces team-a and team-b, which serves that one alone. */
export interface Teams {
  /** AWS accounts of the roles of their ServiceAccounts; undefined: it has none. */
  readonly roles: Readonly<Record<'a' | 'b', string | undefined>>;
  /** AWS accounts of the load balancers that a MyIngress of each holds; undefined: there is none. */
  readonly held?: Readonly<Partial<Record<'a' | 'b', string>>>;
  /** ALBRIDGE_CLUSTER_ID of each, `team-a` and `team-b` by default. */
  readonly id?: string;
  /** Answer to a read of a ServiceAccount, instead of the object; `none`: there is no answer. */
  readonly serviceAccount?: Answer | 'none';
}

/** Its address. */
export async function serveTeams(place: CliPlace, teams: Teams): Promise<string> {
  const address = await place.listen((request, response) => {
    void text(request).then((body) => {
      const answered = answer(request.url ?? '', body, teams);
      if (answered === 'none') return;
      const { status, body: said } = answered;
      response.writeHead(status, { 'content-type': 'application/json' }).end(said);
    });
  });
  return `http://${address}`;
}

function answer(path: string, body: string, teams: Teams): Answer | 'none' {
  if (path.includes('/serviceaccounts/') && teams.serviceAccount) return teams.serviceAccount;
  const [, build] = ANSWERS.find(([pattern]) => pattern.test(path)) ?? [];
  const json = build?.(teams, { path, body }) ?? { metadata: { resourceVersion: '1' }, items: [] };
  return { status: 200, body: JSON.stringify(json) };
}

interface Request {
  readonly path: string;
  readonly body: string;
}

const ANSWERS: readonly (readonly [RegExp, (teams: Teams, request: Request) => object])[] = [
  [/^\/version$/, () => ({ minor: '34', gitVersion: 'v1.34.0' })],
  [/\/kube-system$/, () => ({ kind: 'Namespace', metadata: { name: 'kube-system', uid: 'u0' } })],
  [/subjectaccessreviews$/, (_, { body }) => review(body)],
  [/\/serviceaccounts\//, describeServiceAccount],
  [/\/deployments/, ({ id }) => list([deploy('team-a', id), deploy('team-b', id)])],
  [/\/myingresses/, ({ held = {} }, { path }) => list(listObjects(held, path))],
  [
    /^\/apis\/[^/]+\/[^/]+$/,
    () => ({ resources: OUR_KINDS.map(({ plural: name }) => ({ name })) }),
  ],
];

function list(items: readonly object[]): object {
  return { metadata: { resourceVersion: '1' }, items };
}

/** The caller may do all, each operator what is in its own namespace. */
function review(body: string): object {
  const { user, resourceAttributes } = JSON.parse(body).spec;
  const isOwn = user?.split(':')[2] === resourceAttributes.namespace;
  return { status: { allowed: user === undefined || isOwn } };
}

function describeServiceAccount({ roles }: Teams, { path }: Request): object {
  const account = path.includes('/team-a/') ? roles.a : roles.b;
  const role = `arn:aws:iam::${account}:role/albridge`;
  const annotations = account === undefined ? {} : { 'eks.amazonaws.com/role-arn': role };
  return { metadata: { name: 'albridge', annotations } };
}

function deploy(namespace: string, id = namespace): object {
  const settings = {
    ALBRIDGE_CLUSTER_ID: id,
    ALBRIDGE_NAMESPACES: namespace,
    AWS_REGION: 'us-east-1',
  };
  const env = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const containers = [{ name: 'operator', image: 'albridge:0.0.1', env }];
  return {
    metadata: { name: 'albridge', namespace },
    spec: { template: { spec: { serviceAccountName: 'albridge', containers } } },
  };
}

function listObjects(held: NonNullable<Teams['held']>, path: string): readonly object[] {
  const all = Object.entries(held).map(([team, account]) => {
    const arn = `arn:aws:elasticloadbalancing:us-east-1:${account}:loadbalancer/app/x/0123456789abcdef`;
    const metadata = { name: 'shop', namespace: `team-${team}`, uid: `u-${team}` };
    return { metadata, status: { alb: { arn } } };
  });
  const [, namespace] = /\/namespaces\/([^/]+)/.exec(path) ?? [];
  return all.filter(({ metadata }) => (namespace ?? metadata.namespace) === metadata.namespace);
}
