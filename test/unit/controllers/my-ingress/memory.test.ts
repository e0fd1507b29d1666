import { describe, expect, it } from 'vitest';
import { Memory, type ObjectMemory } from '../../../../src/controllers/my-ingress/memory.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const HOUR_MS = 3_600_000;

interface Bench {
  readonly clock: ManualClock;
  readonly all: Memory;
  readonly memory: ObjectMemory;
}

async function bench(): Promise<Bench> {
  const clock = new ManualClock();
  const all = new Memory(clock);
  await clock.advance(60_000);
  return { clock, all, memory: all.of('web/shop', 'uid-1') };
}

describe('the memory of an object', () => {
  it('is the same until it is forgotten', async () => {
    const { all, memory } = await bench();
    expect(all.of('web/shop', 'uid-1')).toBe(memory);
    expect(all.of('web/cart', 'uid-1')).not.toBe(memory);
    all.forget('web/shop');
    expect(all.of('web/shop', 'uid-1')).not.toBe(memory);
  });

  it('is not that of an earlier object of its name, and costs its room once', async () => {
    const { all, memory } = await bench();
    memory.doubtAbsenceMs();
    expect(all.of('web/shop', 'uid-2')).not.toBe(memory);
    expect(all.of('web/shop', 'uid-2').doubtAbsenceMs()).toBe(10_000);
    expect(all.size).toBe(1);
    all.forget('web/shop');
    expect(all.size).toBe(0);
  });
});

describe('a balancer', () => {
  it('is fresh for ten seconds after this process has created it', async () => {
    const { clock, memory } = await bench();
    expect(memory.isFresh('arn:1')).toBe(false);
    memory.hasCreated('arn:1');
    expect(memory.isFresh('arn:1')).toBe(true);
    expect(memory.isFresh('arn:2')).toBe(false);
    expect(memory.awaitsOwnCreate()).toBe(true);
    await clock.advance(9_999);
    expect(memory.isFresh('arn:1')).toBe(true);
    await clock.advance(1);
    expect(memory.isFresh('arn:1')).toBe(false);
    expect(memory.awaitsOwnCreate()).toBe(false);
  });

  it('may be fresh whatever its ARN after a create whose fate is unknown', async () => {
    const { clock, memory } = await bench();
    memory.mayHaveCreated();
    expect(memory.isFresh('arn:any')).toBe(true);
    expect(memory.awaitsOwnCreate()).toBe(false);
    await clock.advance(10_000);
    expect(memory.isFresh('arn:any')).toBe(false);
  });

  it('may be fresh from an earlier process for ten seconds after the start', async () => {
    const clock = new ManualClock();
    const memory = new Memory(clock).of('web/shop', 'uid-1');
    expect(memory.mayBeFresh('arn:1')).toBe(true);
    expect(memory.isFresh('arn:1')).toBe(false);
    await clock.advance(10_000);
    expect(memory.mayBeFresh('arn:1')).toBe(false);
  });

  it('that was released is remembered, and for ten seconds its reads may be older', async () => {
    const { clock, memory } = await bench();
    expect(memory.released()).toBeUndefined();
    memory.hasReleased({ arn: 'arn:1', name: 'shop' });
    expect(memory.released()).toMatchObject({ arn: 'arn:1', name: 'shop' });
    expect(memory.hasJustReleased('arn:1')).toBe(true);
    expect(memory.hasJustReleased('arn:2')).toBe(false);
    await clock.advance(10_000);
    expect(memory.hasJustReleased('arn:1')).toBe(false);
    expect(memory.released()).toBeDefined();
  });
});

describe('absence', () => {
  it('is doubted until ten seconds after the first look that found nothing', async () => {
    const { clock, memory } = await bench();
    expect(memory.doubtAbsenceMs()).toBe(10_000);
    await clock.advance(4_000);
    expect(memory.doubtAbsenceMs()).toBe(6_000);
    await clock.advance(6_000);
    expect(memory.doubtAbsenceMs()).toBe(0);
    await clock.advance(60_000);
    expect(memory.doubtAbsenceMs()).toBe(0);
  });

  it('is doubted anew once the balancer was seen', async () => {
    const { clock, memory } = await bench();
    memory.doubtAbsenceMs();
    await clock.advance(9_000);
    memory.wasSeen();
    expect(memory.doubtAbsenceMs()).toBe(10_000);
  });
});

describe('provisioning', () => {
  it('counts from the create', async () => {
    const { clock, memory } = await bench();
    memory.hasCreated('arn:1');
    await clock.advance(3_000);
    expect(memory.provisioningForMs()).toBe(3_000);
  });

  it('counts from the first look where another process has created', async () => {
    const { clock, memory } = await bench();
    expect(memory.provisioningForMs()).toBe(0);
    await clock.advance(3_000);
    expect(memory.provisioningForMs()).toBe(3_000);
  });
});

describe('attributes', () => {
  it('are due one interval after they were seen', async () => {
    const { clock, memory } = await bench();
    memory.sawAttributes(HOUR_MS);
    await clock.advance(HOUR_MS - 1);
    expect(memory.areAttributesDue(HOUR_MS)).toBe(false);
    await clock.advance(1);
    expect(memory.areAttributesDue(HOUR_MS)).toBe(true);
  });

  it('are due at some time in the first interval after a start', async () => {
    const { clock, all } = await bench();
    const memories = Array.from({ length: 100 }, (_, i) => all.of(`web/shop-${i}`, 'uid'));
    const due = (): number => memories.filter((memory) => memory.areAttributesDue(HOUR_MS)).length;
    expect(due()).toBeLessThan(5);
    await clock.advance(HOUR_MS / 2);
    expect(due()).toBeGreaterThan(30);
    expect(due()).toBeLessThan(70);
    await clock.advance(HOUR_MS / 2);
    expect(due()).toBe(100);
  });
});
