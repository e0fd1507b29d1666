// Lives here: the traffic that an object declares, as data: the one input of planning, for every kind.
// May import it: src/controllers/my-ingress, src/setup and src/cli.
// Start with: this file, then src/controllers/my-ingress/graph/plan.ts.

import type { MyIngressReason } from '../../../apis/my-ingress-reasons.ts';
import type { awsReasons, MutualTls } from '../../../aws/elbv2/traffic.ts';

export interface Routes {
  readonly backends: readonly RouteBackend[];
  readonly listeners: readonly RouteListener[];
  /** In the order of evaluation. */
  readonly rules: readonly RouteRule[];
  readonly inbound?: Inbound;
}

/** One target group. */
export interface RouteBackend {
  /** Which object it came from; `spec` is the MyIngress itself. */
  readonly source: string;
  readonly name: string;
  readonly service: RouteService;
  readonly targetType: 'ip' | 'instance';
  readonly ipAddressType: 'ipv4' | 'ipv6';
  readonly protocol: 'HTTP' | 'HTTPS';
  readonly protocolVersion: 'HTTP1' | 'HTTP2' | 'GRPC';
  readonly healthCheck: HealthCheck;
  /** Stickiness among them. */
  readonly attributes: Readonly<Record<string, string>>;
}

interface RouteService {
  readonly name: string;
  readonly port: string | number;
  /** Left out: that of the MyIngress. */
  readonly namespace?: string;
}

export interface HealthCheck {
  readonly protocol: 'HTTP' | 'HTTPS';
  /** A number, or `traffic-port`. */
  readonly port: string;
  readonly path: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  /** HTTP codes; for GRPC, gRPC codes. */
  readonly matcher: string;
}

export interface RouteListener {
  readonly port: number;
  readonly protocol: 'HTTP' | 'HTTPS';
  /** The default one first; empty for HTTP. */
  readonly certificates: readonly string[];
  /** The spec names none: they are found by the hosts of its rules. */
  readonly findsCertificates?: boolean;
  /** Why none was found for some host. */
  readonly unresolved?: Unresolved;
  /** Hosts that others attach, for which none was found. */
  readonly uncovered?: readonly string[];
  readonly spare?: Spare;
  readonly sslPolicy?: string;
  /** Left out: nothing is said about it. */
  readonly mutualTls?: MutualTls;
  readonly attributes: Readonly<Record<string, string>>;
  readonly defaultAction: RouteAction;
}

/** Which certificates a listener does not keep while some of its hosts have no valid one. */
export interface Spare {
  /** They cover none of these hosts. */
  readonly arns: readonly string[];
  /** Its default one is replaced as such: the first host has a valid one. */
  readonly isDefault: boolean;
}

/** As a `Problem`, without its subject. */
export interface Unresolved {
  readonly reason: MyIngressReason | keyof typeof awsReasons;
  readonly message: string;
  /** No host of the spec lacks a certificate: a listener that has one serves all that it is to serve. */
  readonly isOfOthers?: boolean;
}

export interface RouteRule extends RouteConditions {
  readonly source: string;
  readonly name: string;
  /** Ports. */
  readonly listeners: readonly number[];
  readonly action: RouteAction;
  readonly rewrite?: RouteRewrite;
}

/** Changes to the request on its way to a backend; an absent part is unchanged. */
export interface RouteRewrite {
  readonly host?: RouteSubstitution;
  /** Of path and query. */
  readonly url?: RouteSubstitution;
}

interface RouteSubstitution {
  readonly regex: string;
  readonly replace: string;
}

/** All given ones must hold; one of the values of each suffices. */
export interface RouteConditions {
  readonly hosts?: readonly string[];
  readonly paths?: readonly string[];
  readonly methods?: readonly string[];
  readonly headers?: readonly RouteHeader[];
  readonly queryStrings?: readonly { readonly key?: string; readonly value: string }[];
  readonly sourceCIDRs?: readonly string[];
}

interface RouteHeader {
  readonly name: string;
  readonly values?: readonly string[];
  /** Instead of values. */
  readonly regex?: string;
}

interface WeightedBackend {
  readonly backend: string;
  readonly weight: number;
}

export type RouteAction =
  | {
      readonly kind: 'forward';
      readonly to: readonly WeightedBackend[];
      readonly stickinessSeconds?: number;
    }
  | ({ readonly kind: 'redirect' } & RouteRedirect)
  | ({ readonly kind: 'fixed-response' } & RouteFixedResponse);

/** An absent part stays as it is in the request. */
export interface RouteRedirect {
  readonly statusCode: 301 | 302;
  readonly protocol?: string;
  readonly host?: string;
  readonly port?: string;
  readonly path?: string;
  readonly query?: string;
}

export interface RouteFixedResponse {
  readonly statusCode: number;
  readonly contentType?: string;
  readonly body?: string;
}

/** Sources of the managed security group. */
export interface Inbound {
  readonly cidrs?: readonly string[];
  readonly prefixListIDs?: readonly string[];
  readonly securityGroupIDs?: readonly string[];
}

/** The source of what the MyIngress itself has in its spec. */
export const OWN_SOURCE = 'spec';

/** The name of a backend among all of one MyIngress: that of the spec, where names have no slash, or with its source. */
export function nameBackend(backend: Pick<RouteBackend, 'source' | 'name'>): string {
  return backend.source === OWN_SOURCE ? backend.name : getBackendKey(backend);
}

/** The inverse of `nameBackend`, as far as that matters: true for a backend of the spec. */
export function isOwnBackend(name: string): boolean {
  return !name.includes('/');
}

/** The reference of an action to a backend. */
export function getBackendKey({ source, name }: Pick<RouteBackend, 'source' | 'name'>): string {
  return `${source}/${name}`;
}

/** Where the actions of listeners, and of rules on a listener, forward to. */
export function listForwards({ listeners, rules }: Routes): readonly WeightedBackend[] {
  const actions = [
    ...listeners.map(({ defaultAction }) => defaultAction),
    ...rules.filter((rule) => rule.listeners.length > 0).map(({ action }) => action),
  ];
  return actions.flatMap((action) => (action.kind === 'forward' ? action.to : []));
}
