import type { ReadableWorld } from '../aws-world.ts';
import { loadBalancerNotFound, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText } from '../input-fields.ts';
import type { LoadBalancer } from './balancer-store.ts';

/** `arn:aws:elasticloadbalancing:<region>:<account>:loadbalancer/app/<name>/<16 hex digits>` */
export function balancerArn(world: ReadableWorld, name: string, hash: string): string {
  return `${arnPrefix(world)}loadbalancer/app/${name}/${hash}`;
}

/** The balancer that the required field `LoadBalancerArn` names. */
export function balancerOf(world: ReadableWorld, input: Input): LoadBalancer {
  return balancerWithArn(world, requiredText(input, 'LoadBalancerArn'));
}

/** Throws LoadBalancerNotFound. */
export function balancerWithArn(world: ReadableWorld, arn: string): LoadBalancer {
  checkBalancerArn(world, arn);
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

/** `arn:aws:elasticloadbalancing:<region>:<account>:` */
export function arnPrefix(world: ReadableWorld): string {
  const { partition, region } = world.facts;
  return `arn:${partition}:elasticloadbalancing:${region}:${world.accountId}:`;
}

function hasBalancerPath(arn: string): boolean {
  return /:loadbalancer\/(app|net|gwy)\/[A-Za-z0-9-]{1,32}\/[0-9a-f]{16}$/.test(arn);
}
