import type { Pod } from '../../apis/pod.ts';
import type { Slot } from './slot.ts';

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
export function replacementsOf(slots: readonly Slot[], nowMs: number): readonly Replacement[] {
  const ended = slots.flatMap((slot) =>
    slot.kind === 'ended' && endedStaysForMs(slot, nowMs) === 0
      ? [{ pod: slot.pod, why: slot.end.reason }]
      : [],
  );
  return [...ended, ...outdatedOf(slots).map((pod) => ({ pod, why: 'SpecChanged' }))];
}

/** How long a pod that has ended still stays, in ms; never longer, whatever its node's clock says. */
export function endedStaysForMs(
  { endedAtMs = 0 }: Extract<Slot, { kind: 'ended' }>,
  nowMs: number,
): number {
  const leftMs = endedAtMs + ENDED_STAYS_MS - nowMs;
  return Math.min(ENDED_STAYS_MS, Math.max(0, leftMs));
}

function outdatedOf(slots: readonly Slot[]): readonly Pod[] {
  const outdated = slots.filter((slot) => slot.kind === 'outdated');
  const unready = outdated.filter((slot) => !slot.isReady);
  const areAllReady = slots.every((slot) => 'isReady' in slot && slot.isReady);
  const chosen = areAllReady ? outdated.slice(-1) : unready;
  return chosen.map(({ pod }) => pod);
}
