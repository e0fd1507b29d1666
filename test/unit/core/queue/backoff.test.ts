import { describe, expect, it } from 'vitest';
import { Backoff } from '../../../../src/core/queue/backoff.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const OPTIONS = { firstMs: 1000, maxMs: 300_000 };

describe('Backoff', () => {
  it('doubles per failure up to the cap, with at most 20 % on top', () => {
    const backoff = new Backoff(new ManualClock(), OPTIONS);
    const bases = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1000);
    for (const base of bases) {
      const delayMs = backoff.drawDelayMs('a/1');
      expect(delayMs).toBeGreaterThanOrEqual(base);
      expect(delayMs).toBeLessThan(base * 1.2);
    }
  });

  it('differs between keys that fail together', () => {
    const backoff = new Backoff(new ManualClock(), OPTIONS);
    const delays = Array.from({ length: 100 }, (_, i) => backoff.drawDelayMs(`a/${i}`));
    expect(new Set(delays).size).toBeGreaterThan(90);
  });

  it('starts again for a key that is forgotten, and counts each key by itself', () => {
    const backoff = new Backoff(new ManualClock(), OPTIONS);
    for (let i = 0; i < 5; i++) backoff.drawDelayMs('a/1');
    expect(backoff.drawDelayMs('a/2')).toBeLessThan(1200);
    backoff.forget('a/1');
    expect(backoff.drawDelayMs('a/1')).toBeLessThan(1200);
  });

  it('stays finite after thousands of failures and keeps nothing for a healthy key', () => {
    const backoff = new Backoff(new ManualClock(), OPTIONS);
    for (let i = 0; i < 5000; i++) backoff.drawDelayMs('a/1');
    expect(backoff.drawDelayMs('a/1')).toBeLessThan(360_000);
    backoff.forget('a/1');
    expect(backoff.size).toBe(0);
  });
});
