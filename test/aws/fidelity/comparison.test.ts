import { describe, expect, it } from 'vitest';
import { isMissing } from '../under-test.ts';
import { compareSequences, knownAmong, useContest } from './comparing.ts';
import { Judge, judged } from './judge.ts';
import { openingSteps, steps } from './random-steps.ts';
import { Side } from './side.ts';

const SEQUENCES = 300;

/**
 * The embedded stand-in and the backend get the same random calls. Where their answers differ, the
 * difference must be one that the table knows.
 */
describe.skipIf(isMissing)('the embedded stand-in and this backend', () => {
  const contest = useContest();

  it(`answer ${SEQUENCES} random sequences alike, but for the table`, {
    timeout: 600_000,
  }, async () => {
    const { accepted, refused, seen } = await compareSequences(contest(), {
      ...{ steps, opening: openingSteps, count: SEQUENCES, seed: 20261121 },
      playerOf: ({ adapter, network }, number) =>
        new Side(adapter.api, network, `f${process.pid}x${number}s`),
      createJudge: () => {
        const judge = new Judge();
        return (...answers) => judge.judge(...answers);
      },
    });
    expect(accepted).toBeGreaterThan(SEQUENCES * 3);
    expect(refused).toBeGreaterThan(SEQUENCES / 2);
    expect(seen).toEqual(knownAmong(judged));
  });
});
