import { describe, expect, it } from 'vitest';
import {
  hasOpenTraffic,
  isReadDue,
  rememberBalancer,
  type TrafficMemory,
} from '../../../../../src/controllers/my-ingress/traffic/memory.ts';
import { MINUTE_MS } from '../world.ts';

const given = { memory: undefined, objectCount: 1, knownSinceMs: 0, spread: 0.5 };
const facts = {
  changes: [{ atMs: 0, conditions: undefined }],
  unusedSinceMs: new Map(),
  checkedSinceMs: new Map(),
  refused: [],
};
const known = { facts, revision: 1, isOpen: false };

describe('everything beside a balancer is read again', () => {
  it('after a restart at a moment of its own in the first half hour', () => {
    expect(isReadDue(given, 14 * MINUTE_MS)).toBe(false);
    expect(isReadDue(given, 15 * MINUTE_MS)).toBe(true);
  });

  it('at that moment of each half hour, whenever it was read in between', () => {
    for (const minute of [15, 20, 44]) {
      const memory = { ...known, readMs: minute * MINUTE_MS };
      expect(isReadDue({ ...given, memory }, 45 * MINUTE_MS - 1)).toBe(false);
      expect(isReadDue({ ...given, memory }, 45 * MINUTE_MS)).toBe(true);
    }
  });

  it('so rarely among many that all together are about one read a second', () => {
    const memory = { ...known, readMs: 0, readCount: 10 };
    const many = { ...given, spread: 0, memory, objectCount: 4_000 };
    const intervalMs = (4_000 * 10 * 1000) / 0.95;
    expect(isReadDue(many, intervalMs - 1)).toBe(false);
    expect(isReadDue(many, intervalMs)).toBe(true);
  });

  it('at once where something is due', () => {
    const memory = { ...known, readMs: 0, dueMs: MINUTE_MS };
    expect(isReadDue({ ...given, memory }, MINUTE_MS)).toBe(true);
  });
});

it.each([
  ['nothing', {}, false],
  ['what is due', { dueMs: 1_000 }, true],
  [
    'a hand-over, with the next try later (4000485104)',
    { isHandingOver: true, dueMs: 8_000 },
    true,
  ],
])('a pass that reads the balancer alone leaves undone: %s', (_what, more, isOpen) => {
  expect(hasOpenTraffic({ ...known, ...more }, 1_000)).toBe(isOpen);
});

describe('a newer read of a balancer', () => {
  const read = (arn: string) => ({ arn, securityGroups: ['sg-web'] }) as never;
  const standing = { graph: {}, loadBalancer: read('arn:one'), balancerMs: 0 };
  const memory = { ...known, standing } as unknown as TrafficMemory;

  it('takes the place of the one before', () => {
    const { standing: after } = rememberBalancer(memory, read('arn:one'), MINUTE_MS);
    expect(after?.balancerMs).toBe(MINUTE_MS);
  });

  it('leaves the memory alone where another balancer took its place: nothing of the graph is there', () => {
    expect(rememberBalancer(memory, read('arn:two'), MINUTE_MS)).toBe(memory);
  });
});
