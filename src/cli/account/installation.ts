import { type AwsConfig, parseConfig, readVariable } from '../../config/config.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { CommandError, SettingError } from '../errors.ts';
import type { Environment } from '../surroundings.ts';
import { readIfAllowed } from './access.ts';
import {
  CLUSTER_ID,
  type FoundOperators,
  type Operator,
  type OperatorSearch,
  readOperators,
  SHARED,
  servesMyIngress,
} from './operators.ts';

/** The operator's settings that decide which AWS resources are its own, as far as the caller may read them. */
export interface Installation {
  /** In the ownership tags. */
  readonly clusterId: string;
  /**
   * Undefined: it is proved that this is the id of this cluster. Else a sentence that says why it is not, with the
   * next step.
   */
  readonly doubt: string | undefined;
  readonly aws: AwsConfig;
  /** Those that have this id and serve MyIngress; empty: none is known. */
  readonly operators: readonly Operator[];
  /** Those that have another id and serve MyIngress. */
  readonly others: readonly Operator[];
  /** All that serve MyIngress: with this id, another one, or one that is not known. */
  readonly serving: readonly Operator[];
  /** Deployments that may be operators and were not read. */
  readonly leftOut: number;
  /** Sentences about settings of the caller that differ from the operator's, or may. */
  readonly warnings: readonly string[];
}

export interface InstallationSearch extends OperatorSearch {
  readonly env: Environment;
}

/** Throws CommandError where the region or the id of the cluster is not known, or a setting is wrong. */
export async function readInstallation(
  client: KubeClient,
  search: InstallationSearch,
): Promise<Installation> {
  return chooseInstallation(client, search, await readOperators(client, search));
}

/** The same, for operators that are read already. */
export async function chooseInstallation(
  client: KubeClient,
  { env, namespace, signal }: InstallationSearch,
  found: FoundOperators | undefined,
): Promise<Installation> {
  const systemUid = await readSystemUid(client, signal);
  const { operators = [], leftOut } = found ?? {};
  return decideInstallation({ operators, leftOut, systemUid, namespace }, env);
}

export interface ReadSettings {
  readonly operators: readonly Operator[];
  /** Default none. */
  readonly leftOut?: number | undefined;
  /** Of kube-system; undefined: not readable. */
  readonly systemUid: string | undefined;
  /** The one that the caller asks about; undefined: all of them. */
  readonly namespace?: string | undefined;
}

/** The caller's environment comes first, then the operator's settings; pure. */
export function decideInstallation(found: ReadSettings, env: Environment): Installation {
  const operators = found.operators.filter((one) => servesMyIngress(one.env));
  const { leftOut = 0 } = found;
  const read = { ...found, operators };
  const ids = listIds(read);
  const given = readVariable(env, CLUSTER_ID);
  const clusterId = given ?? chooseOnly(ids) ?? (ids.length === 0 ? read.systemUid : undefined);
  if (clusterId === undefined) throw new CommandError(explainNoId(ids));
  const same = operators.filter((one) => getId(one, read) === clusterId);
  const others = operators.filter((one) => (getId(one, read) ?? clusterId) !== clusterId);
  // In either case: https://pkg.go.dev/golang.org/x/net/http/httpproxy#FromEnvironment
  const proxies = { HTTPS_PROXY: env['https_proxy'], NO_PROXY: env['no_proxy'] };
  const own = pick({ ...proxies, ...env }, (name) => isShared(name) || OWN.test(name));
  const settings = same.map(({ env: set }) => set);
  const shared = mergeShared(settings, own);
  const aws = parseAws({ ...shared, ...own }, clusterId);
  const doubt = clusterId === read.systemUid ? undefined : explainDoubt(read, clusterId, given);
  const aboutId = given === undefined ? same.flatMap(explainHidden) : compareIds(given, read);
  const warnings = [...compareRegions(aws, shared), ...aboutId];
  return { clusterId, doubt, aws, operators: same, others, serving: operators, leftOut, warnings };
}

/**
 * An id other than the UID is proved by the operators that work where the caller asks, and by the caller who repeats
 * it: either of them may have it from another cluster. Undefined: it is.
 */
