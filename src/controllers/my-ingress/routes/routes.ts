// Lives here: the traffic that an object declares, as data: the one input of planning, for every kind.
// May import it: controllers/my-ingress, as far as it is about traffic.
// Start with: this file, then graph/plan.ts.

import type { MutualTls } from '../../../aws/elbv2/traffic.ts';

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
  readonly service: { readonly name: string; readonly port: string | number };
  readonly targetType: 'ip' | 'instance';
  readonly protocol: 'HTTP' | 'HTTPS';
  readonly protocolVersion: 'HTTP1' | 'HTTP2' | 'GRPC';
  readonly healthCheck: HealthCheck;
  /** Stickiness among them. */
  readonly attributes: Readonly<Record<string, string>>;
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
  readonly sslPolicy?: string;
  /** Left out: nothing is said about it. */
  readonly mutualTls?: MutualTls;
  readonly attributes: Readonly<Record<string, string>>;
  readonly defaultAction: RouteAction;
}

export interface RouteRule extends RouteConditions {
  readonly source: string;
  readonly name: string;
  /** Ports. */
  readonly listeners: readonly number[];
  readonly action: RouteAction;
  readonly rewrite?: RouteRewrite;
}

/** What changes on the way to a backend; what is left out stays. */
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

export interface RouteHeader {
  readonly name: string;
  readonly values?: readonly string[];
  /** Instead of values. */
  readonly regex?: string;
}

export type RouteAction =
  | {
      readonly kind: 'forward';
      readonly to: readonly { readonly backend: string; readonly weight: number }[];
      readonly stickinessSeconds?: number;
    }
  | ({ readonly kind: 'redirect' } & RouteRedirect)
  | ({ readonly kind: 'fixed-response' } & RouteFixedResponse);

/** What is left out stays as it is in the request. */
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

/** The reference of an action to a backend. */
export function keyOfBackend({ source, name }: Pick<RouteBackend, 'source' | 'name'>): string {
  return `${source}/${name}`;
}
