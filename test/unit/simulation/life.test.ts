import { describe, expect, it } from 'vitest';
import { SimClock } from '../../simulation/sim-clock.ts';
import { Life } from '../../simulation/world/life.ts';

function begin(): { readonly world: SimClock; readonly life: Life; readonly seen: string[] } {
  const world = new SimClock(1);
  const life = new Life({ world, name: 'replica-0_1', seed: 1, wallSkewMs: 60_000 });
  return { world, life, seen: [] };
}

describe('a life of a process', () => {
  it('has its own wall clock and the time of the world', async () => {
    const { world, life } = begin();
    await world.runUntil(5000);
    expect(life.clock.now() - world.now()).toBe(60_000);
    expect(life.clock.monotonicMs()).toBe(5000);
  });

  it('hears nothing after its death, neither of a timer nor of an answer', async () => {
    const { world, life, seen } = begin();
    life.clock.setTimer(10, () => seen.push('timer'));
    world.setTimer(20, () => life.reach(() => seen.push('answer')));
    life.die();
    await world.runUntil(1000);
    life.goOn();
    await world.runUntil(2000);
    expect(seen).toEqual([]);
  });

  it('hears late of what happened while it was stopped, and never of a timer cancelled since', async () => {
    const { world, life, seen } = begin();
    life.clock.setTimer(10, () => seen.push('timer'));
    const cancel = life.clock.setTimer(10, () => seen.push('cancelled'));
    life.stop();
    await world.runUntil(1000);
    expect(seen).toEqual([]);
    cancel();
    life.goOn();
    await world.runUntil(1000);
    expect(seen).toEqual(['timer']);
  });
});
