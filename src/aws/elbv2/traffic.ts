/**
 * Target groups, targets, listeners and rules: AWS's shapes, flattened, and what a controller asks of
 * AWS about them. Every method pays from the budget, is retried where a retry can help, and throws
 * OperatorError with a reason of AWS or of the process. Reads take the pass's signal; writes do not:
 * once sent, a write is seen through. undefined, and a deletion that succeeds, mean that AWS answered
 * that the resource does not exist.
 */

export { awsReasons } from '../client/aws-reasons.ts';
export { findQuota, type QuotaCode } from '../client/quotas.ts';

export type Tags = Readonly<Record<string, string>>;

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetGroup.html */
export interface TargetGroup {
  readonly arn: string;
  readonly name: string;
  readonly targetType: string;
  readonly protocol: string;
  readonly protocolVersion: string;
  readonly port: number;
  readonly vpcId: string;
  readonly ipAddressType: string;
  readonly healthCheck: HealthCheck;
  /** Empty: no action names it. */
  readonly loadBalancerArns: readonly string[];
}

export interface HealthCheck {
  readonly protocol: string;
  /** A number, or `traffic-port`. */
  readonly port: string;
  readonly path: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  /** HTTP codes; of a group of protocol version GRPC, gRPC codes. */
  readonly matcher: string;
}

export type TargetGroupSettings = Omit<TargetGroup, 'arn' | 'loadBalancerArns'> & {
  readonly tags: Tags;
};

export interface Target {
  /** An address in its canonical form, or the id of an instance. */
  readonly id: string;
  readonly port: number;
  /** Of an address outside the VPC, `all` or a zone. */
  readonly zone?: string;
}

