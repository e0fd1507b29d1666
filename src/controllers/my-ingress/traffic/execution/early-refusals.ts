import { hasReason } from '../../../../core/reconcile/operator-error.ts';
import type { Problem, ProblemReason } from '../../graph/problem.ts';
import { SECURITY_GROUP_ID } from '../../graph/resource-id.ts';
import type { Operation, Step } from '../../graph/steps.ts';
import { CONTRADICTIONS, type TrafficMemory } from '../memory.ts';
import type { References } from '../references.ts';
import { isRecent } from '../replay.ts';

/** Refusals for something that AWS does not show yet, or for a read that was old: over within seconds. */
const UNSEEN: ReadonlySet<ProblemReason> = new Set([...CONTRADICTIONS, 'TargetGroupNotFound']);

/**
 * Rules and the default action of a listener change in an order in which each request is answered as before or as
 * after. What comes behind such a refusal waits for the next try: it would take requests from what is not there yet.
 */
export function isBehindUnseen(step: Step, problems: readonly Problem[]): boolean {
  if (!isRouting(step)) return false;
  const [, port] = step.id.split('/');
  return problems.some(({ id, reason }) => {
    return UNSEEN.has(reason) && (id.startsWith(`rule/${port}/`) || id === `listener/${port}`);
  });
}

function isRouting({ operation, input }: Step): boolean {
  if (operation === 'ModifyListener') return input.action !== undefined;
  return ROUTING.has(operation);
}

const ROUTING: ReadonlySet<Operation> = new Set<Operation>([
  'CreateRule',
  'ModifyRule',
  'SetRulePriorities',
  'DeleteRule',
]);

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
