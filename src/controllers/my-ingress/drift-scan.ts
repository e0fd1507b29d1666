import type { MyIngress } from '../../apis/my-ingress.ts';
import type { CachedGroup, Inventory, TaggedLoadBalancer } from '../../aws/elbv2/load-balancers.ts';
import { isPaused } from '../../core/objects/annotations.ts';
import { getKey, isBeingDeleted, type Key } from '../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../core/ports/cache.ts';
import { addJitter, type Clock, sleep } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { MetricDefinition, Metrics } from '../../core/ports/metrics.ts';
import { type Enqueue, type KeySource, LOW_PRIORITY } from '../../core/queue/key-queue.ts';
import type { RecallGroup } from './attaching/recall.ts';
import { identify } from './identity.ts';
import { desireName } from './load-balancer/desired.ts';
import { type ComparisonScope, compareAll, hasBeenChanged } from './load-balancer/snapshot.ts';
import { type Memory, type ObjectMemory, rememberFoundDrift } from './memory.ts';
import { Orphans, Strays } from './orphans.ts';
import { isInPlace } from './preview.ts';
import { attempt, forEachInTurns } from './scan-steps.ts';
import { ManagedGroups } from './security-group/managed-groups.ts';
import { hasTraffic, isOnlyPlanned, readRecordedArn } from './status.ts';
import type { Targets } from './targets.ts';
import { rememberBalancer } from './traffic/memory.ts';
import { isTrafficDue } from './traffic/report.ts';
import { desireGroups, hasForgedCounts, listServed } from './traffic/snapshot.ts';

