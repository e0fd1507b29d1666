import type { Clock } from '../../src/core/ports/clock.ts';
import { systemClock } from '../../src/system-clock.ts';

/** For what needs real sockets and long waits: durations and timers go `times` as fast; dates, which are signed, do not. */
export function hurryClock(times: number): Clock {
  return {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() * times,
    setTimer: (delayMs, fire) => systemClock.setTimer(delayMs / times, fire),
  };
}
