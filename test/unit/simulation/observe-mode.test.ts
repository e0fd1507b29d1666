import { describe, expect, it } from 'vitest';
import { EVENTFUL_MS, generate } from '../../simulation/generate.ts';
import { DEFINED_KINDS } from '../../simulation/served-definition.ts';
import { World } from '../../simulation/world/world.ts';

const SEEDS = 12;

/** Labels of operations that are no reads: `kube PATCH myingresses/status apply`. */
function isWrite(label: string): boolean {
  return !/^(aws Describe|kube (GET|LIST|VERSION|WATCH) )/.test(label);
}

describe('a world in which the operator observes', () => {
  it('whatever happens, gets nothing from it but status, and no pass comes to a write', async () => {
    const written = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { settings, ...scenario } = generate(seed);
      const observing = { ...settings, election: false, mode: 'observe' } as const;
      const world = new World({ ...scenario, settings: observing }, { isTraced: true });
      world.start();
      await world.clock.runUntil(EVENTFUL_MS);
      for (const label of world.board.counts.keys()) if (isWrite(label)) written.add(label);
      const refused = world.trace.filter((line) => line.includes('a bug in the operator'));
      expect(refused, `seed ${seed}`).toEqual([]);
    }
    const others = [...written].filter((label) => !/^kube PATCH \w+\/status /.test(label));
    expect(others).toEqual([]);
    const kinds = DEFINED_KINDS.map(({ plural }) => plural).toSorted();
    const reported = [...written].map((label) => label.split(/[ /]/)[2] ?? '');
    expect([...new Set(reported)].toSorted()).toEqual(kinds);
  });
});
