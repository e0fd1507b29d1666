import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { Agent } from 'undici';
import { chooseTargetGroup } from '../../../src/routing/answer.ts';
import type { Rewritten } from '../../../src/routing/rewrite.ts';
import type { ForwardAction } from '../../../src/routing/rule.ts';
import type { Listener } from '../listeners/listener.ts';
import type { LoadBalancer } from '../load-balancers/balancer-store.ts';
import {
  presentTargets,
  type Target,
  type TargetGroup,
  type TargetHealth,
  targetKey,
} from '../target-groups/target-group.ts';
import { unusedHealth } from '../target-groups/target-health.ts';
import { forwardedHeaders, rawHeadersOf } from './forwarded-headers.ts';
import { type Http2Request, Http2Targets } from './http2-targets.ts';
import { answerItself } from './own-answer.ts';
import type { Prober, ProberParts } from './prober.ts';
import { type ClientExchange, Relay } from './relay.ts';
import { makeCookies, readCookie } from './stickiness.ts';

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const MAX_RESPONSE_HEADER_BYTES = 32_768;

/** A request that is to be forwarded, and on whose behalf. */
export interface ForwardedExchange extends ClientExchange {
  readonly listener: Listener;
  readonly balancer: LoadBalancer;
  /** By the transforms of the rule. */
  readonly rewritten?: Rewritten;
}

/** A target that a request is sent to, and the cookies that bring the next one there. */
interface Destination {
  readonly group: TargetGroup;
  readonly target: Target;
  readonly cookies: readonly string[];
}

