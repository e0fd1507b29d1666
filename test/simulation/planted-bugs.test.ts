import { describe, expect, it } from 'vitest';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';
import { CLOSING, SEARCH, simulate } from './simulate.ts';

/** Its place knows a name no more, so that it throws whatever is promised. */
const BROKEN = / is not (defined|a function)\b/;

describe('a planted bug', () => {
  it.concurrent.each(Object.entries(MUTATIONS))(
    'is caught within 500 worlds: %s',
    SEARCH,
    async (name, { seed }: Mutation) => {
      const { code, output } = await simulate(
        '--mutation',
        name,
        '--seed',
        `${seed}`,
        '--unshrunk',
      );
      if (code === 0) return searchFor(name);
      const isCaught = / 1 violations$/m.test(output);
      expect({ code, isCaught, isBroken: BROKEN.test(output) }, output).toEqual({
        ...{ code: 1, isCaught: true, isBroken: false },
      });
    },
  );

  /** Slower: what the generator makes of the seed on record has changed. */
  async function searchFor(name: string): Promise<void> {
    const { code, output } = await simulate('--mutation', name, '--seeds', '400', '--unshrunk');
    const [, scenarios, violations] = CLOSING.exec(output) ?? [];
    const [aimed] = /^\d+(?= runs more)/m.exec(output) ?? ['0'];
    expect({ code, isCaught: Number(violations) > 0 }, output).toEqual({ code: 1, isCaught: true });
    expect(Number(scenarios) + Number(aimed)).toBeLessThanOrEqual(500);
    const [, found] = /^--seed (.+)$/m.exec(output) ?? [];
    process.stdout.write(
      `${name} is caught by ${found}: its seed in mutations.ts is out of date\n`,
    );
  }

  it('is refused where there is none of this name', async () => {
    const { code, output } = await simulate('--mutation', 'no-such-bug', '--seeds', '1');
    expect({ code, isReported: output.includes('no mutation "no-such-bug"') }).toEqual({
      code: 2,
      isReported: true,
    });
  });
});
