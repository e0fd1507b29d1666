// Lives here: the controller that fills target groups: from EndpointSlices to registered targets.
// May import it: src/controllers/targets/gates and src/setup. MyIngress knows it by the interface in src/controllers/my-ingress/targets.ts.
// Start with: this file, then desired-targets.ts, flush-plan.ts and flusher.ts.

import { omitUndefined } from '../../core/objects/fields.ts';
import { type Key, splitKey } from '../../core/objects/kube-object.ts';
import { raceAbort } from '../../core/ports/clock.ts';
import type { KeySource } from '../../core/queue/key-queue.ts';
import { ChangeFeed } from './change-feed.ts';
import { desireTargets, hasPodTargets } from './desired-targets.ts';
import { type EndpointCaches, EndpointsIndex } from './endpoints-index.ts';
import { Flusher, type GroupWork } from './flusher.ts';
import type { GateOptions } from './gates/gate-work.ts';
import { type GatedPod, isSelected } from './gates/gated-pod.ts';
import { ReadinessGates } from './gates/readiness-gates.ts';
import { type EarlyPod, ShortShutdowns } from './gates/short-shutdowns.ts';
import { Group, type ServedGroup, type TargetsState } from './group.ts';
import { GroupGauges } from './group-gauges.ts';
import { GroupIndex, getNamespace } from './group-index.ts';
import { HealthPolls } from './health-polls.ts';
import { type NodeCache, NodeWatch } from './instances/node-watch.ts';

export interface TargetsOptions
  extends Omit<EndpointCaches, 'pods'>,
    Pick<GroupWork, 'connect' | 'clock' | 'log' | 'metrics'> {
  /** Opens the watch on nodes, for the first backend with targetType instance; undefined: none are read. */
  readonly openNodes?: (() => NodeCache) | undefined;
  /** Undefined: pods are neither watched nor written to. */
  readonly gates?: GateOptions | undefined;
}

/** With a pod of the Service that ends while AWS may still send it requests. */
interface ReportedState extends TargetsState {
  /** A group in whose place it comes may serve: it has targets, or is not known to have none. */
  readonly isReplacing?: true;
  /** Gates are on and the Service has the port: such a pod would be known. */
  readonly arePodsKnown?: true;
  readonly earlyPod?: EarlyPod;
}

/**
 * Keeps the targets of published groups equal to the endpoints of their Services, whatever becomes of
 * the objects' passes, and tells those objects what became of it. All of it is memory. Build it once the caches
 * are filled: nothing is deregistered on the word of a cache that is not.
 */