export const driftScanMetrics = {
  found: {
    type: 'counter',
    name: 'albridge_drift_found_total',
    help: 'Objects that a drift scan found to differ in AWS, counted by each scan until they are repaired.',
    use: 'Grows and albridge_drift_repairs_total does not: a repair is refused, or the object is paused in between.',
    labels: [],
  },
  completedAt: {
    type: 'gauge',
    name: 'albridge_drift_scan_timestamp_seconds',
    help: 'Unix time of the last drift scan that AWS answered in full, or of the start of the scans.',
    use: 'Subtract it from time(): older than a few intervals means that drift is not detected now, or not all of it; the log names the part.',
    labels: [],
  },
  interval: {
    type: 'gauge',
    name: 'albridge_drift_scan_interval_seconds',
    help: 'Time between two drift scans, as of ALBRIDGE_SWEEP_INTERVAL.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

interface DriftScanOptions {
  readonly inventory: Inventory;
  readonly targets: Targets;
  readonly memory: Memory;
  readonly cache: Pick<ObjectCache<MyIngress>, 'get' | 'list' | 'subscribe'>;
  readonly recallGroup: RecallGroup;
  readonly cluster: string;
  /** Those that the cache covers; empty: all of them. */
  readonly namespaces: readonly string[];
  /** `ALBRIDGE_MODE=observe`: no target is registered. */
  readonly isObserver?: boolean;
  /** Called once the groups that the objects have are published, by each scan. */
  readonly onPublished?: () => void;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

const RETRY_MS = 30_000;

/**
 * The drift scan: reads the whole account in a few calls, compares every object with that snapshot,
 * and queues those that differ or are not settled: at the start, which confirms all balancers after a
 * restart, and once in each jittered interval. No pass waits for it.
 */
export class DriftScan {
  readonly #options: DriftScanOptions;
  readonly #find = (name: string): CachedGroup => this.#options.inventory.getCachedGroup(name);
  readonly #orphans: Orphans;
  readonly #strays: Strays;
  readonly #managedGroups: ManagedGroups;
  /** While no object of the kind exists, AWS is not called. */
  #isUsed = false;
  /** When the snapshot began. */
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(options: DriftScanOptions) {
    this.#options = options;
    this.#orphans = new Orphans(options);
    this.#strays = new Strays(options);
    this.#managedGroups = new ManagedGroups(options);
  }

  /** The key source for the controller. */
  readonly source: KeySource = (enqueue) => {
    const stopping = new AbortController();
    const unsubscribe = this.#options.cache.subscribe(() => {
      this.#isUsed = true;
    });
    void this.#run(enqueue, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
    return () => {
      unsubscribe();
      stopping.abort(new Error('the drift scan was stopped'));
    };
  };

  async #run(enqueue: Enqueue, signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, metrics } = this.#options;
    metrics.gauge(driftScanMetrics.interval, {}, intervalMs / 1000);
    metrics.count(driftScanMetrics.found, {}, 0);
    this.#recordCompletion();
    if (!this.#isUsed) this.#options.onPublished?.();
    while (!signal.aborted) {
      const result = this.#isUsed ? await this.#scan(enqueue, signal) : 'complete';
      if (result === 'complete') this.#recordCompletion();
      const pauseMs = result === 'failed' ? Math.min(intervalMs, RETRY_MS) : intervalMs;
      await sleep(clock, addJitter(clock, pauseMs, 0.1), signal);
    }
  }

  #recordCompletion(): void {
    const { clock, metrics } = this.#options;
    metrics.gauge(driftScanMetrics.completedAt, {}, clock.now() / 1000);
  }

  /** Drift in a part that AWS did not answer is not detected until the next try, and the log states it. */
  async #scan(enqueue: Enqueue, signal: AbortSignal): Promise<ScanResult> {
    const { cache, clock, inventory, log } = this.#options;
    // An object created from here on has a pass of its own and need not be in the snapshot.
    const objects = cache.list();
    try {
      const { balancers, targetGroups } = await this.#listDesired(objects, signal);
      const isSearch = targetGroups.size > 0 || this.#strays.isDue(objects);
      this.#readMs = clock.monotonicMs();
      await inventory.refresh(balancers, signal, isSearch ? targetGroups : undefined);
    } catch (error) {
      if (!signal.aborted)
        log.error('drift scan failed: cannot list load balancers', { err: error });
      return 'failed';
    }
    await forEachInTurns(objects, { clock, signal }, (before) => {
      const key = getKey(before);
      if (this.#needsPass(key)) enqueue(key, { priority: LOW_PRIORITY });
    });
    this.#options.onPublished?.();
    const areGroupsChecked = await this.#checkManagedGroups(objects, enqueue, signal);
    const areOthersRead = await this.#readOthers(objects, enqueue, signal);
    return areGroupsChecked && areOthersRead ? 'complete' : 'partial';
  }

  async #listDesired(objects: readonly MyIngress[], signal: AbortSignal): Promise<Desired> {
    const { cluster, clock } = this.#options;
    const balancers = new Set<string>();
    const targetGroups = new Set<string>();
    await forEachInTurns(objects, { clock, signal }, (object) => {
      attempt(() => {
        for (const name of object.status?.owned?.targetGroups ?? []) targetGroups.add(name);
      });
      attempt(() => {
        const identity = identify(cluster, object);
        balancers.add(readRecordedArn(object) ?? desireName(object.spec, identity));
        for (const { name } of desireGroups(object, identity)) targetGroups.add(name);
      });
    });
    return { balancers, targetGroups };
  }

  /** After a start nobody else tells which groups are this object's, paused or not. */
  #publish(object: MyIngress): void {
    const { cluster, recallGroup, targets } = this.#options;
    const key = getKey(object);
    const isKnown = !hasTraffic(object) || targets.read(key).length > 0;
    if (isKnown || !this.#mayRegister(object)) return;
    if (isBeingDeleted(object) && !this.#isServing(object)) return;
    const served = listServed(object, identify(cluster, object), { find: this.#find, recallGroup });
    if (served.length > 0) targets.publish(key, served);
  }

  /** A balancer whose deletion AWS refuses serves on. */
  #isServing(object: MyIngress): boolean {
    const { inventory, memory } = this.#options;
    const { facts } = memory.of(getKey(object), object.metadata.uid);
    const arn = readRecordedArn(object) ?? '';
    return facts.release === undefined && inventory.getCached(arn).kind === 'observed';
  }

  /** As under pause, targets of an object that was reconciled once stay registered; its finalizer shows that it was. */
  #mayRegister(object: MyIngress): boolean {
    return !this.#options.isObserver && !isOnlyPlanned(object);
  }

  #needsPass(key: Key): boolean {
    const compare = (): boolean => {
      const object = this.#options.cache.get(key);
      if (object === undefined) return false;
      this.#publish(object);
      return this.#differs(object);
    };
    return attempt(compare) ?? true;
  }

  #differs(object: MyIngress): boolean {
    const { cluster, clock, inventory, memory: memories } = this.#options;
    if (isPaused(object)) return false;
    if (isBeingDeleted(object)) return true;
    const identity = identify(cluster, object);
    const memory = memories.of(getKey(object), identity.uid);
    const compared = { clock, identity, inventory, memory, object };
    if (!isInPlace(object)) {
      this.#noteChanges(compared);
      return true;
    }
    const comparison = compareAll(compared);
    if (comparison.kind === 'unknown') return false;
    if (comparison.kind === 'differs') return this.#recordDrift(memory);
    if (comparison.kind === 'attributesDue') return true;
    this.#remember(memory, comparison.cached);
    const due = { object, identity, clock, memory, objectCount: memories.size };
    return isTrafficDue(due) || hasForgedCounts(object, memory);
  }

  #noteChanges(compared: ComparisonScope): void {
    const { inventory, memory, object } = compared;
    const cached = inventory.getCached(readRecordedArn(object) ?? '');
    if (cached.kind !== 'observed') return;
    this.#remember(memory, cached.observed);
    if (hasBeenChanged(compared, cached.observed, this.#readMs)) this.#recordDrift(memory);
  }

  /** A pass that goes by memory then has what others have changed about the balancer. */
  #remember(memory: ObjectMemory, { loadBalancer }: TaggedLoadBalancer): void {
    const nowMs = this.#options.clock.monotonicMs();
    memory.traffic = memory.traffic && rememberBalancer(memory.traffic, loadBalancer, nowMs);
  }

  /** The next pass reads everything then, also where an edit comes before it. */
  #recordDrift(memory: ObjectMemory): true {
    memory.facts = rememberFoundDrift(memory.facts, true);
    this.#options.metrics.count(driftScanMetrics.found, {});
    return true;
  }

  #checkManagedGroups(
    objects: readonly MyIngress[],
    enqueue: Enqueue,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { cache, clock } = this.#options;
    return this.#readPart('managed security groups', signal, async () => {
      const hasDrifted = await this.#managedGroups.read(objects, signal);
      await forEachInTurns(objects, { clock, signal }, (before) => {
        const object = cache.get(getKey(before));
        if (object === undefined || !hasDrifted(object)) return;
        this.#options.metrics.count(driftScanMetrics.found, {});
        enqueue(getKey(object), { priority: LOW_PRIORITY });
      });
    });
  }

  #readOthers(
    objects: readonly MyIngress[],
    enqueue: Enqueue,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.#readPart('tags of other resources', signal, async () => {
      await this.#orphans.count(signal);
      const found = await this.#strays.find(objects, signal);
      for (const key of found) enqueue(key, { priority: LOW_PRIORITY });
    });
  }

  /** Returns whether it was read. A failure leaves this part to the next scan. */
  async #readPart(part: string, signal: AbortSignal, read: () => Promise<void>): Promise<boolean> {
    try {
      await read();
      return true;
    } catch (error) {
      const { log } = this.#options;
      if (!signal.aborted)
        log.error('drift scan incomplete: cannot read a part', { part, err: error });
      return false;
    }
  }
}

/** Partial: the balancers and their traffic are compared, the rest is not. */
type ScanResult = 'complete' | 'partial' | 'failed';

/** The names and ARNs that the scan asks for. */
interface Desired {
  readonly balancers: ReadonlySet<string>;
  readonly targetGroups: ReadonlySet<string>;
}
