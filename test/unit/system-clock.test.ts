import { describe, expect, it } from 'vitest';
import { MAX_TIMER_MS } from '../../src/core/ports/clock.ts';
import { systemClock } from '../../src/system-clock.ts';

describe('systemClock', () => {
  it('fires a timer of no length soon', async () => {
    await new Promise<void>((resolve) => systemClock.setTimer(0, resolve));
    await new Promise<void>((resolve) => systemClock.setTimer(-5, resolve));
  });

  it('does not fire a timer that is longer than Node can count', async () => {
    let hasFired = false;
    const cancel = systemClock.setTimer(MAX_TIMER_MS * 2, () => {
      hasFired = true;
    });
    await new Promise<void>((resolve) => systemClock.setTimer(20, resolve));
    cancel();
    expect(hasFired).toBe(false);
  });

  it('does not fire a cancelled timer', async () => {
    let hasFired = false;
    const cancel = systemClock.setTimer(1, () => {
      hasFired = true;
    });
    cancel();
    await new Promise<void>((resolve) => systemClock.setTimer(20, resolve));
    expect(hasFired).toBe(false);
  });

  it('never goes backwards', () => {
    const first = systemClock.monotonicMs();
    expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(first);
  });
});
