import { type AwsConfig, parseConfig } from '../../config/config.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { KubeError } from '../../kube/client/kube-error.ts';
import { CommandError } from '../errors.ts';
import type { Environment } from '../surroundings.ts';

/** The operator's settings that decide which AWS resources are its own, as far as the caller may read them. */
export interface Installation {
  /** In the ownership tags. */
  readonly clusterId: string;
  /** It is the UID of this cluster's kube-system; or an operator has it, and the caller has named it as well. */
  readonly isProven: boolean;
  readonly aws: AwsConfig;
  /** Sentences about settings of the caller that differ from the operator's. */
  readonly warnings: readonly string[];
}

/** Operators of the cluster by their Deployments, and the UID of kube-system; undefined: not readable. */
export interface ReadSettings {
  readonly operators: readonly Environment[];
  readonly systemUid: string | undefined;
}

/** Throws CommandError where the region or the id of the cluster is not known, or a setting is wrong. */
export async function readInstallation(
  client: KubeClient,
  env: Environment,
  signal: AbortSignal,
): Promise<Installation> {
  const [operators, systemUid] = await Promise.all([
    readOperators(client, signal),
    readSystemUid(client, signal),
  ]);
  return decideInstallation({ operators, systemUid }, env);
}

const CLUSTER_ID = 'ALBRIDGE_CLUSTER_ID';

/** The caller's environment comes first, then the operator's settings; pure. */
export function decideInstallation(read: ReadSettings, env: Environment): Installation {
  const ids = listIds(read);
  const given = readVariable(env, CLUSTER_ID);
  const clusterId = given ?? chooseOnly(ids) ?? (ids.length === 0 ? read.systemUid : undefined);
  if (clusterId === undefined) throw new CommandError(explainNoId(ids));
  const operator = read.operators.find((one) => getId(one, read) === clusterId) ?? {};
  const shared = pick(operator, isShared);
  const own = pick(env, (name) => isShared(name) || OWN.test(name));
  const aws = parseAws({ ...shared, ...own }, clusterId);
  // Whoever may create a Deployment can give it the id of another cluster.
  const isNamed = given === clusterId && ids.includes(clusterId);
  const isProven = clusterId === read.systemUid || isNamed;
  return { clusterId, isProven, aws, warnings: compareRegions(aws, shared) };
}

function getId(operator: Environment, { systemUid }: ReadSettings): string | undefined {
  return readVariable(operator, CLUSTER_ID) ?? systemUid;
}

/** Of all operators of the cluster, each once. */
function listIds(read: ReadSettings): readonly string[] {
  return [...new Set(read.operators.flatMap((operator) => getId(operator, read) ?? []))];
}

function chooseOnly(ids: readonly string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}

function explainNoId(ids: readonly string[]): string {
  if (ids.length > 1) {
    return `operators of this cluster have different ids (${ids.join(', ')}): set ${CLUSTER_ID} to one of them`;
  }
  return (
    'the id of this cluster is not known, since the namespace kube-system cannot be read: ' +
    `set ${CLUSTER_ID} to the one in the operator's log line "working"`
  );
}

/** The settings that decide about AWS; endpoints and proxies are the caller's own alone. */
const SHARED = [
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'ALBRIDGE_BACKEND_SECURITY_GROUPS',
  'ALBRIDGE_CLUSTER_NAME',
  'ALBRIDGE_VPC_ID',
];
const OWN = /^(AWS_ENDPOINT_URL(_\w+)?|https?_proxy|no_proxy)$/i;

function pick(env: Environment, isTaken: (name: string) => boolean): Environment {
  const region = readVariable(env, 'AWS_REGION') ?? readVariable(env, 'AWS_DEFAULT_REGION');
  const entries = Object.keys(env).flatMap((name) => {
    const value = readVariable(env, name);
    return value && isTaken(name) ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(entries), ...(region && { AWS_REGION: region }) };
}

function isShared(name: string): boolean {
  return SHARED.includes(name);
}

function parseAws(env: Environment, clusterId: string): AwsConfig {
  const settings = { ...env, ALBRIDGE_KINDS: 'myingress', [CLUSTER_ID]: clusterId };
  const parsed = parseConfig(settings, { homeDirectory: '/', readText: () => '' });
  if (parsed.kind === 'problems') throw new CommandError(parsed.problems.join('; '));
  if (parsed.config.aws === undefined) throw new Error('the kind myingress needs AWS');
  return parsed.config.aws;
}

function compareRegions({ region }: AwsConfig, operator: Environment): readonly string[] {
  const own = operator['AWS_REGION'];
  if (own === undefined || own === region) return [];
  return [`AWS_REGION is ${region}, the operator works in ${own}`];
}

function readVariable(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** As much of a Deployment as names the settings of its containers. */
export interface Deployment extends KubeObject {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly Container[] } };
  };
}

interface Container {
  readonly env?: readonly Variable[];
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
  };
}

/** One environment for each Deployment of an operator; none where the caller may not read them. */
async function readOperators(
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly Environment[]> {
  const path = '/apis/apps/v1/deployments';
  const query = { labelSelector: 'app.kubernetes.io/name=albridge' };
  const list = await readIfAllowed<{ readonly items: readonly Deployment[] }>(client, {
    path,
    query,
    signal,
  });
  return Promise.all((list?.items ?? []).map((one) => readEnvironment(client, one, signal)));
}

/** The environment of its containers, as far as the caller may read the ConfigMaps that it names. */
export async function readEnvironment(
  client: KubeClient,
  { metadata, spec }: Deployment,
  signal: AbortSignal,
): Promise<Environment> {
  const variables = spec.template.spec.containers.flatMap(({ env = [] }) => env);
  const names = new Set(variables.flatMap((one) => one.valueFrom?.configMapKeyRef?.name ?? []));
  const maps = new Map<string, Environment>();
  for (const name of names) {
    const path = `/api/v1/namespaces/${metadata.namespace}/configmaps/${encodeURIComponent(name)}`;
    const map = await readIfAllowed<{ readonly data?: Environment }>(client, { path, signal });
    maps.set(name, map?.data ?? {});
  }
  const read = ({ name, value, valueFrom }: Variable): readonly [string, string | undefined] => {
    const ref = valueFrom?.configMapKeyRef;
    return [name, ref ? maps.get(ref.name)?.[ref.key] : value];
  };
  return Object.fromEntries(variables.map(read));
}

async function readSystemUid(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const path = '/api/v1/namespaces/kube-system';
  return (await readIfAllowed<KubeObject>(client, { path, signal }))?.metadata.uid;
}

interface Read {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** undefined: the caller may not read it, or it is not there. */
export async function readIfAllowed<T>(client: KubeClient, read: Read): Promise<T | undefined> {
  try {
    return await client.request<T>({ method: 'GET', ...read });
  } catch (error) {
    if (error instanceof KubeError && (error.status === 403 || error.status === 404)) return;
    throw error;
  }
}
