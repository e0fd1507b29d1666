import { hasReason } from '../../../../core/reconcile/operator-error.ts';
import type { Problem, ProblemReason } from '../../graph/problem.ts';
import { SECURITY_GROUP_ID } from '../../graph/resource-id.ts';
import type { Step } from '../../graph/steps.ts';
import { CONTRADICTIONS, type TrafficMemory } from '../memory.ts';
import type { References } from '../references.ts';
import { isRecent } from '../replay.ts';

/** Refusals for something that AWS does not show yet, or for a read that was old: over within seconds. */
const UNSEEN: ReadonlySet<ProblemReason> = new Set([...CONTRADICTIONS, 'TargetGroupNotFound']);

/** A default action waits for the rules before it: what they take from it would get neither the old nor the new one. */
export function isBehindUnseen(
  { id, operation, input }: Step,
  problems: readonly Problem[],
): boolean {
  if (operation !== 'ModifyListener' || input.action === undefined) return false;
  const rules = `${id.replace('listener/', 'rule/')}/`;
  return problems.some((problem) => UNSEEN.has(problem.reason) && problem.id.startsWith(rules));
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
