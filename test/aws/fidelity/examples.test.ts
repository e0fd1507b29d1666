import { beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import { createEmbeddedAws, type EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { AwsFault } from '../../../localstack/embedded/http/aws-fault.ts';
import type { Input } from '../../../localstack/embedded/input-fields.ts';
import { OPERATIONS } from '../../../localstack/embedded/operations.ts';
import { isMissing } from '../under-test.ts';
import { loadServiceModel, type ServiceModel } from './service-model.ts';

/** The network and the balancer that the examples take for granted. */
const VPC = 'vpc-3ac0fb5f';
const SUBNETS = { 'subnet-8360a9e7': 'us-west-2a', 'subnet-b7d581c0': 'us-west-2b' } as const;
const GROUP = 'sg-5943793c';
const INSTANCES = ['i-0f76fade', 'i-80c8dd94', 'i-ceddcd4d'];
const CERTIFICATES = ['my-server-cert', 'my-new-server-cert'].map(
  (name) => `arn:aws:iam::123456789012:server-certificate/${name}`,
);
/** Of one example, which has a target in two states at once. */
const IMPOSSIBLE = 'Given target group is not configured to receive traffic from ELB';
/** Drawn by lot, or of the moment. */
const VOLATILE = [
  ...['CanonicalHostedZoneId', 'CreatedTime', 'DNSName', 'LoadBalancerArn'],
  ...['ListenerArn', 'RuleArn', 'TargetGroupArn'],
];

type Fields = Readonly<Record<string, unknown>>;

describe.skipIf(isMissing)("the examples of AWS's documentation", () => {
  let model: ServiceModel;
  beforeAll(async () => {
    model = await loadServiceModel('elbv2/2015-12-01');
  });

  it('are there', () => {
    expect(Object.keys(model.examples)).toHaveLength(29);
  });

  it('come out as documented where the embedded stand-in serves the operation', () => {
    const played = examplesOf(model).filter(({ operation }) => OPERATIONS.has(operation));
    expect(played.map(({ operation }) => operation)).toHaveLength(34);
    for (const { operation, example } of played) {
      const account = accountOfTheExamples();
      clearTheWay(account, operation);
      const input = translate(account, example.input ?? {}) as Input;
      const answer = account.aws.handle(operation, input) as Fields;
      const wanted = translate(account, example.output ?? {}) as Fields;
      if ('Attributes' in wanted) expectAttributes(answer, wanted, input);
      else expect(answer, operation).toMatchObject(matching(wanted) as object);
    }
  });

  it('are refused as unknown where it does not', () => {
    const others = examplesOf(model).filter(({ operation }) => !OPERATIONS.has(operation));
    expect(others).toHaveLength(1);
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
    examples
      .filter((example) => !JSON.stringify(example).includes(IMPOSSIBLE))
      .map((example) => ({ operation, example })),
  );
}

interface Account {
  readonly aws: EmbeddedAws;
  /** What of an ARN of the examples is drawn by lot, and what it is here. */
  readonly hashes: ReadonlyMap<string, string>;
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
  const hashes = new Map([['50dc6c495c0c9188', hashOf(arn)], ...createTraffic(aws, arn)]);
  return { aws, hashes, group: balancer?.SecurityGroups[0] as string };
}

function hashOf(arn: string): string {
  return arn.slice(-16);
}

/** Groups, listeners and rules that the examples take for granted. */
function createTraffic(aws: EmbeddedAws, LoadBalancerArn: string): [string, string][] {
  aws.control.setCertificates(CERTIFICATES);
  for (const id of INSTANCES) {
    aws.control.putInstance({ id, subnetId: 'subnet-8360a9e7', state: 'running' });
  }
  const create = (operation: string, list: string, input: Fields): string => {
    const answer = aws.handle(operation, input) as Fields;
    const [made] = answer[list] as readonly Readonly<Record<string, string>>[];
    return made?.[`${list.slice(0, -1)}Arn`] as string;
  };
  const group = (Name: string, Protocol: string, Port: number): string =>
    create('CreateTargetGroup', 'TargetGroups', { Name, Protocol, Port, VpcId: VPC });
  const targets = group('my-targets', 'HTTP', 80);
  const newTargets = group('my-new-targets', 'HTTP', 80);
  const httpsTargets = group('my-https-targets', 'HTTPS', 443);
  const forward = (TargetGroupArn: string): Fields[] => [{ Type: 'forward', TargetGroupArn }];
  const listener = (Protocol: string, Port: number, input: Fields = {}): string => {
    const DefaultActions = forward(targets);
    const asked = { LoadBalancerArn, Protocol, Port, DefaultActions, ...input };
    return create('CreateListener', 'Listeners', asked);
  };
  const http = listener('HTTP', 80);
  const https = listener('HTTPS', 443, {
    Certificates: [{ CertificateArn: CERTIFICATES[0] }],
    SslPolicy: 'ELBSecurityPolicy-2015-05',
  });
  const Conditions = [{ Field: 'path-pattern', Values: ['/img/*'] }];
  const rule = { Priority: 10, Conditions, Actions: forward(targets) };
  const rule10 = create('CreateRule', 'Rules', { ...rule, ListenerArn: http });
  create('CreateRule', 'Rules', { ...rule, ListenerArn: https, Actions: forward(httpsTargets) });
  aws.handle('RegisterTargets', { TargetGroupArn: targets, Targets: [{ Id: 'i-0f76fade' }] });
  aws.control.setTargetHealth('my-targets', { health: { state: 'healthy' } });
  return [
    ['73e2d6bc24d8a067', targets],
    ['my-new-targets/2453ed029918f21f', newTargets],
    ['my-new-targets/3bb63f11dfb0faf9', newTargets],
    ['my-https-targets/2453ed029918f21f', httpsTargets],
    ['f2f7dc8efc522ab2', http],
    ['0467ef3c8400ae65', https],
    ['9683b2d02a6cabee', rule10],
    ['1291d13826f405c3', rule10],
  ].map(([hash = '', arn = '']): [string, string] => [
    hash,
    hash.replace(/[0-9a-f]{16}$/, hashOf(arn)),
  ]);
}

/** Takes away what the example is about to make, or what keeps it from deleting. */
function clearTheWay({ aws }: Account, operation: string): void {
  if (operation === 'CreateLoadBalancer') aws.control.reset({ keepNetwork: true });
  const { listeners } = aws.control.snapshot();
  if (operation === 'CreateListener' || operation === 'DeleteTargetGroup') {
    for (const { arn } of listeners) aws.handle('DeleteListener', { ListenerArn: arn });
  }
  if (operation !== 'CreateRule') return;
  for (const { arn, priority } of listeners.flatMap(({ rules }) => rules)) {
    if (priority === 10) aws.handle('DeleteRule', { RuleArn: arn });
  }
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

function translate({ hashes, group }: Account, value: unknown): unknown {
  // One example has a region that does not exist.
  let text = JSON.stringify(value).replaceAll(GROUP, group).replaceAll('ua-west-2', 'us-west-2');
  for (const [theirs, ours] of hashes) text = text.replaceAll(theirs, ours);
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
      if (field === 'State' && typeof inner === 'object') {
        return [field, { Code: expect.any(String) }];
      }
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