export class TargetsController {
  readonly #options: TargetsOptions;
  readonly #index: EndpointsIndex;
  readonly #groups = new Map<Key, Group>();
  readonly #published = new GroupIndex();
  readonly #waiting = new Map<Key, Set<() => void>>();
  readonly #flusher: Flusher;
  readonly #polls: HealthPolls;
  readonly #feed: ChangeFeed;
  readonly #gates: ReadinessGates | undefined;
  readonly #nodes: NodeWatch;
  readonly #gauges: GroupGauges;
  readonly #shutdowns = new ShortShutdowns();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: TargetsOptions) {
    this.#options = options;
    this.#gauges = new GroupGauges(options.metrics);
    this.#index = new EndpointsIndex({ ...options, pods: options.gates?.pods });
    const work: GroupWork = {
      ...options,
      groups: this.#groups,
      onChange: (group) => this.#onChange(group),
    };
    this.#flusher = new Flusher(work);
    this.#polls = new HealthPolls({ ...work, onChange: (group) => this.#onHealth(group) });
    this.#feed = new ChangeFeed(options.clock, (key) => this.#describe(key));
    this.#gates = this.#createGates();
    const { clock, openNodes } = options;
    this.#nodes = new NodeWatch({ clock, openNodes, onChange: () => this.#onNodes() });
  }

  /** Runs the controller until it is stopped; for the one controller whose objects publish groups. */
  readonly changes: KeySource = (enqueue) => {
    const unfollow = this.#index.follow((service) => this.#onEndpoints(service));
    const unfollowPods = this.#gates?.follow();
    this.#running = Promise.all([
      ...[this.#flusher.run(), this.#polls.run(), this.#feed.run(enqueue)],
      this.#gates?.run(),
    ]);
    return () => {
      unfollow();
      unfollowPods?.();
      this.#gates?.stop();
      this.#nodes.stop();
      const reason = new Error('the targets controller was stopped');
      this.#flusher.stop();
      this.#polls.stop(reason);
      this.#feed.stop();
      for (const group of this.#groups.values()) group.stop(reason);
    };
  };

  /** Call when a right in Kubernetes was granted. */
  requeueGates(): void {
    this.#gates?.checkAll();
  }

  /** Call before each scrape. */
  refreshMetrics(): void {
    const groups = this.#published.owners.flatMap((owner) => this.#listCounted(owner));
    // Of a group that no action names AWS checks no target.
    this.#gauges.show(groups.filter(({ served }) => served.isUnused !== true));
  }

  /** Resolves when the calls that were under way at the stop have ended. */
  get stopped(): Promise<unknown> {
    return this.#running;
  }

  /** The groups of one object, in place of the ones before. Only what tags have just proved ours. */
  publish(owner: Key, served: readonly ServedGroup[]): void {
    const before = this.#published.listOfOwner(owner);
    const left = before.map(getNamespace);
    this.#published.remove(owner);
    const groups = served.map((one) => this.#takeOver(before, owner, one));
    for (const group of before) if (!groups.includes(group)) this.#drop(group);
    this.#published.add(owner, groups);
    for (const group of groups) {
      this.#refresh(group);
      this.#flusher.schedule(group);
      this.#polls.schedule(group);
    }
    this.#resolveWaiting(owner);
    const namespaces = [splitKey(owner).namespace, ...left, ...groups.map(getNamespace)];
    for (const namespace of new Set(namespaces)) this.#gates?.check(namespace);
    if (groups.length === 0) this.#feed.forget(owner);
    else this.#feed.follow(owner);
  }

  /** The object is gone, or its balancer deleted or released: nothing is written to its groups from here on. */
  withdraw(owner: Key): void {
    this.publish(owner, []);
  }

  /** One for each published group that is not replaced, in that order. */
  read(owner: Key): readonly ReportedState[] {
    return this.#listCounted(owner).map((group) => this.#stateOf(group));
  }

  /** The same for a pass that writes it into status: only another answer wakes the object from here on. */
  readForStatus(owner: Key): readonly ReportedState[] {
    const states = this.read(owner);
    if (states.length > 0) this.#feed.recordRead(owner);
    return states;
  }

  /**
   * Resolves once each of these groups is filled or has a problem, and those that are unused have no targets but the
   * desired ones, or keep others for longer than a pass waits; rejects when `signal` aborts.
   */
  async waitUntilFilled(owner: Key, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isFilled(owner)) return;
    for (const group of this.#listCounted(owner)) this.#hurry(group);
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, waiting.add(resolve));
    await raceAbort(promise, signal).finally(() => {
      waiting.delete(resolve);
      if (waiting.size === 0) this.#waiting.delete(owner);
    });
  }

  #createGates(): ReadinessGates | undefined {
    const { gates, services, clock, log } = this.#options;
    if (gates === undefined) return undefined;
    return new ReadinessGates({
      ...{ ...gates, services, clock, log },
      listGroups: (namespace) => this.#published.listOfNamespace(namespace),
      onAwaited: (group) => this.#hurry(group),
      onPod: (pod, isGone) => this.#onPod(pod, isGone),
    });
  }

  /** A pod is a target of the groups whose Service selects it; its slices need not change for that. */
  #onPod(pod: GatedPod, isGone: boolean): void {
    const { services } = this.#options;
    this.#shutdowns.note(pod, isGone);
    const groups = this.#published.listOfNamespace(pod.metadata.namespace ?? '');
    for (const key of new Set(groups.map(({ serviceKey }) => serviceKey))) {
      if (isSelected(pod, services.get(key)?.selector ?? {})) this.#onEndpoints(key);
    }
  }

  #takeOver(before: readonly Group[], owner: Key, served: ServedGroup): Group {
    const known = before.find((group) => group.served.arn === served.arn);
    if (known !== undefined) {
      known.served = served;
      return known;
    }
    const group = new Group(owner, served, this.#options.clock);
    this.#groups.set(group.key, group);
    return group;
  }

  #drop(group: Group): void {
    this.#groups.delete(group.key);
    this.#flusher.forget(group);
    group.stop(new Error('the target group was withdrawn'));
  }

  #onEndpoints(service: Key): void {
    for (const group of this.#published.listOfService(service)) this.#update(group);
    this.#gates?.check(splitKey(service).namespace);
  }

  #onNodes(): void {
    for (const group of this.#groups.values()) if (hasInstances(group)) this.#update(group);
  }

  #update(group: Group): void {
    if (this.#refresh(group)) group.hurry();
    this.#flusher.schedule(group);
    this.#onChange(group);
  }

  /** Returns whether other targets are desired than before. */
  #refresh(group: Group): boolean {
    const nodes = hasInstances(group) ? this.#nodes.read() : NO_NODES;
    const endpoints = { ...this.#index.get(group.serviceKey), nodes };
    return group.desire(desireTargets(group.served, endpoints));
  }

  /** A pass, or a pod at its gate, waits for AWS's answer about the group. */
  #hurry(group: Group): void {
    group.hurry();
    this.#flusher.schedule(group);
    this.#polls.schedule(group);
  }

  /** Targets may have waited for it, or have to be brought back. */
  #onHealth(group: Group): void {
    this.#flusher.schedule(group);
    this.#onChange(group);
  }

  #onChange(group: Group): void {
    this.#polls.schedule(group);
    this.#gates?.check(getNamespace(group));
    if (this.#waiting.has(group.owner)) this.#feed.awaitRead(group.owner);
    this.#feed.check(group.owner);
    this.#resolveWaiting(group.owner);
  }

  #resolveWaiting(owner: Key): void {
    if (!this.#waiting.has(owner) || !this.#isFilled(owner)) return;
    for (const resolve of this.#waiting.get(owner) ?? []) resolve();
  }

  /** With what only the pods and the other groups of the object show. */
  #stateOf(group: Group): ReportedState {
    const { served, serviceKey } = group;
    const replacing = this.#isReplacing(group) && ({ isReplacing: true } as const);
    const state = { ...group.state, ...replacing };
    const service = this.#options.services.get(serviceKey);
    if (this.#gates === undefined || service === undefined) return state;
    const known = { ...state, arePodsKnown: true } as const;
    if (served.targetType === 'instance') return known;
    if (!hasPodTargets(served, service)) return state;
    const earlyPod = this.#shutdowns.find(getNamespace(group), service.selector ?? {});
    return { ...known, ...omitUndefined({ earlyPod }) };
  }

  /** Nodes are targets whether pods run there or not: without a pod of their Service they serve nothing. */
  #isReplacing({ owner, served: { backend }, serviceKey, problems }: Group): boolean {
    const replaced = this.#published.listOfOwner(owner).filter(({ served }) => {
      return served.backend === backend && served.isReplaced === true;
    });
    const isIdle = (one: Group): boolean =>
      problems.leading?.hasNoPods === true && hasInstances(one) && one.serviceKey === serviceKey;
    return replaced.some((one) => !isEmpty(one) && !isIdle(one));
  }

  #listCounted(owner: Key): readonly Group[] {
    const groups = this.#published.listOfOwner(owner);
    return groups.filter(({ served }) => served.isReplaced !== true);
  }

  #isFilled(owner: Key): boolean {
    return this.#listCounted(owner).every(({ isPrepared }) => isPrepared);
  }

  /** Changes that concern a reader: neither another poll nor how long a turn takes. */
  #describe(owner: Key): string {
    const groups = this.#listCounted(owner);
    return JSON.stringify(groups.map((group) => describeState(this.#stateOf(group))));
  }
}

const NO_NODES = { kind: 'unsupported' } as const;

function hasInstances({ served }: Group): boolean {
  return served.targetType === 'instance';
}

/** As far as AWS has shown. */
function isEmpty(group: Group): boolean {
  return group.isKnown && group.state.registered === 0 && group.listSurplus().length === 0;
}

function describeState({
  healthAsOfMs: _asOf,
  unhealthy,
  problem,
  earlyPod,
  ...state
}: ReportedState): object {
  const { state: health, reason } = unhealthy ?? {};
  const { reason: why, hasNoPods } = problem ?? {};
  return { ...state, health, reason, why, hasNoPods, early: earlyPod?.reason };
}
