import { randomBytes } from 'node:crypto';
import { type Clock, MAX_TIMER_MS } from './core/ports/clock.ts';

/**
 * The real Clock. Its timers keep the process alive on purpose: an operator that waits for nothing
 * but a backoff must not end. Whoever stops cancels what it has armed.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer: (delayMs, fire) => {
    const timer = setTimeout(fire, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Bytes that nobody can guess, for a key; `random` is none. */
export function drawSecretBytes(count: number): Buffer {
  return randomBytes(count);
}
