import { describe, expect, it } from 'vitest';
import { expectEnd, itIsFinished } from '../../unit/controllers/my-ingress/crash-finishing.ts';
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
      itIsFinished(name, story, 12 * MINUTE_MS);

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
