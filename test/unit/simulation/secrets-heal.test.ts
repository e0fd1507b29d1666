import { describe, expect, it } from 'vitest';
import { PLAIN } from '../../simulation/plain-settings.ts';
import { runScenario } from '../../simulation/run-scenario.ts';
import type { Scenario } from '../../simulation/scenario.ts';
import type { SourceAction } from '../../simulation/sources/actions.ts';

/** When the right to read Secrets comes back, in ms. */
const GRANTED_MS = 180_000;
const BOUND_MS = 10_000;

/** A ConfigMonitor of a Secret that albridge may not read from `fromMs` on, and that is edited meanwhile. */
function refuseFrom(fromMs: number, seed: number): Scenario {
  return {
    seed,
    settings: { ...PLAIN, secrets: true },
    steps: [
      { atMs: 100, source: write('good 1') },
      { atMs: 200, source: { do: 'watch', at: 'web/of-db', spec: { secret: 'db' } } },
      { atMs: 120_000, source: write('good 2') },
    ],
    faults: [{ kind: 'forbidden', fromMs, forMs: GRANTED_MS - fromMs, plural: 'secrets' }],
  };
}

function write(user: string): SourceAction {
  return { do: 'put', at: 'web/db', kind: 'Secret', data: { user } };
}

interface Line {
  readonly atMs: number;
  readonly text: string;
}

/** What the world shows of the object and of what albridge logs about it. */
async function trace(scenario: Scenario): Promise<readonly Line[]> {
  const run = await runScenario(scenario, { isTraced: true });
  return run.trace
    .filter((text) => text.includes('web/of-db'))
    .map((text) => ({ atMs: 1000 * Number.parseFloat(text), text }));
}

describe('the right to read Secrets', () => {
  it.each([1, 2, 3, 4, 5])('that is granted later takes effect within 10 s (%i)', async (seed) => {
    const lines = await trace(refuseFrom(0, seed));
    expect(lines.some(({ text }) => text.includes('SecretsUnread'))).toBe(true);
    const healed = lines.find(({ text }) => text.includes('Ready=True Watching'));
    expect(healed?.atMs).toBeGreaterThan(GRANTED_MS);
    expect(healed?.atMs).toBeLessThanOrEqual(GRANTED_MS + BOUND_MS);
  });

  it.each([1, 2, 3, 4, 5])(
    'that was lost for a while hides no change for longer (%i)',
    async (seed) => {
      const lines = await trace(refuseFrom(60_000, seed));
      const detected = lines.find(({ text }) => text.includes('Modification detected'));
      expect(detected?.atMs).toBeGreaterThan(GRANTED_MS);
      expect(detected?.atMs).toBeLessThanOrEqual(GRANTED_MS + BOUND_MS);
    },
  );
});
