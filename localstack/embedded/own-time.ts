import type { Clock } from '../../src/core/ports/clock.ts';

/** Each step counts as what it was to take, however late it fires. */
const STEP_MS = 25;

/**
 * Timers for limits on how long a target may take. Clients, this data plane and targets share a machine, often a
 * process: where timers fire late there, connections wait as well, and that is not the target's fault. Each turn of
 * the event loop accepts one connection of a socket that listens: https://github.com/libuv/libuv/pull/3696
 */
export function countOwnTime(clock: Pick<Clock, 'setTimer'>): Pick<Clock, 'setTimer'> {
  return {
    setTimer: (delayMs, fire) => {
      let leftMs = delayMs;
      let cancel = (): void => {};
      const beginStep = (): void => {
        const stepMs = Math.min(leftMs, STEP_MS);
        leftMs -= stepMs;
        cancel = clock.setTimer(stepMs, leftMs > 0 ? beginStep : fire);
      };
      beginStep();
      return () => cancel();
    },
  };
}
