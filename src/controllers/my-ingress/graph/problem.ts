import { myIngressReasons } from '../../../apis/my-ingress-reasons.ts';
import { awsReasons, type QuotaCode } from '../../../aws/elbv2/traffic.ts';
import { abridge } from '../../../core/objects/abridge.ts';
import { findRule, type ResourceId } from './resource-id.ts';

const REASONS = { ...awsReasons, ...myIngressReasons };

export type ProblemReason = keyof typeof REASONS;

/** A resource that does not match the spec, while the others do. */
export interface Problem {
  readonly id: ResourceId;
  readonly reason: ProblemReason;
  /** Without its subject and without a full stop: `port 80 is held by listener arn:...`. */
  readonly message: string;
  /** The next action, where the table's words do not state it best. */
  readonly next?: string;
  /** Because this is full. */
  readonly quota?: QuotaCode | undefined;
  /** AWS was not asked, as it has refused another one. */
  readonly isUntried?: true;
}

/** A refusal of AWS, which says what to do next at its end. */
export function describeRefusal(id: ResourceId, reason: ProblemReason, said: string): Problem {
  const usual = `; ${REASONS[reason].next}`;
  if (said.endsWith(usual)) return { id, reason, message: said.slice(0, -usual.length) };
  const end = said.lastIndexOf('; ');
  if (end < 0) return { id, reason, message: said };
  return { id, reason, message: said.slice(0, end), next: said.slice(end + 2) };
}

/** The whole of a condition's message about resources, worst first; pure. */
export interface ProblemReport {
  readonly reason: ProblemReason;
  readonly message: string;
  readonly healedBy: 'person' | 'time';
}

const MOST_SENTENCES = 5;

/** undefined: none. The leading one gives reason and next action, each of the first few has its sentence. */
export function reportProblems(problems: readonly Problem[]): ProblemReport | undefined {
  const sorted = sortProblems(problems);
  const [worst] = sorted;
  if (worst === undefined) return undefined;
  const sentences = abridge(describeEach(sorted), MOST_SENTENCES);
  const { healedBy } = REASONS[worst.reason];
  const { next = REASONS[worst.reason].next } = worst;
  return {
    reason: worst.reason,
    message: `${sentences.join('. ')}; ${next}`,
    healedBy: healedBy === 'time' ? 'time' : 'person',
  };
}

/**
 * Failures that a person must heal come before those that time heals; then what carries most traffic. What lacks a
 * target group comes after what is wrong with the groups, and what AWS was not asked for after what it has refused.
 */
function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  const hasCause = problems.some(({ id }) => id.startsWith('target-group/'));
  const isEffect = ({ reason, isUntried }: Problem): boolean =>
    isUntried === true || (hasCause && reason === 'BackendUnavailable');
  return problems.toSorted((a, b) => {
    const rank = Number(isEffect(a)) - Number(isEffect(b)) || rankProblem(a) - rankProblem(b);
    return rank || (a.id < b.id ? -1 : 1);
  });
}

/** A sentence each; parts of one rule that meet the same quota have one together. */
function describeEach(problems: readonly Problem[]): readonly string[] {
  const sentences = new Map<string, string>();
  for (const problem of problems) {
    const { id, quota } = problem;
    const sentence = describeProblem(problem);
    const key = quota === undefined ? sentence : `${describeId(id)} ${quota}`;
    if (!sentences.has(key)) sentences.set(key, sentence);
  }
  return [...sentences.values()];
}

/** `rule/80/spec/api/0: message`. */
function describeProblem({ id, message }: Problem): string {
  return `${describeId(id)}: ${message}`;
}

const KINDS = ['load-balancer', 'security-group', 'listener', 'target-group', 'rule'];

function rankProblem({ id, reason }: Problem): number {
  const [kind = ''] = id.split('/');
  const urgency = REASONS[reason].healedBy === 'person' ? 0 : KINDS.length;
  return urgency + KINDS.indexOf(kind);
}

/** In the words of the spec: `rule api on port 443`, `backend web`, `listener 80`. */
export function describeId(id: ResourceId): string {
  const { port, rule } = findRule(id) ?? {};
  if (rule !== undefined) return `rule ${rule.replace(/^spec\//, '')} on port ${port}`;
  const [kind = '', ...rest] = id.split('/');
  if (kind === 'target-group') return `backend ${rest.join('/').replace(/^spec\//, '')}`;
  return [kind, ...rest].join(' ');
}
