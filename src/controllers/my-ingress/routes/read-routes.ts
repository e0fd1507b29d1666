import type { MutualTls } from '../../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import {
  type HealthCheck,
  keyOfBackend,
  type RouteAction,
  type RouteBackend,
  type RouteListener,
  type RouteRule,
  type Routes,
} from './routes.ts';
import type {
  ActionSpec,
  BackendSpec,
  ListenerSpec,
  MutualTlsSpec,
  RuleSpec,
  TrafficSpec,
} from './traffic-spec.ts';

const SOURCE = 'spec';

/** The routes of a spec, with every default written; pure. Without backends and listeners there are none. */
export function readRoutes(spec: TrafficSpec): Routes {
  const backends = (spec.backends ?? []).flatMap(readBackend);
  const listeners = readListeners(spec);
  const taking = listeners.filter(({ redirectToHTTPS }) => redirectToHTTPS !== true);
  const ports = taking.map(({ port }) => port);
  const sticky = stickinessByBackend(spec);
  return {
    backends,
    listeners: listeners.map((listener) => readListener(listener, { spec, listeners, sticky })),
    rules: (spec.rules ?? []).map((rule) => readRule(rule, ports, sticky)),
    ...omitUndefined({ inbound: spec.inbound }),
  };
}

function readListeners({ backends = [], listeners = [] }: TrafficSpec): readonly ListenerSpec[] {
  if (listeners.length > 0 || backends.length === 0) return listeners;
  return [{ port: 80, protocol: 'HTTP' }];
}

function readBackend(spec: BackendSpec): readonly RouteBackend[] {
  const { name, service, stickiness, protocol = 'HTTP', protocolVersion = 'HTTP1' } = spec;
  if (service === undefined) return [];
  const cookie: Readonly<Record<string, string>> =
    stickiness === undefined
      ? {}
      : {
          'stickiness.enabled': 'true',
          'stickiness.type': 'lb_cookie',
          'stickiness.lb_cookie.duration_seconds': String(stickiness.durationSeconds),
        };
  return [
    {
      ...{ source: SOURCE, name, service, protocol, protocolVersion },
      targetType: spec.targetType ?? 'ip',
      healthCheck: readHealthCheck(spec),
      attributes: { ...cookie, ...spec.attributes },
    },
  ];
}

/**
 * All of it is written, because AWS's own texts differ on the timeout: 6 s in the API's, 5 s in the guide's.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
function readHealthCheck(spec: BackendSpec): HealthCheck {
  const { healthCheck = {}, protocol = 'HTTP', protocolVersion } = spec;
  const isGrpc = protocolVersion === 'GRPC';
  return {
    ...{ protocol, port: 'traffic-port', path: isGrpc ? '/AWS.ALB/healthcheck' : '/' },
    ...{ intervalSeconds: 15, timeoutSeconds: 5, healthyThreshold: 2, unhealthyThreshold: 2 },
    matcher: isGrpc ? '12' : '200',
    ...omitUndefined(healthCheck),
  };
}

type Stickiness = ReadonlyMap<string, number>;

/**
 * A forward among several backends of which one is sticky must be sticky itself.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html
 */
function stickinessByBackend({ backends = [] }: TrafficSpec): Stickiness {
  return new Map(
    backends.flatMap(({ name, stickiness }) =>
      stickiness === undefined ? [] : [[name, stickiness.durationSeconds] as const],
    ),
  );
}

interface ListenerContext {
  readonly spec: TrafficSpec;
  readonly listeners: readonly ListenerSpec[];
  readonly sticky: Stickiness;
}

function readListener(listener: ListenerSpec, context: ListenerContext): RouteListener {
  const { port, protocol, certificates = [], sslPolicy, attributes = {} } = listener;
  const mutualTls = listener.mutualTLS && readMutualTls(listener.mutualTLS);
  return {
    ...{ port, protocol, certificates, attributes },
    defaultAction: readDefaultAction(listener, context),
    ...omitUndefined({ sslPolicy, mutualTls }),
  };
}

function readMutualTls({ mode, ...verification }: MutualTlsSpec): MutualTls {
  if (mode !== 'verify') return { mode };
  const { trustStoreARN = '', ignoreExpiry = false, advertiseCANames = false } = verification;
  return {
    ...{ mode, trustStore: trustStoreARN },
    ...{ ignoresExpiry: ignoreExpiry, advertisesCaNames: advertiseCANames },
  };
}

function readDefaultAction(
  { redirectToHTTPS, defaultAction }: ListenerSpec,
  { spec, listeners, sticky }: ListenerContext,
): RouteAction {
  if (redirectToHTTPS === true) return redirectTo(listeners);
  const asked = defaultAction ?? spec.defaultAction ?? forwardToOnly(spec);
  return readAction(asked, sticky) ?? { kind: 'fixed-response', statusCode: 404 };
}

/** On 443 where there is such a listener, else on the lowest port that has one. */
function redirectTo(listeners: readonly ListenerSpec[]): RouteAction {
  const ports = listeners.filter(({ protocol }) => protocol === 'HTTPS').map(({ port }) => port);
  const port = ports.includes(443) || ports.length === 0 ? 443 : Math.min(...ports);
  return { kind: 'redirect', statusCode: 301, protocol: 'HTTPS', port: String(port) };
}

function forwardToOnly({ backends = [] }: TrafficSpec): ActionSpec {
  const [only] = backends;
  return backends.length === 1 && only !== undefined ? { forward: [{ backend: only.name }] } : {};
}

/** `takers` are the ports of the listeners that do not redirect to HTTPS. */
function readRule(spec: RuleSpec, takers: readonly number[], sticky: Stickiness): RouteRule {
  const { name, listeners, forward, redirect, fixedResponse, ...conditions } = spec;
  const asked = omitUndefined({ forward, redirect, fixedResponse });
  return {
    ...conditions,
    ...{ source: SOURCE, name },
    listeners: takers.filter((port) => listeners === undefined || listeners.includes(port)),
    action: readAction(asked, sticky) ?? { kind: 'fixed-response', statusCode: 404 },
  };
}

function readAction(
  { forward, redirect, fixedResponse }: ActionSpec,
  sticky: Stickiness,
): RouteAction | undefined {
  if (forward !== undefined) return readForward(forward, sticky);
  if (fixedResponse !== undefined) return { kind: 'fixed-response', ...fixedResponse };
  if (redirect === undefined) return undefined;
  const { port, ...parts } = redirect;
  const text = port === undefined ? {} : { port: String(port) };
  return { kind: 'redirect', ...parts, ...text };
}

function readForward(forward: NonNullable<ActionSpec['forward']>, sticky: Stickiness): RouteAction {
  const seconds = forward.flatMap(({ backend }) => sticky.get(backend) ?? []);
  const isSticky = forward.length > 1 && seconds.length > 0;
  return {
    kind: 'forward',
    to: forward.map(({ backend, weight = 1 }) => ({
      backend: keyOfBackend({ source: SOURCE, name: backend }),
      weight,
    })),
    ...(isSticky && { stickinessSeconds: Math.max(...seconds) }),
  };
}
