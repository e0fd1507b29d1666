import { beforeAll, describe, expect, it } from 'vitest';
import { AwsFault } from '../../../localstack/embedded/aws-fault.ts';
import { createEmbeddedAws, type EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import type { Input } from '../../../localstack/embedded/input-fields.ts';
import { OPERATIONS } from '../../../localstack/embedded/operations.ts';
import { seededRandom } from '../../../localstack/embedded/seeded-ids.ts';
import { isMissing } from '../under-test.ts';
import { loadServiceModel, type ServiceModel } from './service-model.ts';

/** The network and the balancer that the examples take for granted. */
const VPC = 'vpc-3ac0fb5f';
const SUBNETS = { 'subnet-8360a9e7': 'us-west-2a', 'subnet-b7d581c0': 'us-west-2b' } as const;
const GROUP = 'sg-5943793c';
const BALANCER =
  /arn:aws:elasticloadbalancing:us-west-2:123456789012:loadbalancer\/app\/my-load-balancer\/50dc6c495c0c9188/g;
/** Drawn by lot, or of the moment. */
const VOLATILE = ['CanonicalHostedZoneId', 'CreatedTime', 'DNSName', 'LoadBalancerArn'];

type Fields = Readonly<Record<string, unknown>>;

describe.skipIf(isMissing)("the examples of AWS's documentation", () => {
  let model: ServiceModel;
  beforeAll(async () => {
    model = await loadServiceModel();
  });

  it('are there', () => {
    expect(Object.keys(model.examples)).toHaveLength(29);
  });

  it('come out as documented where the embedded stand-in serves the operation', () => {
    const played = examplesOf(model).filter(({ operation }) => OPERATIONS.has(operation));
    expect(played.map(({ operation }) => operation)).toHaveLength(13);
    for (const { operation, example } of played) {
      const account = accountOfTheExamples();
      if (operation === 'CreateLoadBalancer') account.aws.control.reset({ keepNetwork: true });
      const input = translate(account, example.input ?? {}) as Input;
      const answer = account.aws.handle(operation, input) as Fields;
      const wanted = translate(account, example.output ?? {}) as Fields;
      if ('Attributes' in wanted) expectAttributes(answer, wanted, input);
      else expect(answer, operation).toMatchObject(matching(wanted) as object);
    }
  });

  it('are refused as unknown where it does not', () => {
    const others = examplesOf(model).filter(({ operation }) => !OPERATIONS.has(operation));
    expect(others).toHaveLength(23);
    for (const { operation, example } of others) {
      const { aws } = accountOfTheExamples();
      const refused = (): unknown => aws.handle(operation, example.input ?? {});
      expect(refused, operation).toThrow(AwsFault);
      expect(refused, operation).toThrow(/Could not find operation/);
    }
  });
});

function examplesOf(model: ServiceModel) {
  return Object.entries(model.examples).flatMap(([operation, examples]) =>
    examples.map((example) => ({ operation, example })),
  );
}

interface Account {
  readonly aws: EmbeddedAws;
  readonly arn: string;
  /** The default one of the VPC, whose id nobody can choose. */
  readonly group: string;
}

function accountOfTheExamples(): Account {
  const aws = createEmbeddedAws({
    clock: { now: () => Date.UTC(2016, 2, 25) },
    random: seededRandom(1),
    region: 'us-west-2',
    accountId: '123456789012',
    settings: { budget: 'off', provisioningMs: 1 },
  });
  createNetwork(aws);
  const settings = { Name: 'my-load-balancer', Subnets: Object.keys(SUBNETS) };
  const { LoadBalancers } = aws.handle('CreateLoadBalancer', settings) as {
    LoadBalancers: readonly { LoadBalancerArn: string; SecurityGroups: readonly string[] }[];
  };
  const [balancer] = LoadBalancers;
  const arn = balancer?.LoadBalancerArn as string;
  aws.handle('AddTags', {
    ResourceArns: [arn],
    Tags: [
      { Key: 'project', Value: 'lima' },
      { Key: 'department', Value: 'digital-media' },
    ],
  });
  return { aws, arn, group: balancer?.SecurityGroups[0] as string };
}

function createNetwork(aws: EmbeddedAws): void {
  const named = (ResourceType: string, id: string): Fields => ({
    TagSpecifications: [{ ResourceType, Tags: [{ Key: '_custom_id_', Value: id }] }],
  });
  aws.handle('CreateVpc', { CidrBlock: '10.0.0.0/16', ...named('vpc', VPC) });
  aws.handle('CreateInternetGateway', named('internet-gateway', 'igw-1'));
  aws.handle('AttachInternetGateway', { InternetGatewayId: 'igw-1', VpcId: VPC });
  Object.entries(SUBNETS).forEach(([id, AvailabilityZone], index) => {
    const CidrBlock = `10.0.${index}.0/24`;
    aws.handle('CreateSubnet', { VpcId: VPC, CidrBlock, AvailabilityZone, ...named('subnet', id) });
  });
}

function translate({ arn, group }: Account, value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(BALANCER, arn).replaceAll(GROUP, group);
  return JSON.parse(text) as unknown;
}

/** The documented output, with any text where chance or time decides. */
function matching(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => matching(entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (VOLATILE.includes(field)) return [field, expect.anything()];
      // The example of DescribeLoadBalancers is of a balancer that had its minutes.
      if (field === 'State') return [field, { Code: expect.any(String) }];
      return [field, matching(inner)];
    }),
  );
}

/** What was asked for is set, and everything that the example shows exists; later keys may be more. */
function expectAttributes(answer: Fields, wanted: Fields, input: Fields): void {
  const keysOf = (fields: Fields): string[] =>
    (fields['Attributes'] as { Key: string }[]).map(({ Key }) => Key);
  expect(keysOf(answer)).toEqual(expect.arrayContaining(keysOf(wanted)));
  const asked = input['Attributes'] as readonly object[] | undefined;
  expect(answer['Attributes']).toEqual(expect.arrayContaining([...(asked ?? [])]));
}
