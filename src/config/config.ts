// Lives here: the settings: environment -> one frozen OperatorConfig; the only reader of process.env.
// May import it: src/main.ts; src/setup and src/cli take config.ts.
// Start with: settings.ts, the table of all settings.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { KIND_NAMES, type KindName } from '../apis/kind-names.ts';
import {
  type BudgetLimits,
  DEFAULT_LIMITS,
  NO_LIMITS,
  parseBudgetLimits,
} from '../aws/budget/budget-limits.ts';
import type { Proxy } from '../aws/client/http-handler.ts';
import { deepFreeze, omitUndefined } from '../core/objects/fields.ts';
import type { ClusterSettings } from '../kube/client/cluster-source.ts';
import type { ListenAddress } from '../telemetry/http-server.ts';
import type { LogFormat } from '../telemetry/log-destination.ts';
import type { LogLevel } from '../telemetry/logger.ts';
import { type Setting, settings } from './settings.ts';

/** The operator's environment, checked and frozen. */
export interface OperatorConfig {
  readonly cluster: ClusterSettings;
  /** `observe`: nothing but status is written. */
  readonly mode: 'reconcile' | 'observe';
  readonly kinds: readonly KindName[];
  /** Undefined: no kind needs it. */
  readonly aws?: AwsConfig;
  /** Undefined: the UID of the namespace kube-system. */
  readonly clusterId?: string;
  /** Empty: all of them. */
  readonly namespaces: readonly string[];
  readonly sweepIntervalMs: number;
  /** Pods with the readiness gate are watched, and their gates opened. */
  readonly readinessGates: boolean;
  /** Secrets are watched, for ConfigMonitors that name one. */
  readonly secrets: boolean;
  /** Passes that may run at once, per controller. */
  readonly concurrency: number;
  /** Undefined: not served. */
  readonly metricsAddress?: ListenAddress;
  /** Undefined: not served. */
  readonly healthAddress?: ListenAddress;
  /** Undefined: on in a cluster, off with a kubeconfig. */
  readonly leaderElection?: boolean;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
  readonly pod: { readonly name?: string; readonly namespace?: string };
}

export interface AwsConfig {
  readonly region: string;
  /** Of Elastic Load Balancing. Undefined: AWS's own. */
  readonly endpoint?: string;
  /** Undefined: AWS's own. */
  readonly ec2Endpoint?: string;
  /** Undefined: AWS's own. */
  readonly acmEndpoint?: string;
  readonly proxy?: Proxy;
  readonly budget: BudgetLimits;
  /** Attached next to a managed security group. */
  readonly backendSecurityGroups: readonly string[];
  /** In the tags of subnets. Undefined: the cluster's id. */
  readonly clusterName?: string;
  /** Of the load balancers whose specs name no subnets. Undefined: that of the tagged subnets. */
  readonly vpcId?: string;
}

export type ParsedConfig =
  | { readonly kind: 'config'; readonly config: OperatorConfig }
  /** One sentence for each thing that is wrong, all of them at once. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The inputs of parsing other than the environment. */
export interface Surroundings {
  /** Undefined: there is none. */
  readonly homeDirectory: string | undefined;
  /** Throws if the file cannot be read. */
  readText(path: string): string;
}

/** Reads this process's environment, the only place that does. */
export function loadConfig(): ParsedConfig {
  return parseConfig(process.env, {
    homeDirectory: ensureHomeDirectory(),
    readText: (path) => readFileSync(path, 'utf8'),
  });
}

/**
 * Undefined without HOME, for a user without an entry in the user database: HOME is the one that a container has then,
 * since the AWS SDK fails without one.
 * https://github.com/opencontainers/runc/blob/00a0ecf55423f79e2aea15b5469bde0d538706cd/libcontainer/init_linux.go
 */
export function ensureHomeDirectory(): string | undefined {
  try {
    return homedir();
  } catch {
    process.env['HOME'] = '/';
    return undefined;
  }
}

