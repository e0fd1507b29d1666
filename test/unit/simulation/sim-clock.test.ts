import { describe, expect, it } from 'vitest';
import { SimClock } from '../../simulation/sim-clock.ts';

describe('the clock of a simulated world', () => {
  it('goes on for who waits for less than can be added to the time (seed 99000626)', async () => {
    const clock = new SimClock(1);
    const lateMs = 217_935.3;
    await clock.runUntil(lateMs);
    let waits = 0;
    // As a campaign for the Lease does, until the time is over that is left.
    const wait = (): void => {
      if (clock.monotonicMs() > lateMs || ++waits > 1_000) return;
      clock.setTimer(1e-12, wait);
    };
    wait();
    await clock.runUntil(lateMs + 1);
    expect(waits).toBe(1);
  });

  it('fires what is due at once before time passes', async () => {
    const clock = new SimClock(1);
    const firedAtMs: number[] = [];
    clock.setTimer(0, () => firedAtMs.push(clock.monotonicMs()));
    clock.setTimer(5, () => firedAtMs.push(clock.monotonicMs()));
    await clock.runUntil(10);
    expect(firedAtMs).toEqual([0, 5]);
  });
});
