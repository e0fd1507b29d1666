import { describe, expect, it } from 'vitest';
import {
  areAttributesDue,
  awaitsOwnCreate,
  type Facts,
  isFlapping,
  isFresh,
  listRecentSteps,
  Memory,
  mayBeFresh,
  mayHideCreate,
  measureAbsenceDoubtMs,
  measureProvisioningMs,
  rememberAbsence,
  rememberChange,
  rememberCreate,
  rememberPresence,
  rememberProvisioning,
  rememberRelease,
  rememberTakeover,
  wasJustReleased,
} from '../../../../src/controllers/my-ingress/memory.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const W = 10_000;
const HOUR_MS = 3_600_000;
const none: Facts = { knownSinceMs: -HOUR_MS, spread: 0.5, changes: [], takeovers: [] };
const step = { field: 'ipAddressType', desired: 'ipv4', observed: 'dualstack' } as const;

describe('the memory of an object', () => {
  it('is the same until it is forgotten', () => {
    const all = new Memory(new ManualClock());
    const memory = all.of('web/shop', 'uid-1');
    expect(all.of('web/shop', 'uid-1')).toBe(memory);
    expect(all.of('web/cart', 'uid-1')).not.toBe(memory);
    all.forget('web/shop');
    expect(all.of('web/shop', 'uid-1')).not.toBe(memory);
  });

  it('is not that of an earlier object of its name, and costs its room once', () => {
    const all = new Memory(new ManualClock());
    const earlier = all.of('web/shop', 'uid-1');
    earlier.facts = rememberAbsence(earlier.facts, 0);
    expect(all.of('web/shop', 'uid-2').facts.absentSinceMs).toBeUndefined();
    expect(all.size).toBe(1);
    all.forget('web/shop');
    expect(all.size).toBe(0);
  });
});

describe('a balancer', () => {
  it('is fresh for ten seconds after this process has created it', () => {
    const facts = rememberCreate(none, 'arn:1', 0);
    expect(isFresh(none, 'arn:1', 0)).toBe(false);
    expect(isFresh(facts, 'arn:2', 0)).toBe(false);
    expect([0, W - 1, W].map((ms) => isFresh(facts, 'arn:1', ms))).toEqual([true, true, false]);
    expect([W - 1, W].map((ms) => awaitsOwnCreate(facts, ms))).toEqual([true, false]);
    expect([W - 1, W].map((ms) => mayHideCreate(facts, ms))).toEqual([true, false]);
  });

  it('may be fresh whatever its ARN after a create whose fate is unknown', () => {
    const facts = rememberCreate(none, undefined, 0);
    expect([W - 1, W].map((ms) => isFresh(facts, 'arn:any', ms))).toEqual([true, false]);
    expect(awaitsOwnCreate(facts, 0)).toBe(false);
  });

  it('may be fresh from an earlier process for ten seconds', () => {
    const facts = { ...none, knownSinceMs: 0 };
    expect(isFresh(facts, 'arn:1', 0)).toBe(false);
    expect([W - 1, W].map((ms) => mayBeFresh(facts, 'arn:1', ms))).toEqual([true, false]);
    expect([W - 1, W].map((ms) => mayHideCreate(facts, ms))).toEqual([true, false]);
  });

  it('may read as before a change for ten seconds', () => {
    const facts = rememberChange(none, { arn: 'arn:1', step, atMs: 0 });
    expect([W - 1, W].map((ms) => listRecentSteps(facts, 'arn:1', ms))).toEqual([[step], []]);
    expect(listRecentSteps(facts, 'arn:2', 0)).toEqual([]);
    expect([W - 1, W].map((ms) => mayBeFresh(facts, 'arn:1', ms))).toEqual([true, false]);
    expect(rememberChange(facts, { arn: 'arn:2', step, atMs: W }).changes).toHaveLength(1);
  });

  it('that was released is remembered, and for ten seconds its reads may be older', () => {
    const balancer = { arn: 'arn:1', name: 'shop', vpcId: 'vpc-main' };
    const facts = rememberRelease(none, balancer, { how: 'deleted', atMs: 0 });
    expect(facts.release).toMatchObject({ arn: 'arn:1', name: 'shop', how: 'deleted' });
    expect([W - 1, W].map((ms) => wasJustReleased(facts, 'arn:1', ms))).toEqual([true, false]);
    expect(wasJustReleased(facts, 'arn:2', 0)).toBe(false);
  });

  it('is quarrelled over after three takeovers from one UID within an hour', () => {
    const twice = rememberTakeover(rememberTakeover(none, 'u', 0), 'u', 1);
    const thrice = rememberTakeover(twice, 'u', 2);
    expect(isFlapping(twice, 'u', 2)).toBe(false);
    expect(isFlapping(thrice, 'u', 2)).toBe(true);
    expect(isFlapping(thrice, 'another', 2)).toBe(false);
    expect(isFlapping(thrice, 'u', HOUR_MS)).toBe(false);
  });
});

describe('absence', () => {
  const since0 = rememberAbsence(none, 0);

  it('is proved by a read that begins ten seconds after the first one that found nothing', () => {
    const later = rememberAbsence(since0, 4_000);
    expect(measureAbsenceDoubtMs(since0, 0)).toBe(W);
    expect([4_000, W, 6 * W].map((ms) => measureAbsenceDoubtMs(later, ms))).toEqual([6_000, 0, 0]);
  });

  it('gets the same answer however often it is asked', () => {
    expect(measureAbsenceDoubtMs(none, 0)).toBe(W);
    expect(measureAbsenceDoubtMs(none, W)).toBe(W);
  });

  it('is not proved by a read from before a sighting', () => {
    const facts = rememberAbsence(rememberPresence(since0), W - 1);
    expect(measureAbsenceDoubtMs(facts, W)).toBe(W - 1);
  });

  for (const arn of ['arn:1', undefined]) {
    it(`is not proved by a read from before a create that answered ${arn}`, () => {
      const facts = rememberAbsence(rememberCreate(since0, arn, W - 1), W);
      expect(measureAbsenceDoubtMs(facts, W)).toBe(W);
    });
  }
});

describe('provisioning', () => {
  it('counts from the create', () => {
    const facts = rememberProvisioning(rememberCreate(none, 'arn:1', 0), 1_000);
    expect(measureProvisioningMs(facts, 3_000)).toBe(3_000);
  });

  it('counts from the first read where another process has created', () => {
    expect(measureProvisioningMs(none, 3_000)).toBe(0);
    expect(measureProvisioningMs(rememberProvisioning(none, 0), 3_000)).toBe(3_000);
  });
});

describe('attributes', () => {
  const isDueAt = (facts: Facts, ms: number): boolean => areAttributesDue(facts, HOUR_MS, ms);

  it('are due one interval after they were read', () => {
    const facts = { ...none, attributesReadMs: 0 };
    expect([HOUR_MS - 1, HOUR_MS].map((ms) => isDueAt(facts, ms))).toEqual([false, true]);
  });

  it('are due at some time in the first interval after a start', () => {
    const all = new Memory(new ManualClock());
    const facts = Array.from({ length: 100 }, (_, i) => all.of(`web/shop-${i}`, 'uid').facts);
    const startMs = facts[0]?.knownSinceMs ?? 0;
    const countDue = (ms: number): number =>
      facts.filter((one) => isDueAt(one, startMs + ms)).length;
    expect(countDue(0)).toBeLessThan(5);
    expect(countDue(HOUR_MS / 2)).toBeGreaterThan(30);
    expect(countDue(HOUR_MS / 2)).toBeLessThan(70);
    expect(countDue(HOUR_MS)).toBe(100);
  });
});
