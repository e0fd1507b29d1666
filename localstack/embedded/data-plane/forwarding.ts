import { Agent, type Dispatcher } from 'undici';
import { chooseTargetGroup } from '../../../src/routing/answer.ts';
import type { Rewritten } from '../../../src/routing/rewrite.ts';
import type { WeightedTargetGroup } from '../../../src/routing/rule.ts';
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
import { forwardedHeaders } from './forwarded-headers.ts';
import { answerItself } from './own-answer.ts';
import type { Prober, ProberParts } from './prober.ts';
import { type ClientExchange, Relay } from './relay.ts';

/** Not adjustable: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html#http-504-issues */
const CONNECT_TIMEOUT_MS = 10_000;
/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const MAX_RESPONSE_HEADER_BYTES = 32_768;

/** A request that is to be forwarded, and on whose behalf. */
export interface ForwardedExchange extends ClientExchange {
  readonly listener: Listener;
  readonly balancer: LoadBalancer;
  /** By the transforms of the rule. */
  readonly rewritten?: Rewritten;
}

/** Brings requests to targets. Stickiness is not modelled. */
export class Forwarder {
  readonly #parts: ProberParts & { readonly prober: Prober };
  readonly #turns = new RoundRobin();
  /** By group and target. */
  readonly #inFlight = new Map<string, Set<Relay>>();
  // Certificates of targets are not verified; timeouts are kept by the clock.
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html#target-group-routing-configuration
  readonly #agent = new Agent({
    ...{ connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false } },
    ...{ headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_RESPONSE_HEADER_BYTES },
    ...{ allowH2: false, keepAliveTimeout: 60_000 },
  });

  constructor(parts: ProberParts & { readonly prober: Prober }) {
    this.#parts = parts;
  }

  forward(exchange: ForwardedExchange, groups: readonly WeightedTargetGroup[]): void {
    const { clock, traffic } = this.#parts;
    const chosen = chooseTargetGroup(groups, clock.random());
    const group = traffic.current.targetGroups.byArn(chosen?.arn ?? '');
    if (group === undefined) {
      const why = 'every target group has the weight 0'; // what AWS answers then is unverified
      return answerItself(exchange.response, { status: 503, why });
    }
    if (group.protocolVersion !== 'HTTP1') {
      const why = `HTTP/1.1 is not forwarded to a target group for ${group.protocolVersion}`;
      return answerItself(exchange.response, { status: 464, why });
    }
    const target = this.#chooseTarget(group, exchange.balancer);
    if (target === undefined) {
      const why = `target group ${group.name} has no target that takes requests`;
      return answerItself(exchange.response, { status: 503, why });
    }
    this.#send(exchange, group, target);
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
    return this.#agent.destroy();
  }

  #chooseTarget(group: TargetGroup, balancer: LoadBalancer): Target | undefined {
    const { world, prober } = this.#parts;
    const live = world.traffic.targetGroups.byArn(group.arn);
    const usable = listUsableTargets(group, (target) => {
      if (target.drainsUntilMs !== undefined) return 'draining';
      const unused = unusedHealth(world, balancer.arn, { group, target });
      const known = live?.targets.get(targetKey(target)) ?? target;
      const pinned = [known, target].find(({ isPinned }) => isPinned)?.checked;
      return (unused ?? pinned)?.state ?? prober.stateOf(group.arn, target) ?? 'initial';
    });
    return this.#turns.choose(group.arn, usable);
  }

  #send(exchange: ForwardedExchange, group: TargetGroup, target: Target): void {
    const { clock, targets } = this.#parts;
    const id = `${group.arn} ${targetKey(target)}`;
    const relays = this.#inFlight.get(id) ?? new Set();
    this.#inFlight.set(id, relays);
    const late = { status: 504, why: 'no connection to the target within 10 s' };
    const stopClock = clock.setTimer(CONNECT_TIMEOUT_MS, () => relay.fail(late));
    let stopWaiting = (): void => {};
    const idleMs = Number(exchange.balancer.attributes.get('idle_timeout.timeout_seconds')) * 1000;
    const relay = new Relay(exchange, { clock, idleMs }, () => {
      stopClock();
      stopWaiting();
      relays.delete(relay);
      if (relays.size === 0) this.#inFlight.delete(id);
    });
    relays.add(relay);
    stopWaiting = targets.whenMapped(target.id, target.port, (address) => {
      stopClock();
      const origin = `${group.protocol.toLowerCase()}://${address}`;
      this.#agent.dispatch({ origin, ...this.#request(exchange) }, relay);
    });
  }

  #request(exchange: ForwardedExchange): Dispatcher.DispatchOptions {
    const { message, listener, balancer, upgrade, rewritten = {} } = exchange;
    const { socket } = message;
    const client = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
    const { protocol, port } = listener;
    const { attributes } = balancer;
    const { host, url = message.url ?? '/' } = rewritten;
    const facts = { protocol, port, client, attributes, clock: this.#parts.clock, host };
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = message.headers;
    return {
      path: url,
      method: message.method ?? 'GET',
      headers: forwardedHeaders(message.rawHeaders, facts),
      body: length !== '0' || encoding !== undefined ? message : null,
      ...(upgrade !== undefined && { upgrade: 'websocket' }),
    };
  }
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
