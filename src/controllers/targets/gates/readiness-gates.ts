import { formatTime, getKey, type Key, splitKey } from '../../../core/objects/kube-object.ts';
import { Backoff } from '../../../core/queue/backoff.ts';
import { KeyQueue } from '../../../core/queue/key-queue.ts';
import { OperatorError } from '../../../core/reconcile/operator-error.ts';
import { READINESS_GATE } from '../../../pods/pod.ts';
import { hasPodTargets } from '../desired-targets.ts';
import type { Group, ServedGroup } from '../group.ts';
import type { TrimmedService } from '../transforms.ts';
import { awaitKnown } from './await-known.ts';
import { decideGate, type GateDecision, mayBeBack } from './decide-gate.ts';
import type { DeclaredBackend, GateWork } from './gate-work.ts';
import { type GatedPod, isSelected, isStale } from './gated-pod.ts';
import type { TargetReport } from './target-report.ts';
import { NEVER_MS, noteAnswers, startWaiting, type Waiting } from './waiting-pod.ts';

type Opening = GateDecision & { readonly kind: 'open' };

type Targeting = Pick<ServedGroup, 'service' | 'targetType'>;

const WRITES_AT_ONCE = 8;
/** From when a pod is up: a group that is replaced has lost its requests by then, unless a person has to act. */
const REPLACED_MS = 360_000;
/** A reason that is over sooner, as while slices are made again, is none. */
const SETTLE_MS = 10_000;
/** A problem becomes an event by time alone. */
const RECHECK_MS = 60_000;
/** Between two events of a pod that say different things. */
const CHANGE_MS = 60_000;
/** Between two events of a pod that say the same; https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
const REPEAT_MS = 240_000;
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 } as const;

/**
 * Opens the readiness gates of pods. What is open is never closed: a pod that has served does not leave
 * its Services because AWS is silent about it.
 */
export class ReadinessGates {
  readonly #work: GateWork;
  readonly #queue: KeyQueue;
  readonly #backoff: Backoff;
  readonly #waiting = new Map<string, Map<Key, Waiting>>();
  readonly #stopping = new AbortController();

  constructor(work: GateWork) {
    this.#work = work;
    this.#queue = new KeyQueue(work.clock);
    this.#backoff = new Backoff(work.clock, BACKOFF);
  }

