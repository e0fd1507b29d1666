import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { World } from '../world.ts';
import { web } from './specs.ts';

async function advanceUntilReady(world: World): Promise<void> {
  const isReady = (): boolean => {
    const { metadata, status } = world.object('shop');
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && world.condition('shop') === 'True Available';
  };
  for (let ms = 0; ms < 60_000 && !isReady(); ms += 50) await world.clock.advance(50);
  expect(isReady()).toBe(true);
}

/** A world in which reads do not show yet what the object has made. */
async function createUnseen(spec: Partial<MyIngressSpec>): Promise<World> {
  const world = World.started();
  world.fault('*', { kind: 'staleReads', ageMs: 3_000 }, { forMs: 20_000 });
  world.apply('shop', { ...spec, tags: { team: 'a' } });
  await advanceUntilReady(world);
  return world;
}

/** `team` of everything beside the balancer. */
function listTeams(world: World): readonly (string | undefined)[] {
  return [...new Set(world.beside.map(({ tags }) => tags['team']))];
}

describe('a listener that reads do not show yet', () => {
  const specs: Readonly<Record<string, Partial<MyIngressSpec>>> = {
    'without a backend': { listeners: [{ port: 80, protocol: 'HTTP' }] },
    'with a backend': { backends: [web] },
  };
  const edits: Readonly<Record<string, NonNullable<MyIngressSpec['tags']>>> = {
    other: { team: 'b' },
    no: {},
  };

  for (const [what, spec] of Object.entries(specs)) {
    it.each(Object.entries(edits))(
      `${what} has the %s tags of the spec when it is Ready`,
      async (_, tags) => {
        const world = await createUnseen(spec);
        world.edit('shop', { tags });
        await advanceUntilReady(world);
        expect(listTeams(world)).toEqual([tags['team']]);
      },
    );
  }
});