export function parseConfig(env: Environment, surroundings: Surroundings): ParsedConfig {
  const { values, problems: unacceptable } = readSettings(env);
  const budget = readBudget(values.budget, surroundings);
  const problems = [
    ...unacceptable,
    ...budget.problems,
    ...findContradictions(env, selectKinds(values)),
    ...findUnopenedGates(values),
    ...findUnknownSettings(env),
  ];
  if (problems.length > 0) return { kind: 'problems', problems };
  return { kind: 'config', config: assemble(values, budget.limits, surroundings) };
}

type Settings = typeof settings;
type Values = {
  readonly [Key in keyof Settings]:
    | Exclude<ReturnType<Settings[Key]['parse']>, undefined>
    | (Settings[Key] extends { readonly default: string } ? never : undefined);
};

function readSettings(env: Environment): {
  readonly values: Values;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const read = ({ name, parse, accepts, ...row }: Setting): unknown => {
    const text = readVariable(env, name) ?? row.default;
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) problems.push(`${name}="${hidePassword(text)}": expected ${accepts}`);
    return value;
  };
  const entries = Object.entries<Setting>(settings).map(([key, row]) => [key, read(row)]);
  return { values: Object.fromEntries(entries) as Values, problems };
}

/** A problem ends in the log, and nobody knows where in a broken address the password stops. */
function hidePassword(text: string): string {
  return text.replace(/^(\w+:\/\/)?.*:.*@/, '$1***@');
}

interface Budget {
  readonly limits: BudgetLimits;
  readonly problems: readonly string[];
}

function readBudget(value: string, surroundings: Surroundings): Budget {
  if (value === 'aws') return { limits: DEFAULT_LIMITS, problems: [] };
  if (value === 'off') return { limits: NO_LIMITS, problems: [] };
  const refuse = (problems: readonly string[]): Budget => ({
    limits: DEFAULT_LIMITS,
    problems: problems.map((problem) => `${settings.budget.name}="${value}": ${problem}`),
  });
  try {
    const parsed = parseBudgetLimits(surroundings.readText(value));
    if (parsed.kind === 'problems') return refuse(parsed.problems);
    return { limits: parsed.limits, problems: [] };
  } catch {
    return refuse([`expected ${settings.budget.accepts}; this file cannot be read`]);
  }
}

/** Finds settings that contradict each other. */
function findContradictions(env: Environment, kinds: readonly KindName[]): readonly string[] {
  const isSet = (setting: Setting): boolean => readVariable(env, setting.name) !== undefined;
  const needsAws = kinds.includes('myingress');
  const problems: string[] = [];
  if (needsAws && !isSet(settings.region) && !isSet(settings.defaultRegion)) {
    problems.push(`AWS_REGION is not set: set it to ${settings.region.accepts}`);
  }
  if (kinds.includes('configmap-annotation') && !kinds.includes('configmonitor')) {
    problems.push(
      'ALBRIDGE_KINDS has configmap-annotation without configmonitor: add configmonitor, which ' +
        'restarts the pods of annotated ConfigMaps',
    );
  }
  if (needsAws && isSet(settings.namespaces) && !isSet(settings.clusterId)) {
    problems.push(
      'ALBRIDGE_NAMESPACES is set, ALBRIDGE_CLUSTER_ID is not: a namespaced install cannot read ' +
        'the namespace kube-system, so set the id to a name of this cluster that never changes',
    );
  }
  return problems;
}

/** Finds readiness gates that pods get from a component, and that nobody would open. */
function findUnopenedGates(values: Values): readonly string[] {
  const kinds = selectKinds(values);
  const problems: string[] = [];
  if (values.readinessGates && values.mode === 'observe') {
    problems.push(
      'ALBRIDGE_READINESS_GATES is on while ALBRIDGE_MODE is observe, in which nobody opens the gates of new ' +
        'pods: set the mode to reconcile, or leave out the component readiness-gates',
    );
  }
  if (values.readinessGates && !kinds.includes('myingress')) {
    problems.push(
      'ALBRIDGE_READINESS_GATES is on, and ALBRIDGE_KINDS lacks myingress, which alone opens the gates of new ' +
        'pods: add it, or leave out the component readiness-gates',
    );
  }
  return problems;
}