  /** Call it once the groups follow their endpoints. Returns what ends it. */
  follow(): () => void {
    const stopBackends = this.#work.backends.follow((namespace) => this.check(namespace));
    const stopPods = this.#work.pods.subscribe(({ kind, object }) => {
      if (kind === 'deleted' || !object.isGateClosed) this.#forget(object);
      else this.#remember(object);
      this.#work.onPod(object, kind === 'deleted');
    });
    return () => {
      stopPods();
      stopBackends();
    };
  }

  /** Something that the gates of this namespace depend on may have changed. */
  check(namespace: string): void {
    for (const key of this.#waiting.get(namespace)?.keys() ?? []) this.#queue.add(key);
  }

  /** A write that failed is repeated now, not after its backoff. */
  checkAll(): void {
    for (const [namespace, pods] of this.#waiting) {
      for (const waiting of pods.values()) waiting.retryMs = NEVER_MS;
      this.check(namespace);
    }
  }

  /** Resolves after `stop`, when the writes that are under way have ended. */
  async run(): Promise<void> {
    const { backends, ...work } = this.#work;
    const { signal } = this.#stopping;
    await awaitKnown(backends.known(), { ...work, signal, countPods: () => this.#countWaiting() });
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, () => this.#runWorker()));
  }

  stop(): void {
    this.#stopping.abort();
    this.#queue.shutDown();
  }

  #countWaiting(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #remember(pod: GatedPod): void {
    const key = getKey(pod);
    const known = this.#find(key);
    const isSame = known?.uid === pod.metadata.uid && known?.ips.join() === pod.ips.join();
    const waiting = known !== undefined && isSame ? known : this.#begin(pod);
    const nowMs = this.#work.clock.monotonicMs();
    waiting.upSinceMs = pod.isUp ? (waiting.upSinceMs ?? nowMs) : undefined;
    this.#queue.add(key);
  }

  /** Another pod may have had the name. */
  #begin(pod: GatedPod): Waiting {
    this.#forget(pod);
    const key = getKey(pod);
    const { namespace } = splitKey(key);
    const waiting = startWaiting(pod);
    const pods = this.#waiting.get(namespace) ?? new Map<Key, Waiting>();
    this.#waiting.set(namespace, pods.set(key, waiting));
    return waiting;
  }

  #find(key: Key): Waiting | undefined {
    return this.#waiting.get(splitKey(key).namespace)?.get(key);
  }

  #forget(pod: GatedPod): void {
    const key = getKey(pod);
    const { namespace } = splitKey(key);
    const pods = this.#waiting.get(namespace);
    this.#await(key, pods?.get(key), []);
    pods?.delete(key);
    if (pods?.size === 0) this.#waiting.delete(namespace);
    this.#backoff.forget(key);
  }

  async #runWorker(): Promise<void> {
    for (let taken = await this.#queue.take(); taken; taken = await this.#queue.take()) {
      await this.#decide(taken.key);
      this.#queue.done(taken.key);
    }
  }

  async #decide(key: Key): Promise<void> {
    const { clock, pods } = this.#work;
    const waiting = this.#find(key);
    const pod = pods.get(key);
    if (waiting === undefined || pod === undefined || isStale(pod, waiting.openSince)) return;
    const nowMs = clock.monotonicMs();
    const targets = this.#observe(key, pod, waiting);
    waiting.missing = this.#followMissing(pod, waiting, nowMs);
    // One that has been missing for long does not stand for another one that goes now.
    const unsureSinceMs = Math.max(...waiting.missing.values());
    const answeredMs = Math.max(...waiting.answeredMs.values());
    const decision = decideGate({ ...waiting, targets, answeredMs, unsureSinceMs }, nowMs);
    if (decision.kind === 'open') return this.#openInTurn(pod, waiting, decision);
    const { untilMs, why } = decision;
    if (why === undefined) waiting.closedSinceMs = undefined;
    else this.#reportClosed(pod, waiting, why);
    if (untilMs === undefined) return;
    this.#queue.add(key, { afterMs: Math.min(untilMs - nowMs, RECHECK_MS) });
  }

  /** In an event of the pod, which is repeated before its series ends. */
  #reportClosed(pod: GatedPod, waiting: Waiting, why: string): void {
    const { clock, events } = this.#work;
    const nowMs = clock.monotonicMs();
    const { told } = waiting;
    waiting.closedSinceMs ??= nowMs;
    const lastsMs = nowMs - waiting.closedSinceMs;
    if (lastsMs < SETTLE_MS) return this.#queue.add(getKey(pod), { afterMs: SETTLE_MS - lastsMs });
    if (nowMs - told.atMs < (told.why === why ? REPEAT_MS : CHANGE_MS)) return;
    waiting.told = { why, atMs: nowMs };
    const note = `the readiness gate of the pod stays closed: ${why}`;
    events.record(pod, { type: 'Warning', reason: 'GateClosed', action: 'OpenGate', note });
  }

  /** AWS's answer about the pod in each group that selects it. */
  #observe(key: Key, pod: GatedPod, waiting: Waiting): readonly TargetReport[] {
    const groups = this.#listGroups(pod);
    const { upSinceMs } = waiting;
    const isAwaiting = upSinceMs !== undefined;
    this.#await(key, waiting, isAwaiting ? groups.filter((group) => group !== undefined) : []);
    const report = (group: Group | undefined): TargetReport => {
      if (group === undefined || !isAwaiting) return { health: 'waiting' };
      return reportIn(group, pod, { upSinceMs, nowMs: this.#work.clock.monotonicMs() });
    };
    const reports = new Map(groups.map((group) => [group, report(group)] as const));
    noteAnswers(waiting, reports);
    return [...reports.values()];
  }

  /**
   * By selectors, as slices may lag; undefined for backends without a group. A group to which the spec sends no
   * requests, as it has replaced it, or as its backend has left the actions or the spec, counts as long as an action
   * leads to it, also where its health check never passes: it has the requests until they are taken from it, within
   * minutes, or for good where AWS refuses the change of the rule.
   */
  #listGroups(pod: GatedPod): readonly (Group | undefined)[] {
    const { backends, listGroups } = this.#work;
    const { namespace = '' } = pod.metadata;
    const declared = backends.list(namespace);
    const isAsked = (group: Group): boolean => {
      const { isReplaced = false, isReached = false } = group.served;
      return isReplaced || isReached || declared.some((backend) => isGroupOf(group, backend));
    };
    const published = listGroups(namespace).filter(({ owner }) => backends.isActive(owner));
    const selecting = published.filter((one) => this.#selects(one.served, pod) && isAsked(one));
    const lacksGroup = declared.some((backend) => {
      if (!this.#selects(backend, pod)) return false;
      return !selecting.some((group) => isGroupOf(group, backend));
    });
    return lacksGroup ? [...selecting, undefined] : selecting;
  }

  /** Of each it may become a target in a moment. */
  #followMissing(pod: GatedPod, { missing }: Waiting, nowMs: number): Waiting['missing'] {
    const { backends, listGroups } = this.#work;
    const { namespace = '' } = pod.metadata;
    const reached = listGroups(namespace).filter(({ owner, served }) => {
      return backends.isActive(owner) && (served.isReplaced || served.isReached);
    });
    const asked = [...backends.list(namespace), ...reached.map(({ served }) => served)];
    const away = asked.filter((one) => mayBeBack(one, this.#findService(one, pod), pod));
    const names = away.map(({ service: { name, port } }) => `${name} ${port}`);
    return new Map(names.map((name) => [name, missing.get(name) ?? nowMs]));
  }

  #selects(backend: Targeting, pod: GatedPod): boolean {
    const service = this.#findService(backend, pod);
    return hasPodTargets(backend, service) && isSelected(pod, service?.selector ?? {});
  }

  #findService({ service: { name } }: Targeting, pod: GatedPod): TrimmedService | undefined {
    return this.#work.services.get(`${pod.metadata.namespace ?? ''}/${name}`);
  }

  #await(key: Key, waiting: Waiting | undefined, groups: readonly Group[]): void {
    if (waiting === undefined) return;
    for (const group of waiting.groups) if (!groups.includes(group)) group.awaiting.delete(key);
    const added = groups.filter((group) => !group.awaiting.has(key));
    waiting.groups = groups;
    for (const group of added) {
      group.awaiting.add(key);
      this.#work.onAwaited(group);
    }
  }

  /** Not each change in the namespace repeats a write that fails. */
  async #openInTurn(pod: GatedPod, waiting: Waiting, decision: Opening): Promise<void> {
    const inMs = waiting.retryMs - this.#work.clock.monotonicMs();
    if (inMs > 0) this.#queue.add(getKey(pod), { afterMs: inMs });
    else await this.#open(pod, waiting, decision);
  }

  async #open(pod: GatedPod, waiting: Waiting, { reason, message }: Opening): Promise<void> {
    const { clock, conditions, events, log } = this.#work;
    const key = getKey(pod);
    const lastTransitionTime = formatTime(clock.now());
    const status = { status: 'True', reason, message } as const;
    const condition = { type: READINESS_GATE, ...status, lastTransitionTime };
    try {
      waiting.openSince = await conditions.apply(pod, condition);
    } catch (error) {
      this.#report(key, error);
      return this.#postpone(key, waiting);
    }
    // It is gone, as the cache has yet to show.
    if (waiting.openSince === undefined) return this.#postpone(key, waiting);
    this.#backoff.forget(key);
    this.#await(key, waiting, []);
    log.info('readiness gate opened', { key, reason });
    if (reason !== 'NoAnswer') return;
    events.record(pod, { type: 'Warning', reason, action: 'OpenGate', note: message });
  }

  /** Nothing is kept of a pod that went meanwhile. */
  #postpone(key: Key, waiting: Waiting): void {
    if (this.#find(key) !== waiting) return;
    const delayMs = this.#backoff.drawDelayMs(key);
    waiting.retryMs = this.#work.clock.monotonicMs() + delayMs;
    this.#queue.add(key, { afterMs: delayMs });
  }

  #report(key: Key, error: unknown): void {
    const { log } = this.#work;
    const needsPerson = error instanceof OperatorError && error.healedBy === 'person';
    const fields = { key, err: error };
    if (needsPerson) log.error('readiness gate not opened', fields);
    else log.info('readiness gate not opened', fields);
  }
}

/** A pod may be a target of several objects. A group that is replaced soon is none that a person has to look at. */
function reportIn(
  group: Group,
  pod: GatedPod,
  { upSinceMs, nowMs }: { readonly upSinceMs: number; readonly nowMs: number },
): TargetReport {
  const { why, failedCall, ...report } = group.report(pod, upSinceMs);
  const isLeaving = group.served.isReplaced === true && nowMs - upSinceMs < REPLACED_MS;
  if (why === undefined || isLeaving) return report;
  const { namespace } = splitKey(group.owner);
  const isForeign = namespace !== pod.metadata.namespace;
  // AWS's words name the account and the role of those who own the load balancer.
  const words =
    isForeign && failedCall !== undefined
      ? `albridge cannot register it, or read its health: ${failedCall}`
      : why;
  return { ...report, why: `MyIngress ${group.owner}: ${words}` };
}

function isGroupOf({ owner, served }: Group, declared: DeclaredBackend): boolean {
  return owner === declared.owner && served.backend === declared.backend;
}