/** An IPv6 address in the short form of RFC 5952, so that two spellings are one target; all else as it is. */
export function normaliseAddress(address: string): string {
  if (!address.includes(':') || !URL.canParse(`http://[${address}]`)) return address;
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** `state`: initial | healthy | unhealthy | unused | draining | unavailable. */
export interface TargetHealth extends Target {
  readonly state: string;
  readonly reason?: string;
  readonly description?: string;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Listener.html */
export interface Listener {
  readonly arn: string;
  readonly loadBalancerArn: string;
  readonly port: number;
  readonly protocol: string;
  readonly sslPolicy?: string;
  /** The default one alone, but where `Listeners.listCertificates` has read them all: the default first. */
  readonly certificates: readonly string[];
  /** Left out: off. */
  readonly mutualTls?: MutualTls;
  readonly defaultActions: readonly Action[];
}

/** Certificates of clients. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_MutualAuthenticationAttributes.html */
export type MutualTls =
  | { readonly mode: 'off' | 'passthrough' }
  | {
      readonly mode: 'verify';
      /** Its ARN. */
      readonly trustStore: string;
      readonly ignoresExpiry: boolean;
      readonly advertisesCaNames: boolean;
    };

export interface ListenerSettings {
  readonly port: number;
  readonly protocol: string;
  readonly sslPolicy?: string;
  /** The default one. */
  readonly certificate?: string;
  readonly mutualTls?: MutualTls;
  readonly defaultAction: KnownAction;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Rule.html */
export interface Rule {
  readonly arn: string;
  readonly priority: number | 'default';
  readonly conditions: readonly Condition[];
  readonly actions: readonly Action[];
  readonly transforms: readonly Transform[];
}

export interface RuleSettings {
  readonly priority: number;
  readonly conditions: readonly KnownCondition[];
  readonly action: KnownAction;
  /** All of them; left out in a change, they stay. */
  readonly transforms?: readonly KnownTransform[];
}

export type Transform = KnownTransform | { readonly kind: 'unknown'; readonly type: string };

/** Of the host, or of path and query. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-transforms.html */
export interface KnownTransform {
  readonly kind: 'host' | 'url';
  readonly regex: string;
  readonly replace: string;
}

export type Action = KnownAction | { readonly kind: 'unknown'; readonly type: string };

export type KnownAction = ForwardAction | RedirectAction | FixedResponseAction;

export interface ForwardAction {
  readonly kind: 'forward';
  readonly targetGroups: readonly { readonly arn: string; readonly weight: number }[];
  readonly stickinessSeconds?: number;
}

/** An absent part is AWS's placeholder: the request keeps it. */
export interface RedirectAction {
  readonly kind: 'redirect';
  readonly statusCode: number;
  readonly protocol?: string;
  readonly host?: string;
  readonly port?: string;
  readonly path?: string;
  readonly query?: string;
}

export interface FixedResponseAction {
  readonly kind: 'fixed-response';
  readonly statusCode: number;
  readonly contentType?: string;
  readonly body?: string;
}

export type Condition = KnownCondition | { readonly field: 'unknown'; readonly type: string };

export type KnownCondition = ValuesCondition | HeaderCondition | QueryCondition;

interface ValuesCondition {
  readonly field: 'host-header' | 'path-pattern' | 'http-request-method' | 'source-ip';
  readonly values: readonly string[];
}

interface HeaderCondition {
  readonly field: 'http-header';
  readonly name: string;
  readonly values: readonly string[];
  /** The values are regular expressions. */
  readonly isRegex?: true;
}

interface QueryCondition {
  readonly field: 'query-string';
  readonly values: readonly { readonly key?: string; readonly value: string }[];
}

export interface TargetGroups {
  /** One call for up to 20 names; those that do not exist are left out. */
  find(names: readonly string[], signal: AbortSignal): Promise<readonly TargetGroup[]>;
  /** Those that an action of the balancer names; empty where the balancer is gone. */
  listForBalancer(loadBalancerArn: string, signal: AbortSignal): Promise<readonly TargetGroup[]>;
  readAttributes(arn: string, signal: AbortSignal): Promise<Tags | undefined>;
  /**
   * May answer with an existing group of the same name and settings, whoever owns it; throws reason
   * DuplicateTargetGroupName where the settings differ.
   */
  create(settings: TargetGroupSettings): Promise<TargetGroup>;
  setHealthCheck(arn: string, healthCheck: HealthCheck, protocolVersion: string): Promise<void>;
  setAttributes(arn: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  /** Throws reason StillInUse while an action names it. */
  delete(arn: string): Promise<void>;
}

/** Both writes may be repeated, and take 200 targets a call; `signal` ends one that is not sent yet. */
export interface Targets {
  /** Draining ones are included. */
  readHealth(
    targetGroupArn: string,
    signal: AbortSignal,
  ): Promise<readonly TargetHealth[] | undefined>;
  register(arn: string, targets: readonly Target[], signal?: AbortSignal): Promise<void>;
  deregister(arn: string, targets: readonly Target[], signal?: AbortSignal): Promise<void>;
}

export interface Listeners {
  list(loadBalancerArn: string, signal: AbortSignal): Promise<readonly Listener[] | undefined>;
  /** All, the default one first, and once more where it was also added. */
  listCertificates(
    listenerArn: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined>;
  readAttributes(listenerArn: string, signal: AbortSignal): Promise<Tags | undefined>;
  create(loadBalancerArn: string, settings: ListenerSettings & { tags: Tags }): Promise<Listener>;
  /** Changes what is given. */
  modify(listenerArn: string, changes: Partial<ListenerSettings>): Promise<void>;
  setAttributes(listenerArn: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  addCertificate(listenerArn: string, certificate: string): Promise<void>;
  removeCertificate(listenerArn: string, certificate: string): Promise<void>;
  delete(listenerArn: string): Promise<void>;
}

export interface Rules {
  /** The default rule is the last one. */
  list(listenerArn: string, signal: AbortSignal): Promise<readonly Rule[] | undefined>;
  create(listenerArn: string, settings: RuleSettings & { tags: Tags }): Promise<Rule>;
  /** Changes what is given. */
  modify(ruleArn: string, changes: Partial<Omit<RuleSettings, 'priority'>>): Promise<void>;
  /** All moves in one change of the data plane; AWS judges the order that results. */
  setPriorities(
    priorities: readonly { readonly arn: string; readonly priority: number }[],
  ): Promise<void>;
  delete(ruleArn: string): Promise<void>;
}

/** Tags of balancers, listeners, rules and target groups alike. */
export interface ResourceTags {
  /** Asked together within a moment, 20 resources of any kind are one call. */
  read(arn: string, signal: AbortSignal): Promise<Tags | undefined>;
  /** Of up to 20 resources; AWS may refuse all of them because of one. */
  add(arns: readonly string[], tags: Tags): Promise<void>;
  remove(arns: readonly string[], keys: readonly string[]): Promise<void>;
}
