import type { ConfigMonitor, NotedChange } from '../../apis/config-monitor.ts';
import type { Clock } from '../../core/clock.ts';
import { type Key, keyOf } from '../../core/kube-object.ts';

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
  /** Those that were started since then, with data that was replaced again. */
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
  /** Those of which somebody else says that they have this data. */
  readonly vouchedFor: Uids;
}

/** The data that the pods have, or that they are being given. */
export function recordedHash({ status }: Pick<ConfigMonitor, 'status'>): string | undefined {
  return status.rollout?.hash ?? status.configHash;
}

/** The pods that may have been started with other data than that of the change. */
export function outdatedIn({ hash, recorded, pods, between }: DataChange): Uids {
  return hash === recorded ? between : new Set([...pods, ...between]);
}

/**
 * Changes that are not acted on yet. Which pods they concern is in status as well, for a change may
 * wait for days: whoever starts anew goes on from there, and only begins the quiet period again.
 */
export class Changes {
  readonly #clock: Clock;
  readonly #seen = new Map<Key, DataChange>();
  readonly #toldSince = new Map<Key, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For data other than that of `get`, or other labels. Where the old data is back, who came meanwhile lacks it. */
  note(object: ConfigMonitor, { live, vouchedFor, ...sight }: Sight): DataChange {
    const before = this.get(object);
    const nowMs = this.#clock.monotonicMs();
    const pods = withRecorded(before, { ...sight, live, vouchedFor });
    const change = {
      ...sight,
      pods,
      between: without(without(live, pods), vouchedFor),
      firstSeenMs: before?.firstSeenMs ?? nowMs,
      lastSeenMs: before?.hash === sight.hash ? before.lastSeenMs : nowMs,
    };
    this.#seen.set(keyOf(object), change);
    return change;
  }

  /** What this process has noted, or one before it; void where other data is on record by now. */
  get(object: ConfigMonitor): DataChange | undefined {
    const recorded = recordedHash(object);
    const known = this.#seen.get(keyOf(object));
    if (known?.recorded === recorded) return known;
    const { change } = object.status;
    if (change === undefined || change.recorded !== recorded) return undefined;
    const restored = this.#restored(change);
    this.#seen.set(keyOf(object), restored);
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
    this.#seen.delete(key);
  }

  /** The object is gone. */
  forget(key: Key): void {
    this.#seen.delete(key);
    this.#toldSince.delete(key);
  }

  #restored({ pods, between, ...change }: NotedChange): DataChange {
    const nowMs = this.#clock.monotonicMs();
    const uids = { pods: new Set(pods), between: new Set(between) };
    return { ...change, ...uids, firstSeenMs: nowMs, lastSeenMs: nowMs };
  }
}

/** By other labels come pods of which nobody knows when they were started: they are taken for older. */
function withRecorded(before: DataChange | undefined, sight: Sight): Uids {
  const { live, selector, vouchedFor } = sight;
  if (before === undefined) return without(live, vouchedFor);
  if (before.selector === selector) return new Set([...live].filter((uid) => before.pods.has(uid)));
  return without(live, before.between);
}

function without(uids: Uids, others: Uids): Uids {
  return new Set([...uids].filter((uid) => !others.has(uid)));
}
