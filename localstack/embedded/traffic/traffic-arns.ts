import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText } from '../input-fields.ts';
import type { Listener } from '../listeners/listener.ts';
import { arnPrefix } from '../load-balancers/balancer-arns.ts';
import type { Rule } from '../rules/rule.ts';
import type { TargetGroup } from '../target-groups/target-group.ts';

/** `targetgroup/<name>/<16 hex digits>` */
export function targetGroupArn(world: ReadableWorld, name: string, hash: string): string {
  return `${arnPrefix(world)}targetgroup/${name}/${hash}`;
}

/** `listener/app/<balancer>/<its hash>/<16 hex digits>` */
export function listenerArn(balancerArn: string, hash: string): string {
  return `${balancerArn.replace(':loadbalancer/', ':listener/')}/${hash}`;
}

/** `listener-rule/app/<balancer>/<its hash>/<listener's hash>/<16 hex digits>` */
export function ruleArn(ofListener: string, hash: string): string {
  return `${ofListener.replace(':listener/', ':listener-rule/')}/${hash}`;
}

interface ArnKind {
  readonly path: RegExp;
  readonly called: string;
}

const BALANCER_PATH = '(app|net|gwy)/[A-Za-z0-9-]{1,32}/[0-9a-f]{16}';
const TARGET_GROUP: ArnKind = {
  path: /^targetgroup\/[A-Za-z0-9-]{1,32}\/[0-9a-f]{16}$/,
  called: 'target group',
};
const LISTENER: ArnKind = {
  path: new RegExp(`^listener/${BALANCER_PATH}/[0-9a-f]{16}$`),
  called: 'listener',
};
const RULE: ArnKind = {
  path: new RegExp(`^listener-rule/${BALANCER_PATH}/[0-9a-f]{16}/[0-9a-f]{16}$`),
  called: 'listener rule',
};

export function targetGroupOf(world: ReadableWorld, input: Input): TargetGroup {
  return targetGroupWithArn(world, requiredText(input, 'TargetGroupArn'));
}

/** Throws TargetGroupNotFound (its wording by analogy to the other kinds: unverified). */
export function targetGroupWithArn(world: ReadableWorld, arn: string): TargetGroup {
  checkTargetGroupArn(world, arn);
  return world.traffic.targetGroups.byArn(arn) ?? absent('TargetGroup', 'target groups');
}

export function listenerOf(world: ReadableWorld, input: Input): Listener {
  return listenerWithArn(world, requiredText(input, 'ListenerArn'));
}

/** Throws ListenerNotFound. https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/1157 */
export function listenerWithArn(world: ReadableWorld, arn: string): Listener {
  checkArn(world, arn, LISTENER);
  return world.traffic.listeners.byArn(arn) ?? absent('Listener', 'listeners');
}

export function ruleOf(world: ReadableWorld, input: Input): Rule {
  return ruleWithArn(world, requiredText(input, 'RuleArn'));
}

/** Throws RuleNotFound. */
export function ruleWithArn(world: ReadableWorld, arn: string): Rule {
  checkArn(world, arn, RULE);
  return world.traffic.rules.byArn(arn) ?? absent('Rule', 'rules');
}

/** A well-formed ARN of this account and region, whether the group exists or not. */
export function checkTargetGroupArn(world: ReadableWorld, arn: string): void {
  checkArn(world, arn, TARGET_GROUP);
}

function checkArn(world: ReadableWorld, arn: string, { path, called }: ArnKind): void {
  const prefix = arnPrefix(world);
  if (arn.startsWith(prefix) && path.test(arn.slice(prefix.length))) return;
  throw validationError(`'${arn}' is not a valid ${called} ARN`);
}

function absent(code: string, what: string): never {
  throw new AwsFault(`${code}NotFound`, `One or more ${what} not found`);
}
