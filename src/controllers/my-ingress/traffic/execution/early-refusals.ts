import { hasReason } from '../../../../core/reconcile/operator-error.ts';
import type { Problem } from '../../graph/problem.ts';
import { findListenerPort, SECURITY_GROUP_ID } from '../../graph/resource-id.ts';
import { findObstacle, RULE_WRITES, type Step } from '../../graph/steps.ts';
import { turnsStickinessOn } from '../../target-groups/diff.ts';
import type { TrafficMemory } from '../memory.ts';
import type { References } from '../references.ts';
import { isRecent } from '../replay.ts';

interface Failed {
  readonly failed: readonly Step[];
  /** Of `failed`: refused for a moment, or not tried because of that. */
  readonly early: readonly Step[];
}

/**
 * Whether what has failed keeps a step from being executed, and for how long; undefined: it does not. Rules and the
 * default action of a listener change in an order in which each request is answered as before or as after: what comes
 * behind an early one of them would take requests from what is not there yet.
 */
export function judgeObstacle(
  step: Step,
  { failed, early }: Failed,
): 'early' | 'lasting' | undefined {
  const lasting = failed.filter((one) => !early.includes(one));
  if (findObstacle(step, lasting) !== undefined) return 'lasting';
  const isEarly =
    findObstacle(step, early) !== undefined || early.some((one) => isBehind(step, one));
  return isEarly ? 'early' : undefined;
}

interface Known {
  readonly problems: readonly Problem[];
  readonly references: Pick<References, 'listeners'>;
  readonly failed: readonly Step[];
}

/** By the listener for which it waits. A rule of a listener that is not there needs no words of its own. */
export function explainLeftOut(
  step: Step,
  { problems, references, failed }: Known,
): readonly Problem[] {
  const { id } = step;
  const obstacle = findObstacle(step, failed);
  const cause = problems.find((one) => one.id === obstacle?.id);
  if (cause === undefined || cause.id === id) return [];
  const awaited = findListenerPort(cause.id);
  const port = findRouted(step);
  if (awaited === undefined || port === undefined) return [];
  if (port === String(awaited) && !references.listeners.has(cause.id)) return [];
  const message = `stays as it is until ${cause.id} is as the spec has it`;
  return [{ ...cause, id, message, isUntried: true }];
}

function isBehind(step: Step, early: Step): boolean {
  const port = findRouted(early);
  if (port === undefined) return false;
  // AWS takes it only once every action of the group is as it is to be.
  if (turnsStickinessOn(step)) return true;
  const own = findRouted(step);
  if (own === undefined) return false;
  // A redirect to a new listener would meet its default action in place of a rule.
  const isToIt = step.needs.includes(`listener/${port}`);
  return own === port || isToIt || own === ANY_PORT || port === ANY_PORT;
}

/** The id of a rule with long names does not say which listener it is of. */
const ANY_PORT = 'any';

/** The port of the listener whose requests the step sends elsewhere. */
function findRouted({ id, operation, input }: Step): string | undefined {
  const isOfListener = operation === 'ModifyListener' && input.action !== undefined;
  if (!isOfListener && !RULE_WRITES.has(operation)) return undefined;
  const [, port = ''] = id.split('/');
  return /^\d+$/.test(port) ? port : ANY_PORT;
}

/** A refusal, and ids that its request names. */
interface Refused {
  readonly error: unknown;
  readonly named: readonly string[];
}

/**
 * Explains a refusal that may be about the managed security group, which this process has made a moment ago: AWS does
 * not know it everywhere at once. undefined: any other one, such as a group that the spec names and AWS does not know.
 * https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
 */
export function explainUnseenGroup(
  memory: TrafficMemory | undefined,
  { error, named }: Refused,
  nowMs: number,
): string | undefined {
  if (!hasReason(error, 'InvalidSecurityGroup')) return undefined;
  const young = memory?.made?.find((one) => named.includes(one.arn) && isRecent(one, nowMs));
  if (young === undefined) return undefined;
  return `security group ${young.arn} was made a moment ago, and AWS does not know it everywhere yet`;
}

/** The managed security group, where the step names it. */
export function listManaged({ needs }: Step, { securityGroup }: References): readonly string[] {
  return securityGroup !== undefined && needs.includes(SECURITY_GROUP_ID) ? [securityGroup] : [];
}
