import { describe, expect, it } from 'vitest';
import {
  cutsOf,
  play,
  type Story,
  staleFor,
} from '../../unit/controllers/my-ingress/crash-play.ts';
import { MINUTE_MS, SCAN_MS, type World } from '../../unit/controllers/my-ingress/world.ts';

type Stories = Readonly<Record<string, Story>>;

const LOSSES = {
  'whose answer is lost': 'lostResponse',
  'that does not arrive': 'dropBeforeApply',
} as const;

/** Plays each story once for every place where it can be cut. */
export function describeCuts(stories: Stories): void {
  describeDeaths(stories);
  describeLosses(stories);
}

function describeDeaths(stories: Stories): void {
  describe('a process that dies at any of its operations', () => {
    for (const [name, story] of Object.entries(stories)) {
      it(`leaves the next one to finish: ${name}`, async () => {
        const cuts = await cutsOf(story);
        expect(cuts.length).toBeGreaterThan(9);
        for (const cut of cuts) {
          const world = await play(story, cut);
          expect(world.incarnation.isOver, JSON.stringify(cut)).toBe(true);
          world.start();
          await world.clock.advance(12 * MINUTE_MS);
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

      it(`leaves nothing where the object is deleted at that moment: ${name}`, async () => {
        for (const cut of await cutsOf(story)) {
          const world = await play(story, cut, staleFor(MINUTE_MS));
          if (world.exists('shop')) world.delete('shop');
          world.start();
          await world.clock.advance(10 * MINUTE_MS);
          expect(world.exists('shop'), JSON.stringify(cut)).toBe(false);
          expect(world.beside, JSON.stringify(cut)).toEqual([]);
        }
      });
    }
  });
}

function describeLosses(stories: Stories): void {
  describe('an operator that lives on', () => {
    for (const [name, story] of Object.entries(stories)) {
      for (const [which, kind] of Object.entries(LOSSES)) {
        it(`finishes after any call to AWS ${which}: ${name}`, async () => {
          const calls = (await play(story, undefined)).incarnation.count('aws');
          expect(calls).toBeGreaterThan(9);
          for (let skip = 0; skip < calls; skip += 1) {
            const lose = (world: World): void => world.fault('*', { kind }, { skip, times: 1 });
            const world = await play(story, undefined, lose);
            await world.clock.advance(12 * MINUTE_MS);
            expectEnd(story, world, `call ${skip + 1}`);
            expect(await world.writesDuring(() => world.clock.advance(2 * SCAN_MS))).toEqual([]);
          }
        });
      }
    }
  });
}

function expectEnd({ ends }: Story, world: World, after: string): void {
  try {
    ends(world);
  } catch (error) {
    throw new Error(`${after}: ${(error as Error).message}`, { cause: error });
  }
}