/**
 * ALBRIDGE_ variables that are not the operator's and harm nothing: what the seed script and the sandbox
 * print for the examples, settings of the tests, and what Kubernetes adds for each Service in the namespace
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
 */
const OTHERS =
  /^ALBRIDGE_((SAME_ZONE_|ARTICLE_)?SUBNETS|SECURITY_GROUPS|VPC|CERTIFICATES|(DOWNLOAD|TEST)_\w+|(\w+_)?SERVICE_(HOST|PORT)(_\w+)?|(\w+_)?PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

function findUnknownSettings(env: Environment): readonly string[] {
  const known = Object.values<Setting>(settings).map((row) => row.name);
  const isServiceLink = (name: string): boolean =>
    name.endsWith('_PORT') && /^(tcp|udp|sctp):/.test(env[name] ?? '');
  return Object.keys(env)
    .filter((name) => name.startsWith('ALBRIDGE_') && !known.includes(name))
    .filter((name) => !OTHERS.test(name) && !isServiceLink(name))
    .map((name) => `${name} is not a setting of albridge; --help lists the settings`);
}

function selectKinds({ kinds = KIND_NAMES }: Values): readonly KindName[] {
  return kinds;
}

function assemble(
  values: Values,
  budget: BudgetLimits,
  surroundings: Surroundings,
): OperatorConfig {
  const { metricsAddress, healthAddress } = values;
  const { homeDirectory } = surroundings;
  return deepFreeze({
    mode: values.mode,
    kinds: selectKinds(values),
    ...omitUndefined({ aws: assembleAws(values, budget) }),
    cluster: omitUndefined({
      serviceHost: values.serviceHost,
      servicePort: String(values.servicePort),
      serviceAccountDir: values.serviceAccountDir,
      kubeconfig: values.kubeconfig,
      defaultKubeconfig: homeDirectory && join(homeDirectory, '.kube', 'config'),
    }),
    namespaces: values.namespaces ?? [],
    sweepIntervalMs: values.sweepInterval,
    readinessGates: values.readinessGates,
    secrets: values.secrets,
    concurrency: values.concurrency,
    ...omitUndefined({
      clusterId: values.clusterId,
      metricsAddress: metricsAddress === 'off' ? undefined : metricsAddress,
      healthAddress: healthAddress === 'off' ? undefined : healthAddress,
      // An observer needs no right on Leases, and keeps nobody from working.
      leaderElection: values.leaderElection ?? (values.mode === 'observe' ? false : undefined),
    }),
    log: { level: values.logLevel, format: values.logFormat },
    pod: omitUndefined({ name: values.podName, namespace: values.podNamespace }),
  });
}

function assembleAws(values: Values, budget: BudgetLimits): AwsConfig | undefined {
  const region = values.region ?? values.defaultRegion;
  if (region === undefined || !selectKinds(values).includes('myingress')) return undefined;
  const proxy =
    values.proxy === undefined ? undefined : { url: values.proxy, except: values.noProxy ?? '' };
  return omitUndefined({
    ...{ region, budget, proxy },
    endpoint: values.elbEndpoint ?? values.endpoint,
    ec2Endpoint: values.ec2Endpoint ?? values.endpoint,
    acmEndpoint: values.acmEndpoint ?? values.endpoint,
    backendSecurityGroups: values.backendSecurityGroups ?? [],
    ...{ clusterName: values.clusterName, vpcId: values.vpcId },
  });
}

/** Undefined where it is unset or blank. */
export function readVariable(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}
