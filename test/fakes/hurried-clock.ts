import type { Clock } from '../../src/core/ports/clock.ts';
import { systemClock } from '../../src/system-clock.ts';

/** Of a call to AWS. */
const DEADLINE_MS = 10_000;

/**
 * For what needs real sockets and long waits: those and all durations go `times` as fast. Dates, which are signed, do
 * not, nor the deadline of a call: the network and a busy machine are as slow as ever.
 */
export function hurryClock(times: number): Clock {
  return {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() * times,
    setTimer: (delayMs, fire) => {
      return systemClock.setTimer(delayMs === DEADLINE_MS ? delayMs : delayMs / times, fire);
    },
  };
}