/** Brings requests to targets. */
export class Forwarder {
  readonly #parts: ProberParts & { readonly prober: Prober };
  readonly #turns = new RoundRobin();
  /** By group and target. */
  readonly #inFlight = new Map<string, Set<Relay>>();
  // Certificates of targets are not verified; timeouts are kept by the clock of the relay.
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html#target-group-routing-configuration
  readonly #agent = new Agent({
    ...{ connect: { timeout: 0, rejectUnauthorized: false } },
    ...{ headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_RESPONSE_HEADER_BYTES },
    ...{ allowH2: false, keepAliveTimeout: 60_000 },
  });

  readonly #http2 = new Http2Targets();

  constructor(parts: ProberParts & { readonly prober: Prober }) {
    this.#parts = parts;
  }

  forward(exchange: ForwardedExchange, action: ForwardAction): void {
    const { clock } = this.#parts;
    const headers = rawHeadersOf(exchange.message);
    const chosen = this.#chooseGroup(action, readCookie(headers, 'AWSALBTG', clock.now()));
    if (chosen === undefined) {
      const why = 'every target group has the weight 0'; // what AWS answers then is unverified
      return answerItself(exchange.response, { status: 503, why });
    }
    const why = refuseVersion(exchange.message, chosen);
    if (why !== undefined) return answerItself(exchange.response, { status: 464, why });
    const kept = readCookie(headers, 'AWSALB', clock.now());
    const target = this.#chooseTarget(chosen, exchange.balancer, kept);
    if (target === undefined) {
      const reason = `target group ${chosen.name} has no target that takes requests`;
      return answerItself(exchange.response, { status: 503, why: reason });
    }
    const cookies = this.#makeCookies(exchange, action, { group: chosen, target });
    this.#send(exchange, { group: chosen, target, cookies });
  }

  /**
   * Cuts requests in flight to targets whose deregistration delay is over or that were removed.
   * Returns when the next delay ends.
   */
  cutDrained(): number | undefined {
    const { clock, traffic } = this.#parts;
    const ends: number[] = [];
    for (const [id, relays] of this.#inFlight) {
      const [arn = '', key = ''] = id.split(' ');
      const group = traffic.current.targetGroups.byArn(arn);
      const target = group && presentTargets(group, clock.now()).get(key);
      if (target?.drainsUntilMs !== undefined) ends.push(target.drainsUntilMs);
      if (target !== undefined) continue;
      const why = 'the deregistration delay of the target is over';
      for (const relay of [...relays]) relay.fail({ status: 502, why });
    }
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  stop(): Promise<void> {
    this.#http2.stop();
    return this.#agent.destroy();
  }

  /** A client stays at its group as long as that has a weight (unverified), and comes by weight to another one. */
  #chooseGroup(
    { targetGroups, stickinessSeconds }: ForwardAction,
    kept: string | undefined,
  ): TargetGroup | undefined {
    const { clock, traffic } = this.#parts;
    const isKept = targetGroups.some(({ arn, weight }) => arn === kept && weight > 0);
    const arn =
      stickinessSeconds !== undefined && isKept
        ? kept
        : chooseTargetGroup(targetGroups, clock.random())?.arn;
    return traffic.current.targetGroups.byArn(arn ?? '');
  }

  #makeCookies(
    { listener: { protocol } }: ForwardedExchange,
    { stickinessSeconds }: ForwardAction,
    { group, target }: Omit<Destination, 'cookies'>,
  ): readonly string[] {
    const nowMs = this.#parts.clock.now();
    const isSecure = protocol === 'HTTPS';
    const ofTarget = targetStickiness(group);
    const toGroup = { for: group.arn, seconds: stickinessSeconds ?? 0, isSecure };
    const toTarget = { for: keepAt(group, target), seconds: ofTarget ?? 0, isSecure };
    return [
      ...(stickinessSeconds === undefined ? [] : makeCookies('AWSALBTG', toGroup, nowMs)),
      ...(ofTarget === undefined ? [] : makeCookies('AWSALB', toTarget, nowMs)),
    ];
  }

  #chooseTarget(
    group: TargetGroup,
    balancer: LoadBalancer,
    kept: string | undefined,
  ): Target | undefined {
    const { world, prober } = this.#parts;
    const live = world.traffic.targetGroups.byArn(group.arn);
    const usable = listUsableTargets(group, (target) => {
      if (target.drainsUntilMs !== undefined) return 'draining';
      const unused = unusedHealth(world, balancer.arn, { group, target });
      const known = live?.targets.get(targetKey(target)) ?? target;
      const pinned = [known, target].find(({ isPinned }) => isPinned)?.checked;
      return (unused ?? pinned)?.state ?? prober.stateOf(group.arn, target) ?? 'initial';
    });
    const isSticky = targetStickiness(group) !== undefined;
    const same = isSticky ? usable.find((target) => keepAt(group, target) === kept) : undefined;
    return same ?? this.#turns.choose(group.arn, usable);
  }

  #send(exchange: ForwardedExchange, { group, target, cookies }: Destination): void {
    const { clock, targets } = this.#parts;
    const id = `${group.arn} ${targetKey(target)}`;
    const relays = this.#inFlight.get(id) ?? new Set();
    this.#inFlight.set(id, relays);
    let stopWaiting = (): void => {};
    const idleMs = Number(exchange.balancer.attributes.get('idle_timeout.timeout_seconds')) * 1000;
    const replaced = listResponseHeaders(exchange.listener);
    const relay = new Relay(exchange, { clock, idleMs, cookies, replaced }, () => {
      stopWaiting();
      relays.delete(relay);
      if (relays.size === 0) this.#inFlight.delete(id);
    });
    relays.add(relay);
    stopWaiting = targets.whenMapped(target.id, target.port, (address) => {
      const origin = `${group.protocol.toLowerCase()}://${address}`;
      const request = { origin, ...this.#request(exchange) };
      if (group.protocolVersion === 'HTTP1') this.#agent.dispatch(request, relay);
      else this.#http2.dispatch(keepTrailers(request, exchange.message), relay);
    });
  }

  #request(exchange: ForwardedExchange): Omit<Http2Request, 'origin'> & { upgrade?: string } {
    const { message, listener, balancer, upgrade, rewritten = {} } = exchange;
    const { socket } = message;
    const client = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
    const { protocol, port } = listener;
    const { attributes } = balancer;
    const { host, url = message.url ?? '/' } = rewritten;
    const facts = { protocol, port, client, attributes, clock: this.#parts.clock, host };
    return {
      path: url,
      method: message.method ?? 'GET',
      headers: forwardedHeaders(rawHeadersOf(message), facts),
      body: hasBody(message) ? message : null,
      ...(upgrade !== undefined && { upgrade: 'websocket' }),
    };
  }
}

