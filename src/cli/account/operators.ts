import { myIngressKind } from '../../apis/my-ingress.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { deploymentKind } from '../../kube/client/built-in-kinds.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { KubeError } from '../../kube/client/kube-error.ts';
import type { Right } from '../../kube/client/rights.ts';
import { OUR_KINDS } from '../objects/kinds.ts';
import { listAll } from '../objects/read.ts';
import type { Environment } from '../surroundings.ts';
import { isAllowed, type ServiceAccountUser, tryIfAllowed } from './access.ts';

/** The operators of a cluster. Everybody who may create a Deployment can give it the label: rights tell which one works. */

export interface Operator {
  readonly namespace: string;
  readonly name: string;
  readonly user: ServiceAccountUser;
  /** Tag of its image; undefined: it has none. */
  readonly version: string | undefined;
  readonly replicas: number;
  /** Of whatever version. */
  readonly readyReplicas: number;
  /** Pods of that version, ready or not. */
  readonly updatedReplicas: number;
  /** All of its pods are of that version. */
  readonly isRolledOut: boolean;
  /** The settings that commands read. */
  readonly env: Environment;
  /** The ConfigMap with its id, where the caller may not read it. */
  readonly hiddenIn?: string;
  /** Where its ServiceAccount may write status; `unknown`: the caller may not ask. */
  readonly reach: 'everywhere' | 'unknown' | readonly string[];
}

export interface FoundOperators {
  readonly operators: readonly Operator[];
  /** With the label, and without the rights. */
  readonly others: readonly Operator[];
  /** Deployments with the label that were not looked at. */
  readonly leftOut: number;
}

export interface OperatorSearch {
  /** The one that the caller asks about; undefined: all of them. */
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
}

/** Undefined: the caller may not list Deployments. */
export async function readOperators(
  client: KubeClient,
  search: OperatorSearch,
): Promise<FoundOperators | undefined> {
  const { signal } = search;
  const listed = { kind: deploymentKind, labelSelector: 'app.kubernetes.io/name=albridge' };
  const all = await tryIfAllowed(() => listAll<Deployment>(client, listed, signal));
  if (all === undefined) return undefined;
  const candidates = chooseCandidates(all);
  const found = await Promise.all(candidates.map((one) => readOperator(client, one, search)));
  return {
    operators: found.filter(({ reach }) => reach.length > 0),
    others: found.filter(({ reach }) => reach.length === 0),
    leftOut: all.length - candidates.length,
  };
}

/** Settings of the operators that serve MyIngress, as far as the caller may read them. */
export async function readServing(
  client: KubeClient,
  search: OperatorSearch,
): Promise<readonly Environment[]> {
  const { operators = [] } = (await readOperators(client, search)) ?? {};
  return operators.map(({ env }) => env).filter(servesMyIngress);
}

/** Of which settings and rights are asked for. */
const MOST_CANDIDATES = 8;

/** The oldest of each namespace, then the second oldest: those of one namespace do not hide that of another. */
function chooseCandidates(all: readonly Deployment[]): readonly Deployment[] {
  const created = ({ metadata }: Deployment): number =>
    Date.parse(metadata.creationTimestamp ?? '') || 0;
  const byAge = all.toSorted((a, b) => created(a) - created(b));
  const groups = [...Map.groupBy(byAge, ({ metadata }) => metadata.namespace).values()];
  const ranked = groups.flatMap((group) => group.map((one, rank) => ({ one, rank })));
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST_CANDIDATES)
    .map(({ one }) => one);
}

async function readOperator(
  client: KubeClient,
  deployment: Deployment,
  search: OperatorSearch,
): Promise<Operator> {
  const { metadata, spec, status } = deployment;
  const { serviceAccountName = 'default', containers } = spec.template.spec;
  const namespace = metadata.namespace ?? '';
  const operator: Omit<Operator, 'reach'> = {
    ...{ namespace, name: metadata.name },
    user: `system:serviceaccount:${namespace}:${serviceAccountName}`,
    version: readTag(containers[0]?.image),
    replicas: spec.replicas ?? 1,
    readyReplicas: status?.readyReplicas ?? 0,
    ...readRollout(deployment),
    ...(await readEnvironment(client, deployment, search.signal)),
  };
  return { ...operator, reach: await readReach(client, operator, search) };
}

/**
 * As kubectl rollout status, but for pods that are not ready. A status of before an edit counts pods of before:
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
function readRollout({
  metadata: { generation = 0 },
  spec: { replicas = 1 },
  status = {},
}: Deployment): Pick<Operator, 'updatedReplicas' | 'isRolledOut'> {
  const isOfSpec = generation <= (status.observedGeneration ?? 0);
  const updatedReplicas = isOfSpec ? (status.updatedReplicas ?? 0) : 0;
  const hasOthers = (status.replicas ?? 0) > updatedReplicas;
  return { updatedReplicas, isRolledOut: updatedReplicas >= replicas && !hasOthers };
}

/** https://github.com/distribution/reference/blob/main/reference.go */
function readTag(image = ''): string | undefined {
  return /:([^:/]+)$/.exec(image.replace(/@.*/, ''))?.[1];
}

/** Of those that it serves, at most as many are asked about. */
export const MOST_NAMESPACES = 8;

