import type { MutualTls } from '../../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import {
  getBackendKey,
  type HealthCheck,
  OWN_SOURCE,
  type RouteAction,
  type RouteBackend,
  type RouteListener,
  type RouteRule,
  type Routes,
} from './routes.ts';
import type {
  ActionSpec,
  AttachedBackend,
  AttachedRule,
  BackendSpec,
  JoinedSpec,
  ListenerSpec,
  MutualTlsSpec,
  RuleSpec,
  TrafficSpec,
} from './traffic-spec.ts';

/** The routes of a spec, with every default written; pure. Without backends and listeners there are none. */
export function readRoutes(spec: JoinedSpec): Routes {
  const { attached } = spec;
  const backends = (spec.backends ?? []).flatMap((backend) => readBackend(backend, OWN_SOURCE));
  const listeners = readListeners(spec);
  const ports = listTakers(listeners);
  const sticky = mapStickiness(spec);
  const context = { source: OWN_SOURCE, ports, sticky };
  return {
    backends: [...backends, ...(attached?.backends ?? []).flatMap(readAttachedBackend)],
    listeners: listeners.map((listener) => readListener(listener, { spec, listeners, sticky })),
    rules: [
      ...(spec.rules ?? []).map((rule) => readRule(rule, context)),
      ...(attached?.rules ?? []).map(({ rule, source }) => readRule(rule, { ...context, source })),
    ],
    ...omitUndefined({ inbound: spec.inbound }),
  };
}

/** The rule of another object on these ports; without any it is on no listener. */
export function readAttachedRule(
  { rule, source }: AttachedRule,
  ports: readonly number[],
): RouteRule {
  return readRule(rule, { source, ports, sticky: new Map() });
}

/** Ports of the listeners that take the rules of other objects. */
export function listAttachedPorts(spec: TrafficSpec): readonly number[] {
  return listTakers(readListeners(spec));
}

function readAttachedBackend(attached: AttachedBackend): readonly RouteBackend[] {
  const { backend, namespace, source } = attached;
  return readBackend(backend, source).map((route) => ({
    ...route,
    service: { ...route.service, namespace },
  }));
}

/** Ports of the listeners that do not redirect to HTTPS. */
function listTakers(listeners: readonly ListenerSpec[]): readonly number[] {
  const taking = listeners.filter(({ redirectToHTTPS }) => redirectToHTTPS !== true);
  return taking.map(({ port }) => port);
}

function readListeners({ backends = [], listeners = [] }: TrafficSpec): readonly ListenerSpec[] {
  if (listeners.length > 0 || backends.length === 0) return listeners;
  return [{ port: 80, protocol: 'HTTP' }];
}

function readBackend(spec: BackendSpec, source: string): readonly RouteBackend[] {
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
      ...{ source, name, service, protocol, protocolVersion },
      targetType: spec.targetType ?? 'ip',
      ipAddressType: spec.ipAddressType ?? 'ipv4',
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

/** By `getBackendKey`. */
type Stickiness = ReadonlyMap<string, number>;

/**
 * A forward among several backends of which one is sticky must be sticky itself.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html
 */
function mapStickiness({ attached, backends = [] }: JoinedSpec): Stickiness {
  const own = backends.map((backend) => ({ source: OWN_SOURCE, backend }));
  return new Map(
    [...own, ...(attached?.backends ?? [])].flatMap(({ source, backend: { name, stickiness } }) =>
      stickiness === undefined
        ? []
        : [[getBackendKey({ source, name }), stickiness.durationSeconds] as const],
    ),
  );
}

interface ListenerContext {
  readonly spec: TrafficSpec;
  readonly listeners: readonly ListenerSpec[];
  readonly sticky: Stickiness;
}

function readListener(listener: ListenerSpec, context: ListenerContext): RouteListener {
  const { port, protocol, certificates, sslPolicy, attributes = {} } = listener;
  const findsCertificates = protocol === 'HTTPS' && certificates === undefined;
  const mutualTls = listener.mutualTLS && readMutualTls(listener.mutualTLS);
  return {
    ...{ port, protocol, certificates: certificates ?? [], attributes },
    ...(findsCertificates && { findsCertificates }),
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
  if (redirectToHTTPS === true) return desireRedirect(listeners);
  const asked = defaultAction ?? spec.defaultAction ?? desireForward(spec);
  const context = { source: OWN_SOURCE, sticky };
  return readAction(asked, context) ?? { kind: 'fixed-response', statusCode: 404 };
}

/** On 443 where there is such a listener, else on the lowest port that has one. */
function desireRedirect(listeners: readonly ListenerSpec[]): RouteAction {
  const ports = listeners.filter(({ protocol }) => protocol === 'HTTPS').map(({ port }) => port);
  const port = ports.includes(443) || ports.length === 0 ? 443 : Math.min(...ports);
  return { kind: 'redirect', statusCode: 301, protocol: 'HTTPS', port: String(port) };
}

function desireForward({ backends = [] }: TrafficSpec): ActionSpec {
  const [only] = backends;
  return backends.length === 1 && only !== undefined ? { forward: [{ backend: only.name }] } : {};
}

interface RuleContext {
  readonly source: string;
  /** Of the listeners that take rules. */
  readonly ports: readonly number[];
  readonly sticky: Stickiness;
}

function readRule(spec: RuleSpec, { ports, ...context }: RuleContext): RouteRule {
  const { name, listeners, forward, redirect, fixedResponse, ...conditions } = spec;
  const asked = omitUndefined({ forward, redirect, fixedResponse });
  return {
    ...conditions,
    ...{ source: context.source, name },
    listeners: ports.filter((port) => listeners === undefined || listeners.includes(port)),
    action: readAction(asked, context) ?? { kind: 'fixed-response', statusCode: 404 },
  };
}

type ActionContext = Pick<RuleContext, 'source' | 'sticky'>;

function readAction(
  { forward, redirect, fixedResponse }: ActionSpec,
  context: ActionContext,
): RouteAction | undefined {
  if (forward !== undefined) return readForward(forward, context);
  if (fixedResponse !== undefined) return { kind: 'fixed-response', ...fixedResponse };
  if (redirect === undefined) return undefined;
  const { port, ...parts } = redirect;
  const text = port === undefined ? {} : { port: String(port) };
  return { kind: 'redirect', ...parts, ...text };
}

function readForward(
  forward: NonNullable<ActionSpec['forward']>,
  { source, sticky }: ActionContext,
): RouteAction {
  const to = forward.map(({ backend, weight = 1 }) => ({
    backend: getBackendKey({ source, name: backend }),
    weight,
  }));
  const seconds = to.flatMap(({ backend }) => sticky.get(backend) ?? []);
  const isSticky = forward.length > 1 && seconds.length > 0;
  return { kind: 'forward', to, ...(isSticky && { stickinessSeconds: Math.max(...seconds) }) };
}
