import type { Answer } from '../../../localstack/seeded-model.ts';
import type { World } from '../world.ts';

/** Ids and times, and what follows from the order in which things were made. */
const DROPPED = new Set([
  ...['LoadBalancerArn', 'LoadBalancerArns', 'DNSName', 'CreatedTime', 'ListenerArn', 'RuleArn'],
  ...['Priority', 'TargetGroupArn', 'SecurityGroupArn'],
]);

type Ask = (operation: string, input?: object) => Answer;

/** AWS as its own operations show it, without what depends on how it came to be. */
export function describeAws(world: World): unknown {
  const ask: Ask = (operation, input = {}) => world.outOfBand(operation, { ...input }) as Answer;
  const targetGroups: readonly Answer[] = ask('DescribeTargetGroups')['TargetGroups'];
  const securityGroups: readonly Answer[] = ask('DescribeSecurityGroups')['SecurityGroups'];
  const names = new Map<string, string>([
    ...targetGroups.map((one) => [one['TargetGroupArn'], one['TargetGroupName']] as const),
    ...securityGroups.map((one) => [one['GroupId'], one['GroupName']] as const),
  ]);
  const balancers = ask('DescribeLoadBalancers')['LoadBalancers'].map((one: Answer) =>
    describeBalancer(one, ask),
  );
  const groups = targetGroups.map((one) => describeGroup(one, ask));
  const status = [world.condition('shop'), world.object('shop').status.owned];
  return simplify({ balancers, groups, securityGroups, status }, names);
}

function describeBalancer(one: Answer, ask: Ask): Answer {
  const asked = { LoadBalancerArn: one['LoadBalancerArn'] };
  return {
    ...{ ...one, tags: tagsOf(one['LoadBalancerArn'], ask) },
    attributes: ask('DescribeLoadBalancerAttributes', asked)['Attributes'],
    listeners: ask('DescribeListeners', asked)['Listeners'].map((listener: Answer) =>
      describeListener(listener, ask),
    ),
  };
}

function describeGroup(one: Answer, ask: Ask): Answer {
  const arn = one['TargetGroupArn'];
  const { Attributes } = ask('DescribeTargetGroupAttributes', { TargetGroupArn: arn });
  return { ...one, tags: tagsOf(arn, ask), attributes: Attributes };
}

function describeListener(one: Answer, ask: Ask): Answer {
  const asked = { ListenerArn: one['ListenerArn'] };
  const isSecure = one['Protocol'] === 'HTTPS';
  return {
    ...{ ...one, tags: tagsOf(one['ListenerArn'], ask) },
    certificates: isSecure && listCertificates(asked, ask),
    attributes: ask('DescribeListenerAttributes', asked)['Attributes'],
    rules: ask('DescribeRules', asked)['Rules'].map((rule: Answer) => ({
      ...{ ...rule, tags: tagsOf(rule['RuleArn'], ask) },
    })),
  };
}

/**
 * Without which is the default one: that may be in the list a second time, where it was an additional one before.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeListenerCertificates.html
 */
function listCertificates(asked: object, ask: Ask): readonly string[] {
  const { Certificates } = ask('DescribeListenerCertificates', asked);
  return Certificates.map((one: Answer) => one['CertificateArn']);
}

function tagsOf(arn: string, ask: Ask): unknown {
  return ask('DescribeTags', { ResourceArns: [arn] })['TagDescriptions'][0].Tags;
}

/** Lists whose order means something to AWS; all others are sets. */
const ORDERED = new Set(['rules']);

function simplify(value: unknown, names: ReadonlyMap<string, string>, key = ''): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) {
    const items = value.filter(isKept).map((one: unknown) => simplify(one, names));
    if (ORDERED.has(key)) return items;
    const texts = new Map(items.map((one) => [JSON.stringify(one), one]));
    return [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !DROPPED.has(name));
  // A group's ARN in an action is which group it is.
  const group = (value as Answer)['TargetGroupArn'];
  return Object.fromEntries([
    ...(group === undefined ? [] : [['group', names.get(group)]]),
    ...fields
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, simplify(one, names, name)]),
  ]);
}

function isKept(item: unknown): boolean {
  return (item as Answer | undefined)?.['Key'] !== 'albridge.io/uid';
}
