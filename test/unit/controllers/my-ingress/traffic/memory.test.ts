import { describe, expect, it } from 'vitest';
import { isReadDue } from '../../../../../src/controllers/my-ingress/traffic/memory.ts';
import { MINUTE_MS } from '../world.ts';

const given = { memory: undefined, objectCount: 1, knownSinceMs: 0, spread: 0.5 };
const facts = { changedAtMs: 0, unusedSinceMs: new Map(), refused: new Map() };
const known = { facts, generation: 1, isOpen: false };

describe('everything beside a balancer is read again', () => {
  it('after a restart at a moment of its own in the first half hour', () => {
    expect(isReadDue(given, 14 * MINUTE_MS)).toBe(false);
    expect(isReadDue(given, 15 * MINUTE_MS)).toBe(true);
  });

  it('half an hour after the last time', () => {
    const memory = { ...known, readMs: 10 * MINUTE_MS };
    expect(isReadDue({ ...given, memory }, 39 * MINUTE_MS)).toBe(false);
    expect(isReadDue({ ...given, memory }, 40 * MINUTE_MS)).toBe(true);
  });

  it('so rarely among thousands that eight reads each are two a second together', () => {
    const memory = { ...known, readMs: 0 };
    const many = { ...given, memory, objectCount: 4_000 };
    const intervalMs = 4_000 * 4_000;
    expect(isReadDue(many, intervalMs - 1)).toBe(false);
    expect(isReadDue(many, intervalMs)).toBe(true);
    expect((4_000 * 8) / (intervalMs / 1000)).toBe(2);
  });

  it('at once where something is due', () => {
    const memory = { ...known, readMs: 0, dueMs: MINUTE_MS };
    expect(isReadDue({ ...given, memory }, MINUTE_MS)).toBe(true);
  });
});
