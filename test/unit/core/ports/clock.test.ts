import { describe, expect, it } from 'vitest';
import {
  addJitter,
  DeadlineExceeded,
  drawUuid,
  sleep,
  startDeadline,
} from '../../../../src/core/ports/clock.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

describe('sleep', () => {
  it('ends after its time', async () => {
    const clock = new ManualClock();
    const asleep = sleep(clock, 1000, new AbortController().signal);
    await clock.advance(1000);
    await expect(asleep).resolves.toBeUndefined();
  });

  it('ends at once with the reason of an abort and leaves no timer', async () => {
    const clock = new ManualClock();
    const stopping = new AbortController();
    const stopped = new Error('stopping');
    const asleep = sleep(clock, 1000, stopping.signal);
    stopping.abort(stopped);
    await expect(asleep).rejects.toBe(stopped);
    await expect(sleep(clock, 1000, stopping.signal)).rejects.toBe(stopped);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('drawUuid', () => {
  it('gives each replica another one, of version 4', () => {
    const clock = new ManualClock({ seed: 7 });
    const uuids = Array.from({ length: 1000 }, () => drawUuid(clock));
    expect(new Set(uuids).size).toBe(1000);
    const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(uuids.filter((uuid) => !version4.test(uuid))).toEqual([]);
  });
});

describe('deadline', () => {
  it('that was met follows its parent alone, until it is released', async () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    const [met, released] = [
      startDeadline(clock, 1000, parent.signal),
      startDeadline(clock, 1000, parent.signal),
    ];
    met.meet();
    released.release();
    await clock.advance(2000);
    expect(met.signal.aborted).toBe(false);
    parent.abort(new Error('stopping'));
    expect(met.signal.reason).toBe(parent.signal.reason);
    expect(released.signal.aborted).toBe(false);
  });

  it('aborts with its own reason when the time is up', async () => {
    const clock = new ManualClock();
    const { signal } = startDeadline(clock, 1000);
    await clock.advance(999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toBeInstanceOf(DeadlineExceeded);
  });

  it('aborts with the reason of its parent, also one that has aborted already', () => {
    const clock = new ManualClock();
    const stopping = new AbortController();
    const stopped = new Error('stopping');
    const early = startDeadline(clock, 1000, stopping.signal);
    stopping.abort(stopped);
    const late = startDeadline(clock, 1000, stopping.signal);
    expect([early.signal.reason, late.signal.reason]).toEqual([stopped, stopped]);
  });

  it('is silent once released', async () => {
    const clock = new ManualClock();
    const stopping = new AbortController();
    const { signal, release } = startDeadline(clock, 1000, stopping.signal);
    release();
    stopping.abort();
    await clock.advance(2000);
    expect(signal.aborted).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('jitter', () => {
  it('adds up to its share', () => {
    const clock = new ManualClock();
    const delays = Array.from({ length: 200 }, () => addJitter(clock, 1000, 0.2));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...delays)).toBeLessThan(1200);
    expect(Math.max(...delays)).toBeGreaterThan(1150);
  });
});
