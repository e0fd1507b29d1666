import type { Call } from '../../localstack/embedded/call-log.ts';
import type { Access } from './iam-policy.ts';

type Tags = Record<string, string>;

const ARN = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app';

/**
 * What AWS would ask IAM about a recorded series of calls, for those of the operator. The calls of
 * everybody are needed: they tell which tags a balancer had at the time.
 */
export function recordedAccesses(calls: readonly Call[]): readonly Access[] {
  const balancers = new Map<string, Tags>();
  return calls.flatMap((call) => {
    const accesses = isOperators(call) ? accessesOf(call, balancers) : [];
    if (call.outcome === 'ok') carryOut(call, balancers);
    return accesses;
  });
}

function isOperators({ service, userAgent }: Call): boolean {
  return service.startsWith('elastic') && (userAgent?.includes('albridge/') ?? false);
}

function accessesOf(call: Call, balancers: ReadonlyMap<string, Tags>): readonly Access[] {
  const action = `elasticloadbalancing:${call.operation}`;
  if (call.operation.startsWith('Describe')) return [{ action, resource: '*' }];
  const requestTags = tagsIn(call);
  const name = nameIn(call);
  const resource = `${ARN}/${name}/50dc6c495c0c9188`;
  if (call.operation === 'CreateLoadBalancer') {
    const context = { 'elasticloadbalancing:CreateAction': call.operation };
    const tagging = { action: 'elasticloadbalancing:AddTags', resource, requestTags, context };
    return [{ action, resource, requestTags }, tagging];
  }
  return [{ action, resource, requestTags, resourceTags: { ...balancers.get(name) } }];
}

function carryOut(call: Call, balancers: Map<string, Tags>): void {
  const name = nameIn(call);
  switch (call.operation) {
    case 'CreateLoadBalancer':
    case 'AddTags':
      balancers.set(name, { ...balancers.get(name), ...tagsIn(call) });
      return;
    case 'RemoveTags': {
      const removed = call.input['TagKeys'] as readonly string[];
      const left = Object.entries(balancers.get(name) ?? {}).filter(
        ([key]) => !removed.includes(key),
      );
      balancers.set(name, Object.fromEntries(left));
      return;
    }
    case 'DeleteLoadBalancer':
      balancers.delete(name);
  }
}

function tagsIn({ input }: Call): Tags {
  const tags = (input['Tags'] ?? []) as readonly {
    readonly Key: string;
    readonly Value?: string;
  }[];
  return Object.fromEntries(tags.map(({ Key, Value = '' }) => [Key, Value]));
}

/** From `Name`, or from `.../app/<name>/<id>`. */
function nameIn({ input }: Call): string {
  const arns = (input['ResourceArns'] ?? [input['LoadBalancerArn']]) as readonly string[];
  return (input['Name'] as string | undefined) ?? arns[0]?.split('/')[2] ?? '';
}
