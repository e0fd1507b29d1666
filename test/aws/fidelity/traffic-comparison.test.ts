import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMissing } from '../under-test.ts';
import { type Contestant, compareSequences, knownAmong, useContest } from './comparing.ts';
import { createBalancer } from './side.ts';
import { judgedTraffic, judgeTraffic } from './traffic-judge.ts';
import { TrafficSide } from './traffic-side.ts';
import { closingReads, openingTraffic, trafficSteps } from './traffic-steps.ts';

const SEQUENCES = 250;

/** As comparison.test.ts, for listeners, rules, target groups and their tags. */
describe.skipIf(isMissing)('the embedded stand-in and this backend, with traffic', () => {
  const contest = useContest();
  const balancers = new Map<Contestant, readonly string[]>();
  beforeAll(async () => {
    for (const one of contest().contestants) balancers.set(one, await createBalancers(one));
  });
  afterAll(async () => {
    for (const [{ adapter }, arns] of balancers) {
      for (const LoadBalancerArn of arns)
        await adapter.api.send('DeleteLoadBalancer', { LoadBalancerArn });
    }
  });

  it(`answer ${SEQUENCES} random sequences alike, but for the table`, {
    timeout: 600_000,
  }, async () => {
    const { accepted, refused, whole, seen } = await compareSequences(contest(), {
      ...{ steps: trafficSteps, opening: openingTraffic, closing: closingReads },
      ...{ count: SEQUENCES, seed: 20261127 },
      playerOf: (one, number) =>
        new TrafficSide(one.adapter.api, {
          vpcId: one.network.vpcId,
          balancers: balancers.get(one) ?? [],
          prefix: `t${process.pid}x${number}g`,
        }),
      createJudge: () => judgeTraffic,
    });
    expect(accepted).toBeGreaterThan(SEQUENCES * 8);
    expect(refused).toBeGreaterThan(SEQUENCES * 2);
    expect(whole).toBeGreaterThan(SEQUENCES / 3);
    expect(seen).toEqual(knownAmong(judgedTraffic));
  });
});

async function createBalancers({ adapter, network }: Contestant): Promise<readonly string[]> {
  return await Promise.all(
    [0, 1].map((nth) => createBalancer(adapter.api, `c${process.pid}x${nth}`, network.subnets)),
  );
}