async function readReach(
  client: KubeClient,
  { env, namespace, user }: Omit<Operator, 'reach'>,
  { namespace: asked, signal }: OperatorSearch,
): Promise<Operator['reach']> {
  const right = describeWork(env);
  const question = { client, signal, user };
  try {
    if (await isAllowed(right, question)) return 'everywhere';
    const places = [asked, namespace, ...listItems(env['ALBRIDGE_NAMESPACES'])];
    const distinct = [...new Set(places)].filter((place) => place !== undefined);
    const answers = await Promise.all(
      distinct.slice(0, MOST_NAMESPACES).map(async (place) => {
        return (await isAllowed({ ...right, namespace: place }, question)) ? [place] : [];
      }),
    );
    return answers.flat();
  } catch (error) {
    if (error instanceof KubeError && error.status === 403) return 'unknown';
    throw error;
  }
}

/** Rights that every operator of its kinds needs, and nobody else has. */
function describeWork(env: Environment): Right {
  const kinds = listItems(env['ALBRIDGE_KINDS']);
  const served = OUR_KINDS.find(({ kind }) => kinds.includes(kind.toLowerCase()));
  const { group, plural } = servesMyIngress(env) ? myIngressKind : (served ?? myIngressKind);
  return { verb: 'patch', group, resource: plural, subresource: 'status' };
}

export function servesMyIngress(env: Environment): boolean {
  return serves(env, myIngressKind);
}

/** True where an operator with these settings watches the kind in all of these namespaces. */
export function serves(
  env: Environment,
  { kind }: { readonly kind: string },
  namespaces: readonly string[] = [],
): boolean {
  const has = (setting: string, items: readonly string[]): boolean => {
    const list = listItems(env[setting]);
    return list.length === 0 || items.every((item) => list.includes(item));
  };
  return has('ALBRIDGE_KINDS', [kind.toLowerCase()]) && has('ALBRIDGE_NAMESPACES', namespaces);
}

/** It writes nothing to AWS. */
export function isObserver(env: Environment): boolean {
  return env['ALBRIDGE_MODE']?.trim() === 'observe';
}

/** Of a setting with a list; empty: all of them. */
export function listItems(setting: string | undefined): readonly string[] {
  return (setting ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

/** As much of a Deployment as commands read. */
interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly serviceAccountName?: string;
        readonly containers: readonly Container[];
      };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
  };
}

/** As much of a container as commands read. */
export interface Container {
  readonly image?: string;
  readonly env?: readonly Variable[];
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

/** The settings that decide about AWS; endpoints and proxies are the caller's own alone. */
export const SHARED = [
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'ALBRIDGE_BACKEND_SECURITY_GROUPS',
  'ALBRIDGE_CLUSTER_NAME',
  'ALBRIDGE_VPC_ID',
];
export const CLUSTER_ID = 'ALBRIDGE_CLUSTER_ID';

/** The variables of an operator that commands read: another Deployment may have any number of others. */
const READ = [
  ...SHARED,
  CLUSTER_ID,
  'ALBRIDGE_KINDS',
  'ALBRIDGE_LEADER_ELECTION',
  'ALBRIDGE_MODE',
  'ALBRIDGE_NAMESPACES',
];

/**
 * The environment of its containers, the last value of each variable, as far as the caller may read the
 * ConfigMaps that it names.
 */
async function readEnvironment(
  client: KubeClient,
  { metadata, spec }: Deployment,
  signal: AbortSignal,
): Promise<Pick<Operator, 'env' | 'hiddenIn'>> {
  const containers = spec.template.spec.containers.flatMap(({ env = [] }) => env);
  const variables = READ.flatMap((name) => containers.findLast((one) => one.name === name) ?? []);
  const names = new Set(variables.flatMap((one) => one.valueFrom?.configMapKeyRef?.name ?? []));
  const maps = new Map<string, ReadonlyMap<string, string> | undefined>();
  for (const name of names) {
    const path = `/api/v1/namespaces/${metadata.namespace}/configmaps/${encodeURIComponent(name)}`;
    maps.set(name, await readConfigMap(client, path, signal));
  }
  const read = ({ name, value, valueFrom }: Variable): readonly [string, string | undefined] => {
    const { configMapKeyRef: ref, fieldRef } = valueFrom ?? {};
    if (fieldRef?.fieldPath === 'metadata.namespace') return [name, metadata.namespace];
    return [name, ref ? maps.get(ref.name)?.get(ref.key) : value];
  };
  const ofId = variables.find(({ name }) => name === CLUSTER_ID);
  const source = ofId?.valueFrom?.configMapKeyRef?.name;
  const isHidden = source !== undefined && maps.get(source) === undefined;
  return {
    env: Object.fromEntries(variables.map(read)),
    ...(isHidden && { hiddenIn: source }),
  };
}

/** Undefined: the caller may not read it. One that is not there is empty. */
function readConfigMap(
  client: KubeClient,
  path: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  return tryIfAllowed(async () => {
    const map = await client
      .request<{ readonly data?: Fields }>({ method: 'GET', path, signal })
      .catch((error: unknown) => {
        if (error instanceof KubeError && error.status === 404 && !error.isForeign) return;
        throw error;
      });
    return new Map(Object.entries(map?.data ?? {}));
  });
}

type Fields = Readonly<Record<string, string>>;
