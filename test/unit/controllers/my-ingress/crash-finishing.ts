import { expect, it } from 'vitest';
import { cutsOf, play, type Story, staleFor } from './crash-play.ts';
import { MINUTE_MS, SCAN_MS, type World } from './world.ts';

/** Kills the process at each of its operations: within `forMs` the next one is done, and then writes nothing. */
export function itIsFinished(name: string, story: Story, forMs: number): void {
  it(`leaves the next one to finish: ${name}`, async () => {
    const cuts = await cutsOf(story);
    expect(cuts.length).toBeGreaterThan(9);
    for (const cut of cuts) {
      const world = await play(story, cut);
      expect(world.incarnation.isOver, JSON.stringify(cut)).toBe(true);
      world.start();
      await world.clock.advance(forMs);
      expectEnd(story, world, JSON.stringify(cut));
      expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
    }
  });

  it(`leaves the next one to finish although reads are stale: ${name}`, async () => {
    for (const cut of await cutsOf(story)) {
      const world = await play(story, cut, staleFor(5 * MINUTE_MS));
      world.start();
      await world.clock.advance(20 * MINUTE_MS);
      expectEnd(story, world, JSON.stringify(cut));
    }
  });
}

/** Names the cut in what is not as it should be. */
export function expectEnd({ ends }: Story, world: World, after: string): void {
  try {
    ends(world);
  } catch (error) {
    throw new Error(`${after}: ${(error as Error).message}`, { cause: error });
  }
}