function explainDoubt(
  read: ReadSettings,
  clusterId: string,
  given: string | undefined,
): string | undefined {
  const doubt = `that ${clusterId} is the id of this cluster is not proved`;
  const having = read.operators.filter((one) => getId(one, read) === clusterId);
  if (having.some(({ reach }) => reach === 'unknown')) {
    return `${doubt}: ask a cluster administrator, because only the right to create SubjectAccessReviews lets albridge tell an operator from another Deployment`;
  }
  const working = read.operators.filter((one) => worksIn(one, read.namespace));
  const ids = listIds({ ...read, operators: working });
  if (ids.length > 1) {
    const whose = working.map((one) => `${getId(one, read)} (${one.namespace}/${one.name})`);
    return `${doubt}: operators of this cluster have different ids, ${whose.join(' and ')}; remove the one that is wrong`;
  }
  if (ids[0] === clusterId && given === clusterId) return undefined;
  const [reach] = having.map((one) => one.reach);
  if (ids.length === 0 && Array.isArray(reach)) {
    return `${doubt} in all namespaces, since its operator may work only in ${reach.join(', ')}: give one by -n, and set ${CLUSTER_ID} to the id`;
  }
  if (read.systemUid === undefined && read.operators.length === 0) {
    return `${doubt}: use the kubeconfig of the cluster whose operator has it, with the rights to get the namespace kube-system and to list Deployments in all namespaces, which prove it`;
  }
  return `${doubt}: use the kubeconfig of the cluster whose operator has it, and set ${CLUSTER_ID} to it`;
}

function worksIn({ reach }: Operator, namespace: string | undefined): boolean {
  if (reach === 'everywhere') return true;
  return reach !== 'unknown' && namespace !== undefined && reach.includes(namespace);
}

function getId({ env }: Operator, { systemUid }: ReadSettings): string | undefined {
  return readVariable(env, CLUSTER_ID) ?? systemUid;
}

/** Of all operators, each once. */
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

const OWN = /^(AWS_ENDPOINT_URL(_\w+)?|HTTPS_PROXY|NO_PROXY)$/;

/**
 * Settings that all operators of one id agree on. Where the caller may not ask who is an operator, whoever may create
 * a Deployment can add one: throws CommandError where they differ.
 */
function mergeShared(operators: readonly Environment[], own: Environment): Environment {
  const settings = operators.map((operator) => pick(operator, isShared));
  const agreed = SHARED.flatMap((name) => {
    const values = [...new Set(settings.flatMap((one) => one[name] ?? []))];
    if (values.length > 1 && own[name] === undefined) {
      throw new CommandError(
        `operators of this cluster differ in ${name} (${values.join(', ')}): set it to that of one of them`,
      );
    }
    return values.length === 1 ? [[name, values[0]] as const] : [];
  });
  return Object.fromEntries(agreed);
}

function pick(env: Environment, isTaken: (name: string) => boolean): Environment {
  const region = readVariable(env, 'AWS_REGION') ?? readVariable(env, 'AWS_DEFAULT_REGION');
  const entries = Object.keys(env).flatMap((name) => {
    const value = readVariable(env, name);
    return value && isTaken(name) ? [[name, value] as const] : [];
  });
  const { AWS_DEFAULT_REGION: _, ...rest } = Object.fromEntries(entries);
  return { ...rest, ...(region && { AWS_REGION: region }) };
}

function isShared(name: string): boolean {
  return SHARED.includes(name);
}

function parseAws(env: Environment, clusterId: string): AwsConfig {
  const settings = { ...env, ALBRIDGE_KINDS: 'myingress', [CLUSTER_ID]: clusterId };
  const parsed = parseConfig(settings, { homeDirectory: '/', readText: () => '' });
  if (parsed.kind === 'problems') {
    const said = parsed.problems.join('; ');
    const isRegionMissing = readVariable(env, 'AWS_REGION') === undefined;
    throw isRegionMissing ? new CommandError(said) : new SettingError(said);
  }
  if (parsed.config.aws === undefined) throw new Error('the kind myingress needs AWS');
  return parsed.config.aws;
}

function compareRegions({ region }: AwsConfig, operator: Environment): readonly string[] {
  const own = operator['AWS_REGION'];
  if (own === undefined || own === region) return [];
  return [`AWS_REGION is ${region}, the operator works in ${own}: set it to that, or unset it`];
}

/** With the id of another cluster a plan creates everything, and `orphans` lists nothing. */
function compareIds(given: string, read: ReadSettings): readonly string[] {
  const ids = listIds(read);
  const areKnown = read.operators.every(
    (one) => one.hiddenIn === undefined && getId(one, read) !== undefined,
  );
  if (!areKnown || read.leftOut || ids.length === 0 || ids.includes(given)) return [];
  return [
    `${CLUSTER_ID} is ${given}, the operator has ${ids.join(' or ')}: unset it, or choose its cluster`,
  ];
}

/** It is taken for the default one. */
function explainHidden({ namespace, name, hiddenIn }: Operator): readonly string[] {
  if (hiddenIn === undefined) return [];
  return [
    `you may not read the ConfigMap ${hiddenIn} of the operator ${namespace}/${name}, so that its ${CLUSTER_ID} is not known: ask for the right to get it, or set ${CLUSTER_ID} to the id in the operator's log line "working"`,
  ];
}

/** Of kube-system: the default id of the cluster. Undefined: the caller may not read it. */
export async function readSystemUid(
  client: KubeClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = '/api/v1/namespaces/kube-system';
  return (await readIfAllowed<KubeObject>(client, { path, signal }))?.metadata.uid;
}