/** HTTP/2 says by a flag whether a body follows. */
function hasBody(message: IncomingMessage): boolean {
  if (message.httpVersionMajor === 2) {
    return !(message as unknown as Http2ServerRequest).stream.endAfterHeaders;
  }
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = message.headers;
  return length !== '0' || encoding !== undefined;
}

/**
 * Why a request of this version does not go to the group; undefined where it does.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html#http-464-issues
 */
function refuseVersion(
  { headers, httpVersionMajor, method }: IncomingMessage,
  { protocolVersion }: TargetGroup,
): string | undefined {
  const isHttp2 = httpVersionMajor === 2;
  const isGrpc = isHttp2 && headers['content-type']?.startsWith('application/grpc') === true;
  if (protocolVersion === 'HTTP1') {
    return isGrpc ? 'gRPC is not forwarded to a target group for HTTP1' : undefined;
  }
  if (!isHttp2) return `HTTP/1.1 is not forwarded to a target group for ${protocolVersion}`;
  const isRefused = protocolVersion === 'GRPC' && method !== 'POST';
  return isRefused ? 'a target group for GRPC takes POST alone' : undefined;
}

/**
 * Headers that the listener gives every answer of a target. That they take the place of the target's own, and
 * that answers of the balancer itself have none, is unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/header-modification.html
 */
function listResponseHeaders({ attributes }: Listener): ReadonlyMap<string, string> {
  const given = [...attributes].flatMap(([key, value]) => {
    const [, name] = /^routing\.http\.response\.(\w+)\.header_value$/.exec(key) ?? [];
    return name === undefined || value === '' ? [] : [[name.replaceAll('_', '-'), value] as const];
  });
  return new Map(given);
}

/** gRPC asks for trailers, in a header that concerns one connection. */
function keepTrailers(request: Http2Request, { headers }: IncomingMessage): Http2Request {
  if (headers['te'] !== 'trailers') return request;
  return { ...request, headers: [...request.headers, 'te', 'trailers'] };
}

/** Seconds for which a client stays at a target; cookies of the application's own are not modelled. */
function targetStickiness({ attributes }: TargetGroup): number | undefined {
  const isOn = attributes.get('stickiness.enabled') === 'true';
  if (!isOn || attributes.get('stickiness.type') !== 'lb_cookie') return undefined;
  return Number(attributes.get('stickiness.lb_cookie.duration_seconds'));
}

function keepAt({ arn }: TargetGroup, target: Target): string {
  return `${arn} ${targetKey(target)}`;
}

/**
 * The targets that take requests: the healthy ones; all unhealthy ones where there is no healthy one
 * (fail-open); never those that drain, are not used, or have not passed their first check. That a
 * group with nothing but `initial` targets does not fail open is unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
export function listUsableTargets(
  { targets }: TargetGroup,
  stateOf: (target: Target) => TargetHealth['state'],
): readonly Target[] {
  const judged = [...targets.values()].map((target) => ({ target, state: stateOf(target) }));
  const healthy = judged.filter(({ state }) => state === 'healthy');
  const usable = healthy.length > 0 ? healthy : judged.filter(({ state }) => isFailOpen(state));
  return usable.map(({ target }) => target);
}

function isFailOpen(state: TargetHealth['state']): boolean {
  return state === 'unhealthy' || state === 'unavailable';
}

/** Takes turns among the targets of each group, whatever algorithm its attributes name. */
class RoundRobin {
  readonly #turns = new Map<string, number>();

  choose(groupArn: string, targets: readonly Target[]): Target | undefined {
    const turn = this.#turns.get(groupArn) ?? 0;
    this.#turns.set(groupArn, turn + 1);
    return targets[turn % targets.length];
  }
}
