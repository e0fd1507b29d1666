import type { ConfigMonitor, NotedChange } from '../../apis/config-monitor.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { isOfOneObject, OperatorError } from '../../core/reconcile/operator-error.ts';
import type { Eviction } from '../../pods/pod-ports.ts';

/** However often the data changes, so long after the first time it is acted on. */
const MAX_WAIT_MS = 30_000;

type Uids = ReadonlySet<string>;

/** Data that has been seen and not been acted on. Pods that are named nowhere have it. */
export interface DataChange {
  readonly hash: string;
  /** The hash that was on record when the data changed. */
  readonly recorded: string;
  /** How the pods were selected, such as `app=frontend`. */
  readonly selector: string;
  /** Names of the sources that differed at any time since then; absent where that is not known. */
  readonly sources?: ReadonlySet<string>;
  /** Those with the data on record, as far as anybody knows. */
  readonly pods: Uids;
  /** Those that were started since then, or may have been, with data that was replaced again. */
  readonly between: Uids;
  /** Of the Clock, monotonic. */
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
}

/** Data that is there now, and the pods at this time. */
export interface Sight {
  readonly hash: string;
  readonly recorded: string;
  readonly selector: string;
  /** Names of the sources whose data differs from that on record. */
  readonly sources: ReadonlySet<string>;
  /** The pods that there are, past every cache: no clock and no watch tells what is older than the data. */
  readonly live: Uids;
  /** Those with a container that has yet to read its data, for all that is known. */
  readonly starting: Uids;
  /** Those of which somebody else says that they have this data. */
  readonly vouchedFor: Uids;
}

/** The data that the pods have, or that they are being given. */
export function readRecordedHash({ status }: Pick<ConfigMonitor, 'status'>): string | undefined {
  return status.rollout?.hash ?? status.configHash;
}

/** The pods that may have been started with other data than that of the change. */
export function listOutdated({ hash, recorded, pods, between }: DataChange): Uids {
  return hash === recorded ? between : new Set([...pods, ...between]);
}

/**
 * Changes that are not acted on yet. Which pods they concern is in status as well, for a change may
 * wait for days: whoever starts anew goes on from there, and only begins the quiet period again.
 */
export class Changes {
  readonly #clock: Clock;
  readonly #observed = new Map<Key, DataChange>();
  readonly #toldSince = new Map<Key, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For data other than that of `get`, or other labels. Where the old data is back, who came meanwhile lacks it. */
  note(object: ConfigMonitor, sight: Sight): DataChange {
    const { hash, recorded, selector, live, vouchedFor } = sight;
    const before = this.get(object);
    const nowMs = this.#clock.monotonicMs();
    const pods = addRecorded(before, sight);
    const sources = addSources(before, sight);
    const change: DataChange = {
      ...{ hash, recorded, selector, pods },
      ...(sources && { sources }),
      between: subtract(subtract(live, pods), vouchedFor),
      firstSeenMs: before?.firstSeenMs ?? nowMs,
      lastSeenMs: before?.hash === hash ? before.lastSeenMs : nowMs,
    };
    this.#observed.set(getKey(object), change);
    return change;
  }

  /** For the object's own pass. Noted by this process or one before it; void where other data is on record by now. */
  get(object: ConfigMonitor): DataChange | undefined {
    const recorded = readRecordedHash(object);
    const known = this.#observed.get(getKey(object));
    if (known?.recorded === recorded) return known;
    const { change } = object.status;
    if (change === undefined || change.recorded !== recorded) return undefined;
    const restored = this.#restore(change);
    this.#observed.set(getKey(object), restored);
    return restored;
  }

