import type { MyApp } from '../../apis/my-app.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Pod } from '../../pods/pod.ts';
import { readEndedAtMs } from '../../pods/pod-state.ts';
import { nameContainer } from './desired-pods.ts';
import type { Slot } from './observed-pods.ts';

/** A pod that has ended stays for so long, so that a pod that always ends is no busy loop. */
const ENDED_STAYS_MS = 10_000;

/** A pod that has to make room for its successor, and why, as one word. */
export interface Replacement {
  readonly pod: Pod;
  readonly why: string;
}

/**
 * The pods that are to be deleted now: those that have ended, in their time; of those of an older
 * spec all that are not ready, and of the ready ones one at a time, while all others are ready.
 */
export function planReplacements(
  slots: readonly Slot[],
  now: Pick<Now, 'ofMs'>,
): readonly Replacement[] {
  const ended = slots.flatMap((slot) =>
    slot.kind === 'ended' && computeStayMs(slot, now) === 0
      ? [{ pod: slot.pod, why: slot.end.reason }]
      : [],
  );
  return [...ended, ...chooseOutdated(slots).map((pod) => ({ pod, why: 'SpecChanged' }))];
}

/** Time that a pod that has ended still stays, in ms; never longer, whatever its node's clock says. */
export function computeStayMs(
  { endedAtMs = 0, pod }: Extract<Slot, { kind: 'ended' }>,
  { ofMs }: Pick<Now, 'ofMs'>,
): number {
  const leftMs = endedAtMs + ENDED_STAYS_MS - ofMs(pod);
  return Math.min(ENDED_STAYS_MS, Math.max(0, leftMs));
}

function chooseOutdated(slots: readonly Slot[]): readonly Pod[] {
  const outdated = slots.filter((slot) => slot.kind === 'outdated');
  const unready = outdated.filter((slot) => !slot.isReady);
  const areAllReady = slots.every((slot) => 'isReady' in slot && slot.isReady);
  const chosen = areAllReady ? outdated.slice(-1) : unready;
  return chosen.map(({ pod }) => pod);
}

/** The wall time of one pass, in epoch milliseconds. */
export interface Now {
  readonly ms: number;
  /** By the clock that the end of this pod comes from; not before that end. */
  readonly ofMs: (pod: Pod) => number;
}

/**
 * Our wall clock, for each pod put forward as far as its end lay in our future when it was seen first: ends of
 * pods come from the clocks of nodes, and a wait must not last as long as two clocks are apart.
 */
export class NodeTime {
  readonly #clock: Clock;
  /** By UID, of the pods of each object that have ended. */
  readonly #aheadMs = new Map<Key, ReadonlyMap<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Of each pod that has ended is remembered what the pass asks for; also of one that the cache does not show. */
  read(object: MyApp): Now {
    const [key, container] = [getKey(object), nameContainer(object)];
    const nowMs = this.#clock.now();
    const known = this.#aheadMs.get(key);
    const aheadMs = new Map<string, number>();
    this.#aheadMs.delete(key);
    const ofMs = (pod: Pod): number => {
      const { uid = '' } = pod.metadata;
      const seenMs = (readEndedAtMs(pod, container) ?? nowMs) - nowMs;
      const podMs = Math.max(0, known?.get(uid) ?? 0, seenMs);
      if (podMs > 0) this.#aheadMs.set(key, aheadMs.set(uid, podMs));
      return nowMs + podMs;
    };
    return { ms: nowMs, ofMs };
  }

  forget(key: Key): void {
    this.#aheadMs.delete(key);
  }
}
