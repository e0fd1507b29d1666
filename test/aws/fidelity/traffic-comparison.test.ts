import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DifferenceId } from '../../../localstack/differences.ts';
import {
  type EmbeddedAwsServer,
  startEmbeddedAws,
} from '../../../localstack/embedded/http/server.ts';
import { seedNetwork } from '../../../localstack/seed.ts';
import type { AwsApi } from '../../../src/aws/client/aws-api.ts';
import { CREDENTIALS } from '../../surroundings/aws-stand-in.ts';
import { type AdapterUnderTest, adapterUnderTest } from '../adapter.ts';
import { backendUnderTest, isMissing } from '../under-test.ts';
import { isKnownDifference } from './judge.ts';
import { judgedTraffic, judgeTraffic } from './traffic-judge.ts';
import { type TrafficPlace, TrafficSide } from './traffic-side.ts';
import { closingReads, openingTraffic, type TrafficStep, trafficSteps } from './traffic-steps.ts';

const SEQUENCES = 250;
const SEED = 20261127;

type Place = Omit<TrafficPlace, 'prefix'>;

/** As comparison.test.ts, for listeners, rules, target groups and their tags. */
describe.skipIf(isMissing)('the embedded stand-in and this backend, with traffic', () => {
  let server: EmbeddedAwsServer;
  let sides: readonly { readonly adapter: AdapterUnderTest; readonly place: Place }[];
  beforeAll(async () => {
    const settings = { budget: 'off', provisioningMs: 0, quota: 1000 } as const;
    server = await startEmbeddedAws({ settings });
    const network = await seedNetwork({ endpoint: server.url, credentials: CREDENTIALS });
    const networks = [network, backendUnderTest().network];
    const adapters = [adapterUnderTest(server.url), adapterUnderTest()];
    sides = await Promise.all(
      adapters.map(async (adapter, index) => {
        const { subnets = [], vpcId = '' } = networks[index] ?? {};
        const names = [0, 1].map((nth) => `c${process.pid}x${nth}`);
        const balancers = await createBalancers(adapter.api, names, subnets.slice(0, 2));
        return { adapter, place: { vpcId, balancers } };
      }),
    );
  });
  afterAll(async () => {
    for (const { adapter, place } of sides ?? []) {
      for (const LoadBalancerArn of place.balancers)
        await adapter.api.send('DeleteLoadBalancer', { LoadBalancerArn });
      await adapter.close();
    }
    await server?.stop();
  });

  it(`answer ${SEQUENCES} random sequences alike, but for the table`, {
    timeout: 600_000,
  }, async () => {
    const tally = { accepted: 0, refused: 0, whole: 0 };
    const seen = new Set<DifferenceId>();
    let number = 0;
    const play = async (sequence: readonly TrafficStep[]): Promise<void> => {
      const prefix = `t${process.pid}x${number++}g`;
      const [left, right] = sides.map(({ adapter, place }) => {
        return new TrafficSide(adapter.api, { ...place, prefix });
      }) as [TrafficSide, TrafficSide];
      try {
        for (const step of [...openingTraffic, ...sequence, ...closingReads]) {
          const [ours, theirs] = await Promise.all([left.run(step), right.run(step)]);
          tally[ours.code === 'ok' ? 'accepted' : 'refused']++;
          const { difference, isApart } = judgeTraffic(step, ours, theirs);
          if (isKnownDifference(difference)) seen.add(difference);
          else expect(ours, JSON.stringify(step)).toEqual(theirs);
          if (isApart) return;
        }
        tally.whole++;
      } finally {
        await Promise.all([left.clear(), right.clear()]);
      }
    };
    await fc.assert(fc.asyncProperty(trafficSteps, play), { numRuns: SEQUENCES, seed: SEED });
    // What was compared, and that no rule of the judge is one that never comes up.
    expect(tally.accepted).toBeGreaterThan(SEQUENCES * 8);
    expect(tally.refused).toBeGreaterThan(SEQUENCES * 2);
    expect(tally.whole).toBeGreaterThan(SEQUENCES / 3);
    expect([...seen].sort()).toEqual([...judgedTraffic].filter(isKnownDifference).sort());
  });
});

async function createBalancers(
  api: AwsApi,
  names: readonly string[],
  subnets: readonly string[],
): Promise<readonly string[]> {
  const answers = await Promise.all(
    names.map((Name) => api.send('CreateLoadBalancer', { Name, Subnets: [...subnets] })),
  );
  return answers.map(({ LoadBalancers }) => LoadBalancers?.[0]?.LoadBalancerArn ?? '');
}