  /**
   * Whether a change of another object may be waiting. Keeps nothing: its status may be from before its own
   * pass has settled the change, and that pass would take it for a new one.
   */
  isWaiting(other: ConfigMonitor): boolean {
    const recorded = readRecordedHash(other);
    const known = [this.#observed.get(getKey(other)), other.status.change];
    return known.some((change) => change !== undefined && change.recorded === recorded);
  }

  /** Whether another object has noted this data, or is done with it. */
  hasNoted(other: ConfigMonitor, hash: string): boolean {
    const noted = [this.#observed.get(getKey(other)), other.status.change];
    return readRecordedHash(other) === hash || noted.some((change) => change?.hash === hash);
  }

  /** How long the quiet period still lasts, in ms. */
  measureQuietMs({ firstSeenMs, lastSeenMs }: DataChange, debounceSeconds: number): number {
    const dueMs = Math.min(lastSeenMs + debounceSeconds * 1000, firstSeenMs + MAX_WAIT_MS);
    return Math.max(0, dueMs - this.#clock.monotonicMs());
  }

  /** Whether this was not asked yet since the last restart. */
  isFirstSince(key: Key, lastRestartTime: string): boolean {
    if (this.#toldSince.get(key) === lastRestartTime) return false;
    this.#toldSince.set(key, lastRestartTime);
    return true;
  }

  /** The data is on record. */
  settle(key: Key): void {
    this.#observed.delete(key);
  }

  /** The object is gone. */
  forget(key: Key): void {
    this.#observed.delete(key);
    this.#toldSince.delete(key);
  }

  #restore({ pods, between, sources, ...change }: NotedChange): DataChange {
    const nowMs = this.#clock.monotonicMs();
    const uids = { pods: new Set(pods), between: new Set(between) };
    const names = sources && { sources: new Set(sources) };
    return { ...change, ...names, ...uids, firstSeenMs: nowMs, lastSeenMs: nowMs };
  }
}

/** Of pods that come by other labels nobody knows with what data they were started. */
function addRecorded(before: DataChange | undefined, sight: Sight): Uids {
  const { live, starting, vouchedFor } = sight;
  if (before === undefined) return subtract(subtract(live, vouchedFor), starting);
  return new Set([...live].filter((uid) => before.pods.has(uid)));
}

function addSources(
  before: DataChange | undefined,
  { sources }: Sight,
): ReadonlySet<string> | undefined {
  if (before === undefined) return sources;
  return before.sources && new Set([...before.sources, ...sources]);
}

function subtract(uids: Uids, others: Uids): Uids {
  return new Set([...uids].filter((uid) => !others.has(uid)));
}

/** In which order the owners of a rollout are tried: those that failed wait until all others have been. */
class Turns {
  /** By name of an owner, the last one at the end; undefined for a failure that was not the owner's. */
  readonly #failures = new Map<Key, Map<string, OperatorError | undefined>>();

  sort<T extends Named>(key: Key, owners: readonly T[]): readonly T[] {
    const names = [...(this.#failures.get(key)?.keys() ?? [])];
    const turns = new Map(names.map((name, turn) => [name, turn]));
    const findTurn = ({ name = '' }: T): number => turns.get(name) ?? -1;
    return owners.toSorted((a, b) => findTurn(a) - findTurn(b));
  }

  note(key: Key, owner: string, error: unknown): void {
    const failures = this.#failures.get(key) ?? new Map<string, OperatorError | undefined>();
    failures.delete(owner);
    const failure = error instanceof OperatorError && isOfOneObject(error) ? error : undefined;
    if (error !== undefined) failures.set(owner, failure);
    this.#failures.set(key, failures);
  }

  /** Of this pass or an earlier one, in the order of the owners: the same one is reported each time. */
  list(key: Key, owners: readonly Named[]): readonly Refusal[] {
    return owners.flatMap(({ name = '' }) => {
      const error = this.#failures.get(key)?.get(name);
      return error ? [{ kind: 'failed', error }] : [];
    });
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }
}

interface Named {
  readonly name: string | undefined;
}

interface ObservedTime {
  readonly progressTime: string;
  /** Monotonic. */
  readonly sinceMs: number;
  /** How old it was then, by the wall clock. */
  readonly beforeMs: number;
}

/** For how long the rollouts have got on no further, and whose turn it is. */
export class Progress {
  readonly templates = new Turns();
  readonly evictions = new Turns();
  readonly #clock: Clock;
  readonly #observed = new Map<Key, ObservedTime>();

  /** Since when those are held that are, monotonic. */
  readonly #heldSince = new Map<Key, number>();
  /** Times from which on waiting counts, monotonic. */
  readonly #countsFrom = new Map<Key, number>();
  readonly #shrunk = new Map<Key, Set<string>>();
  /** By UID of a workload: the start of the rollout that has restarted it. */
  readonly #restarted = new Map<Key, Map<string, string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * In ms, by how long this process has seen this time on record. The time before that is by the wall clock, which may be
   * ahead of the one that wrote it: unless the object is Stalled, no more of it counts than this process has seen.
   */
  idleMs(key: Key, progressTime: string, isStalled = false): number {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#observed.get(key);
    const record = known?.progressTime === progressTime ? known : this.#observe(progressTime);
    this.#observed.set(key, record);
    const watchedMs = nowMs - record.sinceMs;
    const beforeMs = isStalled ? record.beforeMs : Math.min(record.beforeMs, watchedMs);
    const fromMs = this.#countsFrom.get(key) ?? Number.NEGATIVE_INFINITY;
    return this.#resume(key, Math.min(nowMs - fromMs, watchedMs + beforeMs));
  }

  #observe(progressTime: string): ObservedTime {
    const beforeMs = Math.max(0, this.#clock.now() - Date.parse(progressTime));
    return { progressTime, sinceMs: this.#clock.monotonicMs(), beforeMs };
  }

  #resume(key: Key, idleMs: number): number {
    const nowMs = this.#clock.monotonicMs();
    const heldSinceMs = this.#heldSince.get(key);
    if (heldSinceMs === undefined) return idleMs;
    const countedMs = Math.max(0, idleMs - 2 * (nowMs - heldSinceMs));
    this.#heldSince.delete(key);
    this.#countsFrom.set(key, nowMs - countedMs);
    return countedMs;
  }

  /** For how long this process has seen this time on record, in ms. */
  watchedMs(key: Key, progressTime: string): number {
    const known = this.#observed.get(key);
    return known?.progressTime === progressTime ? this.#clock.monotonicMs() - known.sinceMs : 0;
  }

  /**
   * Nothing can get on, for want of a source or as a person holds it. This time does not count, and as much from before is
   * forgiven, as pods may have to start anew; all of it where this process does not know what was before.
   */
  hold(key: Key): void {
    if (this.#heldSince.has(key)) return;
    const isKnown = this.#observed.has(key);
    this.#heldSince.set(key, isKnown ? this.#clock.monotonicMs() : Number.NEGATIVE_INFINITY);
  }

  /** Whether this owner is taken for scaled down for the first time since a rollout was last over. */
  isFirstShrink(key: Key, owner: string): boolean {
    const owners = this.#shrunk.get(key) ?? new Set<string>();
    const isFirst = !owners.has(owner);
    this.#shrunk.set(key, owners.add(owner));
    return isFirst;
  }

  noteRestarted(key: Key, uid: string, startTime: string): void {
    const workloads = this.#restarted.get(key) ?? new Map<string, string>();
    this.#restarted.set(key, workloads.set(uid, startTime));
  }

  /** Whether the rollout that began at this time has restarted this workload, as far as this process knows. */
  hasRestarted(key: Key, uid: string, startTime: string): boolean {
    return this.#restarted.get(key)?.get(uid) === startTime;
  }

  forget(key: Key): void {
    this.#observed.delete(key);
    this.#heldSince.delete(key);
    this.#countsFrom.delete(key);
    this.#shrunk.delete(key);
    this.templates.forget(key);
    this.evictions.forget(key);
    this.#restarted.delete(key);
  }
}

/** The reason why a pod or its owner was not restarted. */
export type Refusal =
  | (Exclude<Eviction, { readonly kind: 'evicted' | 'changed' }> & { readonly pod: string })
  | { readonly kind: 'failed'; readonly error: OperatorError };

/**
 * Pods that the API server refused to evict. Each refusal holds until its pod is requested again or need not be, another
 * one is evicted, or one of the same batch is refused for something else: of pods that crash again and again, others are requested after each crash.
 */
export class Refusals {
  readonly #byUid = new Map<Key, Map<string, Refusal>>();

  /** A failure that time heals holds for its pass only. */
  record(key: Key, uid: string, refusal: Refusal): void {
    const known = this.#byUid.get(key) ?? new Map<string, Refusal>();
    this.#byUid.set(key, known);
    if (isPassing(refusal)) known.delete(uid);
    else known.set(uid, refusal);
  }

  /**
   * One of these pods has just been refused: what was refused of the others for something else may hold no longer.
   * The rest stays, so that pods that are refused in turn do not change what is said.
   */
  forgetOthers(key: Key, uids: readonly string[], refusal: Refusal): void {
    const known = this.#byUid.get(key);
    for (const uid of uids) {
      const before = known?.get(uid);
      if (before !== undefined && nameCause(before) !== nameCause(refusal)) known?.delete(uid);
    }
  }

  /** Of these pods, in the order in which they were first refused; the others are forgotten. */
  list(key: Key, pending: readonly string[]): readonly Refusal[] {
    const uids = new Set(pending);
    const kept = [...(this.#byUid.get(key) ?? [])].filter(([uid]) => uids.has(uid));
    this.#byUid.set(key, new Map(kept));
    return kept.map(([, refusal]) => refusal);
  }

  forgetPod(key: Key, uid: string): void {
    this.#byUid.get(key)?.delete(uid);
  }

  /** A pod was evicted, the data has changed, or the object is gone. */
  forget(key: Key): void {
    this.#byUid.delete(key);
  }
}

function nameCause(refusal: Refusal): string {
  return refusal.kind === 'failed' ? refusal.error.reason : refusal.kind;
}

/** Whether time heals it: it holds for its pass only. */
export function isPassing(refusal: Refusal): boolean {
  return refusal.kind === 'failed' && refusal.error.healedBy === 'time';
}
