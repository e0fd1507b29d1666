// Lives here: the way an Application Load Balancer routes one request, as pure functions.
// May import it: src/controllers/my-ingress/rules, src/cli/ui and localstack/embedded/data-plane. It imports only itself.
// Start with: decide.ts.
// https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-listeners.html

/** All conditions of a rule must hold; the one without any is the listener's default. */
export interface Rule {
  /** 1 to 50000, lowest first; `default` comes last. */
  readonly priority: number | 'default';
  readonly conditions: readonly Condition[];
  readonly action: Action;
  readonly rewrite?: Rewrite;
}

/** Changes to the request on its way to a target; only of a rule that forwards. */
export interface Rewrite {
  readonly host?: Substitution;
  /** Of path and query. */
  readonly url?: Substitution;
}

/** A regular expression of somebody else's and a replacement, carried out by an engine that takes linear time. */
export interface Substitution {
  /** The text with its first match replaced. */
  apply(text: string): string;
}

/** Any of the values suffices. */
export type Condition =
  | { readonly field: TextField; readonly values: readonly string[] }
  | { readonly field: 'source-ip'; readonly values: readonly string[] }
  | { readonly field: 'http-header'; readonly name: string; readonly values: readonly string[] }
  | { readonly field: 'query-string'; readonly values: readonly QueryValue[] }
  | RegexCondition;

export interface RegexCondition {
  readonly field: 'regex';
  /** The host, the path, or this header. */
  readonly of: 'host' | 'path' | { readonly header: string };
  readonly values: readonly Regex[];
}

/** A regular expression of somebody else's, compiled by an engine that takes linear time. */
export interface Regex {
  readonly source: string;
  /** Somewhere in the text. */
  matches(text: string): boolean;
}

export type TextField = 'host-header' | 'path-pattern' | 'http-request-method';

export interface QueryValue {
  /** Left out: any key. */
  readonly key?: string;
  readonly value: string;
}

export type Action =
  | ForwardAction
  | { readonly type: 'redirect'; readonly redirect: Redirect }
  | { readonly type: 'fixed-response'; readonly response: FixedResponse };

export interface ForwardAction {
  readonly type: 'forward';
  readonly targetGroups: readonly WeightedTargetGroup[];
  /** For how long a client stays at the target group that it was sent to first. */
  readonly stickinessSeconds?: number;
}

export interface WeightedTargetGroup {
  readonly arn: string;
  /** 0 to 999. */
  readonly weight: number;
}

/** An absent part stays as it is in the request. */
export interface Redirect {
  readonly statusCode: 301 | 302;
  readonly protocol?: string;
  readonly host?: string;
  readonly port?: string;
  /** Begins with a slash. */
  readonly path?: string;
  readonly query?: string;
}

export interface FixedResponse {
  readonly statusCode: number;
  readonly contentType?: string;
  readonly body?: string;
}

/** The parts of a request that rules evaluate. */
export interface Request {
  readonly protocol: 'HTTP' | 'HTTPS';
  /** The listener's. */
  readonly port: number;
  readonly method: string;
  /** The Host header, with a port if it has one. */
  readonly host: string;
  /** As sent, percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without its question mark. */
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Of the TCP connection, not of X-Forwarded-For. */
  readonly sourceIp: string;
}

/** A Host header without its port. */
export function readHostname(host: string): string {
  return host.replace(/:\d*$/, '');
}
