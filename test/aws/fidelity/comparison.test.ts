import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DifferenceId } from '../../../localstack/differences.ts';
import {
  type EmbeddedAwsServer,
  startEmbeddedAws,
} from '../../../localstack/embedded/http/server.ts';
import { type SeededNetwork, seedNetwork } from '../../../localstack/seed.ts';
import { CREDENTIALS } from '../../surroundings/aws-stand-in.ts';
import { type AdapterUnderTest, adapterUnderTest } from '../adapter.ts';
import { backendUnderTest, isMissing } from '../under-test.ts';
import { isKnownDifference, Judge, judged } from './judge.ts';
import { openingSteps, type Step, steps } from './random-steps.ts';
import { Side } from './side.ts';

const SEQUENCES = 300;
const SEED = 20261121;

/**
 * The embedded stand-in and the backend get the same random calls. Where their answers differ, the
 * difference must be one that the table knows.
 */
describe.skipIf(isMissing)('the embedded stand-in and this backend', () => {
  let server: EmbeddedAwsServer;
  let embedded: AdapterUnderTest;
  let other: AdapterUnderTest;
  let network: SeededNetwork;
  beforeAll(async () => {
    const settings = { budget: 'off', provisioningMs: 0, quota: 1000 } as const;
    server = await startEmbeddedAws({ settings });
    network = await seedNetwork({ endpoint: server.url, credentials: CREDENTIALS });
    embedded = adapterUnderTest(server.url);
    other = adapterUnderTest();
  });
  afterAll(async () => {
    await embedded?.close();
    await other?.close();
    await server?.stop();
  });

  it(`answer ${SEQUENCES} random sequences alike, but for the table`, {
    timeout: 600_000,
  }, async () => {
    const tally = { accepted: 0, refused: 0 };
    const seen = new Set<DifferenceId>();
    let number = 0;
    const play = async (sequence: readonly Step[]): Promise<void> => {
      const prefix = `f${process.pid}x${number++}s`;
      const left = new Side(embedded.api, network, prefix);
      const right = new Side(other.api, backendUnderTest().network, prefix);
      const judge = new Judge();
      try {
        for (const step of [...openingSteps, ...sequence]) {
          const [ours, theirs] = await Promise.all([left.run(step), right.run(step)]);
          tally[ours.code === 'ok' ? 'accepted' : 'refused']++;
          const { difference, isApart } = judge.judge(step, ours, theirs);
          if (!isKnownDifference(difference)) expect(ours, JSON.stringify(step)).toEqual(theirs);
          else seen.add(difference);
          if (isApart) return;
        }
      } finally {
        await Promise.all([left.clear(), right.clear()]);
      }
    };
    await fc.assert(fc.asyncProperty(steps, play), { numRuns: SEQUENCES, seed: SEED });
    // What was compared, and that no rule of the judge is one that never comes up.
    expect(tally.accepted).toBeGreaterThan(SEQUENCES * 3);
    expect(tally.refused).toBeGreaterThan(SEQUENCES / 2);
    expect([...seen].sort()).toEqual([...judged].filter(isKnownDifference).sort());
  });
});
