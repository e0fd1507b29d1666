import type {
  Inbound,
  RouteBackend,
  RouteConditions,
  RouteFixedResponse,
  RouteRewrite,
} from './routes.ts';

/** The part of a MyIngress's spec that is about traffic; every field may be left out. */
export interface TrafficSpec {
  readonly backends?: readonly BackendSpec[];
  readonly listeners?: readonly ListenerSpec[];
  readonly rules?: readonly RuleSpec[];
  readonly defaultAction?: ActionSpec;
  readonly inbound?: Inbound;
}

/** With the routes that others attach: in memory alone, never in a stored object. */
export interface JoinedSpec extends TrafficSpec {
  readonly attached?: AttachedRoutes;
}

/** Routes of other objects, as far as they are accepted. */
export interface AttachedRoutes {
  readonly backends: readonly AttachedBackend[];
  /** In the order of evaluation. */
  readonly rules: readonly AttachedRule[];
}

export interface AttachedBackend {
  readonly source: string;
  /** Of its Service. */
  readonly namespace: string;
  readonly backend: BackendSpec;
}

export interface AttachedRule {
  readonly source: string;
  readonly rule: RuleSpec;
}

export interface BackendSpec {
  readonly name: string;
  /** Admission refuses a backend without one. */
  readonly service?: RouteBackend['service'];
  readonly targetType?: RouteBackend['targetType'];
  readonly ipAddressType?: RouteBackend['ipAddressType'];
  readonly protocol?: RouteBackend['protocol'];
  readonly protocolVersion?: RouteBackend['protocolVersion'];
  readonly healthCheck?: HealthCheckSpec;
  readonly stickiness?: { readonly durationSeconds: number };
  readonly attributes?: Readonly<Record<string, string>>;
}

interface HealthCheckSpec {
  readonly path?: string;
  readonly intervalSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly healthyThreshold?: number;
  readonly unhealthyThreshold?: number;
  readonly matcher?: string;
}

export interface ListenerSpec {
  readonly port: number;
  readonly protocol: 'HTTP' | 'HTTPS';
  readonly certificates?: readonly string[];
  readonly sslPolicy?: string;
  readonly redirectToHTTPS?: boolean;
  readonly mutualTLS?: MutualTlsSpec;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly defaultAction?: ActionSpec;
}

export interface MutualTlsSpec {
  readonly mode: 'off' | 'passthrough' | 'verify';
  readonly trustStoreARN?: string;
  readonly ignoreExpiry?: boolean;
  readonly advertiseCANames?: boolean;
}

export interface ActionSpec {
  readonly forward?: readonly { readonly backend: string; readonly weight?: number }[];
  readonly redirect?: RedirectSpec;
  readonly fixedResponse?: RouteFixedResponse;
}

interface RedirectSpec {
  readonly statusCode: 301 | 302;
  readonly protocol?: string;
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly query?: string;
}

export interface RuleSpec extends RouteConditions, ActionSpec {
  readonly name: string;
  readonly listeners?: readonly number[];
  readonly rewrite?: RouteRewrite;
}
