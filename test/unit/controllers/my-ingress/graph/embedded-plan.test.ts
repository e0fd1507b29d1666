import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddedTraffic } from './embedded-traffic.ts';
import { spec } from './random-traffic.ts';
import { TrafficWorld } from './traffic-world.ts';

describe('a plan against the stand-in', () => {
  it('has only steps that AWS takes, and after them nothing to do', () => {
    const crashes = fc.array(fc.nat(20), { maxLength: 2 });
    fc.assert(
      fc.property(fc.array(fc.tuple(spec, crashes), { minLength: 1, maxLength: 3 }), (edits) => {
        const world = new TrafficWorld(embeddedTraffic());
        for (const [edited, stops] of edits) {
          world.spec = edited;
          for (const stop of stops) world.execute(world.plan(), stop);
          expect(world.converge()).toEqual({ steps: [], postponed: [], problems: [] });
        }
      }),
      { numRuns: 60 },
    );
  });
});
