import { describe, expect, it } from 'vitest';
import { isMissing } from '../under-test.ts';
import { compareSequences, knownAmong, useContest } from './comparing.ts';
import { IngressJudge, judgedIngress } from './ingress-judge.ts';
import { IngressSide } from './ingress-side.ts';
import { closingIngress, ingressExamples, ingressSteps, openingIngress } from './ingress-steps.ts';

const SEQUENCES = 50;

/** As comparison.test.ts, for security groups and their rules of ingress. */
describe.skipIf(isMissing)('the embedded stand-in and this backend, with security groups', () => {
  const contest = useContest();

  it(`answer ${SEQUENCES} random sequences alike, but for the table`, {
    timeout: 600_000,
  }, async () => {
    const { accepted, refused, whole, seen } = await compareSequences(contest(), {
      ...{ steps: ingressSteps, opening: openingIngress, closing: closingIngress },
      ...{ examples: ingressExamples, count: SEQUENCES, seed: 20261127 },
      playerOf: ({ adapter, network: { vpcId } }, number) =>
        new IngressSide(adapter.api, { vpcId, prefix: `i${process.pid}x${number}g` }),
      createJudge: () => {
        const judge = new IngressJudge();
        return (...answers) => judge.judge(...answers);
      },
    });
    expect(accepted).toBeGreaterThan(SEQUENCES * 3);
    expect(refused).toBeGreaterThan(SEQUENCES);
    expect(whole).toBeGreaterThan(SEQUENCES / 4);
    expect(seen).toEqual(knownAmong(judgedIngress));
  });
});
