import type { ConfigMonitor, NotedChange } from '../../apis/config-monitor.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';

/** However often the data changes, so long after the first time it is acted on. */
const MAX_WAIT_MS = 30_000;

type Uids = ReadonlySet<string>;

/** Data that has been seen and not been acted on. Pods that are named nowhere have it. */
export interface DataChange {
  readonly hash: string;
  /** The hash that was on record when the data changed. */
  readonly recorded: string;
  /** The labels by which the pods were selected, such as `app=frontend`. */
  readonly selector: string;
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
    const pods = withRecorded(before, sight);
    const change = {
      ...{ hash, recorded, selector, pods },
      between: without(without(live, pods), vouchedFor),
      firstSeenMs: before?.firstSeenMs ?? nowMs,
      lastSeenMs: before?.hash === hash ? before.lastSeenMs : nowMs,
    };
    this.#observed.set(getKey(object), change);
    return change;
  }

  /** What this process has noted, or one before it; void where other data is on record by now. */
  get(object: ConfigMonitor): DataChange | undefined {
    const recorded = readRecordedHash(object);
    const known = this.#observed.get(getKey(object));
    if (known?.recorded === recorded) return known;
    const { change } = object.status;
    if (change === undefined || change.recorded !== recorded) return undefined;
    const restored = this.#restored(change);
    this.#observed.set(getKey(object), restored);
    return restored;
  }

  /** How long the quiet period still lasts, in ms. */
  quietForMs({ firstSeenMs, lastSeenMs }: DataChange, debounceSeconds: number): number {
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

  #restored({ pods, between, ...change }: NotedChange): DataChange {
    const nowMs = this.#clock.monotonicMs();
    const uids = { pods: new Set(pods), between: new Set(between) };
    return { ...change, ...uids, firstSeenMs: nowMs, lastSeenMs: nowMs };
  }
}

/** Of pods that come by other labels nobody knows with what data they were started. */
function withRecorded(before: DataChange | undefined, sight: Sight): Uids {
  const { live, starting, vouchedFor } = sight;
  if (before === undefined) return without(without(live, vouchedFor), starting);
  return new Set([...live].filter((uid) => before.pods.has(uid)));
}

function without(uids: Uids, others: Uids): Uids {
  return new Set([...uids].filter((uid) => !others.has(uid)));
}

/** For how long the rollouts have got on no further. */
export class Progress {
  readonly #clock: Clock;
  readonly #observed = new Map<Key, { readonly progressTime: string; readonly sinceMs: number }>();

  readonly #shrunk = new Map<Key, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * By the time on record, in ms, or by how long this process has seen it there: another process may
   * have written it by a clock that is ahead of this one's.
   */
  idleMs(key: Key, progressTime: string): number {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#observed.get(key);
    const record = known?.progressTime === progressTime ? known : { progressTime, sinceMs: nowMs };
    this.#observed.set(key, record);
    return Math.max(nowMs - record.sinceMs, this.#clock.now() - Date.parse(progressTime));
  }

  /** Whether this owner is taken for scaled down for the first time since a rollout was last over. */
  isFirstShrink(key: Key, owner: string): boolean {
    const owners = this.#shrunk.get(key) ?? new Set<string>();
    const isFirst = !owners.has(owner);
    this.#shrunk.set(key, owners.add(owner));
    return isFirst;
  }

  forget(key: Key): void {
    this.#observed.delete(key);
    this.#shrunk.delete(key);
  }
}
