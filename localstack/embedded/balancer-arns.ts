import { AwsFault, loadBalancerNotFound, validationError } from './aws-fault.ts';
import type { ReadableWorld } from './aws-world.ts';
import type { LoadBalancer } from './balancer-store.ts';
import { type Input, requiredText } from './input-fields.ts';

/** `arn:aws:elasticloadbalancing:<region>:<account>:loadbalancer/app/<name>/<16 hex digits>` */
export function balancerArn(world: ReadableWorld, name: string, hash: string): string {
  return `${arnPrefix(world)}loadbalancer/app/${name}/${hash}`;
}

/** The balancer that the required field `LoadBalancerArn` names. */
export function balancerOf(world: ReadableWorld, input: Input): LoadBalancer {
  const arn = requiredText(input, 'LoadBalancerArn');
  checkBalancerArn(world, arn);
  return existingBalancer(world, arn);
}

/** Throws LoadBalancerNotFound. */
function existingBalancer(world: ReadableWorld, arn: string): LoadBalancer {
  const balancer = world.balancers.byArn(arn);
  if (balancer === undefined) throw loadBalancerNotFound();
  return balancer;
}

/**
 * A balancer's ARN of this account and region, whether it exists or not. AWS answers
 * ValidationError for an ARN of another account or region, not LoadBalancerNotFound.
 */
export function checkBalancerArn(world: ReadableWorld, arn: string): void {
  if (arn.startsWith(`${arnPrefix(world)}loadbalancer/`) && hasBalancerPath(arn)) return;
  throw validationError(`'${arn}' is not a valid load balancer ARN`);
}

/** ARNs of the other taggable resources: well formed, and never existing here. */
const OTHER_RESOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    targetgroup: 'TargetGroupNotFound',
    listener: 'ListenerNotFound',
    'listener-rule': 'RuleNotFound',
    truststore: 'TrustStoreNotFound',
  }),
);

/** The balancer behind an ARN given to a tagging operation, which takes any resource. */
export function taggedBalancer(world: ReadableWorld, arn: string): LoadBalancer {
  const prefix = arnPrefix(world);
  if (!arn.startsWith(prefix)) throw validationError(`'${arn}' is not a valid ARN`);
  const [kind = ''] = arn.slice(prefix.length).split('/');
  const code = OTHER_RESOURCES.get(kind);
  if (code !== undefined) throw new AwsFault(code, `The resource '${arn}' does not exist`);
  checkBalancerArn(world, arn);
  return existingBalancer(world, arn);
}

/** `arn:aws:elasticloadbalancing:<region>:<account>:` */
export function arnPrefix(world: ReadableWorld): string {
  const { partition, region } = world.facts;
  return `arn:${partition}:elasticloadbalancing:${region}:${world.accountId}:`;
}

function hasBalancerPath(arn: string): boolean {
  return /:loadbalancer\/(app|net|gwy)\/[A-Za-z0-9-]{1,32}\/[0-9a-f]{16}$/.test(arn);
}
