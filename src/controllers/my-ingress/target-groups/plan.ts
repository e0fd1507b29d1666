// Lives here: target groups: desired, diff, retirement; pure.
// May import it: src/controllers/my-ingress; src/cli takes attribute-defaults.ts.
// Start with: this file, then diff.ts.

import { type TrafficFacts, WINDOW_MS } from '../graph/facts.ts';
import type { DesiredTargetGroup, ObservedGraph, ObservedTargetGroup } from '../graph/graph.ts';
import type { PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { Postponed, Step } from '../graph/steps.ts';
import { identifyTargetGroup, isOwnTargetGroup } from '../graph/tags.ts';
import { createTargetGroup, turnsStickinessOn, updateTargetGroup } from './diff.ts';

/** AWS's default, for a group whose attributes were not read. */
const DEFAULT_DELAY_SECONDS = 300;

export interface TargetGroupSteps {
  /** Before the listeners. */
  readonly before: readonly Step[];
  /** After the rules, those that are deleted among them: what AWS refuses while they are as before. */
  readonly afterRules: readonly Step[];
  /** Ours and not desired any more. */
  readonly obsolete: readonly ObsoleteGroup[];
  readonly problems: readonly Problem[];
}

interface ObsoleteGroup {
  readonly id: ResourceId;
  readonly observed: ObservedTargetGroup;
}

type Context = Pick<PlanContext, 'identity' | 'appliedTags'>;

/** A group whose settings cannot be changed has another name, so that its successor is created beside it. */
export function planTargetGroups(
  desired: readonly DesiredTargetGroup[],
  observed: ObservedGraph,
  context: Context,
): TargetGroupSteps {
  const steps = desired.flatMap((group) => planTargetGroup(group, observed, context));
  const names = new Set(desired.map(({ name }) => name));
  const foreign = findForeignGroups(desired, observed, context);
  const used = findUsedNames(observed);
  const isLate = (step: Step): boolean =>
    turnsStickinessOn(step) && used.has(step.input.targetGroup);
  return {
    before: putCreatesFirst(steps.filter((step) => !isLate(step))),
    afterRules: steps.filter(isLate),
    obsolete: observed.targetGroups.flatMap((group) => {
      const id = identifyTargetGroup(group, context.identity);
      return id === undefined || names.has(group.targetGroup.name) ? [] : [{ id, observed: group }];
    }),
    problems: foreign.map(describeConflict),
  };
}

/** Of groups that an action names. Any other one is as it is to be before it gets requests. */
function findUsedNames({ targetGroups }: ObservedGraph): ReadonlySet<string> {
  const used = targetGroups.filter(({ targetGroup }) => targetGroup.loadBalancerArns.length > 0);
  return new Set(used.map(({ targetGroup: { name } }) => name));
}

/** So that one read of tags proves all that was created, before anything else is done with it. */
function putCreatesFirst(steps: readonly Step[]): readonly Step[] {
  return steps.toSorted((a, b) => Number(isGroupCreate(b)) - Number(isGroupCreate(a)));
}

export function isGroupCreate(step: Step | undefined): boolean {
  return step?.operation === 'CreateTargetGroup';
}

/**
 * ARNs of groups for HTTP/2 and gRPC, which need HTTPS.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-target-groups.html#target-group-protocol-version
 */
export function findSecureGroups({ targetGroups }: ObservedGraph): ReadonlySet<string> {
  const secure = targetGroups.filter(({ targetGroup }) => targetGroup.protocolVersion !== 'HTTP1');
  return new Set(secure.map(({ targetGroup: { arn } }) => arn));
}

/** Desired ones whose name a foreign group has. */
export function findForeignGroups(
  desired: readonly DesiredTargetGroup[],
  { targetGroups }: ObservedGraph,
  { identity }: Pick<Context, 'identity'>,
): readonly DesiredTargetGroup[] {
  const foreign = targetGroups.filter((one) => !isOwnTargetGroup(one, identity));
  const names = new Set(foreign.map(({ targetGroup: { name } }) => name));
  return desired.filter(({ name }) => names.has(name));
}

function planTargetGroup(
  desired: DesiredTargetGroup,
  observed: ObservedGraph,
  { identity, appliedTags }: Context,
): readonly Step[] {
  const found = observed.targetGroups.find(({ targetGroup }) => targetGroup.name === desired.name);
  if (found === undefined) return createTargetGroup(desired);
  if (!isOwnTargetGroup(found, identity)) return [];
  return updateTargetGroup(desired, found, appliedTags);
}

function describeConflict({ id, name }: DesiredTargetGroup): Problem {
  const message = `a target group ${name} exists, and its tags do not name this object`;
  const next = `delete target group ${name} if it is no longer needed, or name the backend otherwise`;
  return { id, reason: 'NameConflict', message, next };
}

/**
 * Deletes a group that is not desired once no action has named it for as long as its targets may still
 * answer; undefined while one does. Requests reach a group for some seconds after its last rule is gone:
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/3739
 */
export function retireTargetGroup(
  id: ResourceId,
  { targetGroup: { arn, loadBalancerArns }, attributes = {} }: ObservedTargetGroup,
  { facts, nowMs }: { readonly facts: TrafficFacts; readonly nowMs: number },
): Postponed | undefined {
  if (loadBalancerArns.length > 0) return undefined;
  const seconds = Number(
    attributes['deregistration_delay.timeout_seconds'] ?? DEFAULT_DELAY_SECONDS,
  );
  const sinceMs = facts.unusedSinceMs.get(arn) ?? nowMs;
  const dueMs = sinceMs + Math.max(WINDOW_MS, seconds * 1000);
  const why = 'not desired, and no action names it';
  const step: Step = { ...{ id, operation: 'DeleteTargetGroup', why, needs: [] }, input: { arn } };
  return { step, inMs: Math.max(0, dueMs - nowMs) };
}
