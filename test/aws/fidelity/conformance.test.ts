import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EmbeddedAwsServer,
  startEmbeddedAws,
} from '../../../localstack/embedded/http/server.ts';
import { OPERATIONS } from '../../../localstack/embedded/operations.ts';
import { type SeededNetwork, seedNetwork } from '../../../localstack/seed.ts';
import { CREDENTIALS } from '../../surroundings/aws-stand-in.ts';
import { type AdapterUnderTest, adapterUnderTest } from '../adapter.ts';
import { Relay, type RelayedAnswer } from '../relay.ts';
import { isMissing } from '../under-test.ts';
import { openingSteps, type Step, steps } from './random-steps.ts';
import { loadServiceModel, type ServiceModel } from './service-model.ts';
import { Side } from './side.ts';

const SEQUENCES = 300;
const SEED = 4;

const served = [...OPERATIONS.values()]
  .filter(({ service }) => service === 'elasticloadbalancing')
  .map(({ name }) => name);
/** Those on balancers; traffic-conformance.test.ts has the others. */
const used = served.filter((name) =>
  /LoadBalancer|Tags|^Set(Subnets|SecurityGroups|IpAddressType)/.test(name),
);

/** The embedded stand-in against AWS's own description of the service. */
describe.skipIf(isMissing)('the embedded stand-in', () => {
  let model: ServiceModel;
  let server: EmbeddedAwsServer;
  let network: SeededNetwork;
  let relay: Relay;
  let aws: AdapterUnderTest;
  beforeAll(async () => {
    model = await loadServiceModel('elbv2/2015-12-01');
    const settings = { budget: 'off', provisioningMs: 0, quota: 3 } as const;
    server = await startEmbeddedAws({ settings });
    network = await seedNetwork({ endpoint: server.url, credentials: CREDENTIALS });
    relay = new Relay(server.url);
    await relay.open();
    aws = adapterUnderTest(relay.url);
  });
  afterAll(async () => {
    await aws?.close();
    await relay?.stop();
    await server?.stop();
  });

  it('serves operations that AWS has', () => {
    expect(model.operations).toEqual(expect.arrayContaining(served));
    expect(served).toHaveLength(35);
  });

  it(`answers ${SEQUENCES} random sequences as the model allows`, {
    timeout: 120_000,
  }, async () => {
    const answers: RelayedAnswer[] = [];
    relay.onAnswer = (answer) => answers.push(answer);
    let number = 0;
    const play = async (sequence: readonly Step[]): Promise<void> => {
      answers.length = 0;
      const side = new Side(aws.api, network, `c${number++}s`);
      for (const step of [...openingSteps, ...sequence]) await side.run(step);
      await side.clear();
      for (const answer of answers) noteSeen(answer);
      expect(answers.flatMap((answer) => model.faultsOf(answer))).toEqual([]);
    };
    const seen = new Set<string>();
    const noteSeen = ({ operation, status }: RelayedAnswer): void => {
      seen.add(`${operation} ${status < 300 ? 'accepted' : 'refused'}`);
    };
    await fc.assert(fc.asyncProperty(steps, play), { numRuns: SEQUENCES, seed: SEED });
    // Every operation of the adapter, both ways; a delete of what is gone is no failure.
    const both = used.flatMap((name) => [`${name} accepted`, `${name} refused`]);
    const always = both.filter((one) => one !== 'DeleteLoadBalancer refused');
    expect([...seen]).toEqual(expect.arrayContaining(always));
  });

  it('is held to the model: an invented code and an invented field are found', () => {
    const say = (status: number, body: string): RelayedAnswer => ({
      operation: 'SetSubnets',
      status,
      body,
    });
    const invented = '<ErrorResponse><Error><Code>Invented</Code></Error></ErrorResponse>';
    expect(model.faultsOf(say(400, invented))).toHaveLength(1);
    const declared = invented.replace('Invented', 'InvalidSubnet');
    expect(model.faultsOf(say(400, declared))).toEqual([]);
    const result = (inner: string): string =>
      `<SetSubnetsResponse><SetSubnetsResult>${inner}</SetSubnetsResult></SetSubnetsResponse>`;
    const good = '<IpAddressType>ipv4</IpAddressType>';
    expect(model.faultsOf(say(200, result(good)))).toEqual([]);
    for (const bad of ['<Zones/>', '<IpAddressType>ipv5</IpAddressType>', good + good]) {
      expect(model.faultsOf(say(200, result(bad)))).toHaveLength(1);
    }
  });
});
