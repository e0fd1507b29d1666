import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../apis/my-ingress.ts';
import { type LoadBalancer, STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import type { Tags } from '../../../aws/elbv2/traffic.ts';
import type { Revision } from '../attaching/joined.ts';
import type { FoundCertificates } from '../discovery/found-certificates.ts';
import {
  beginFacts,
  forgetRefusals,
  type Refusal,
  recordChange,
  recordRefusal,
  recordStep,
  type TrafficFacts,
} from '../graph/facts.ts';
import type { Problem, ProblemReason } from '../graph/problem.ts';
import type { StandingGraph } from '../graph/projection.ts';
import type { Step } from '../graph/steps.ts';
import type { ServedGroup } from '../targets.ts';
import { isStructureDue, type LaneGiven } from './observation/lanes.ts';
import { forgetUncertain, isRecent, recordWritten, type Written } from './replay.ts';

/** This process's memory of the traffic of one object; times are monotonic ms. */
export interface TrafficMemory {
  readonly facts: TrafficFacts;
  /** The spec and the attached routes that the facts are about. */
  readonly revision: Revision;
  /** The choice for listeners that name none; undefined: this process has made none yet. */
  readonly certificates?: FoundCertificates;
  /** AWS did not know a certificate of the last pass: the list that it was chosen from is old. */
  readonly lacksCertificate?: boolean;
  /** When all of it was last read, but for attributes. */
  readonly readMs?: number;
  readonly attributesReadMs?: number;
  /** As `countReads`. */
  readonly readCount?: number;
  /** The security groups that the balancer is to carry; undefined: whichever it does. */
  readonly attached?: readonly string[] | undefined;
  /** When something that was postponed is due. */
  readonly dueMs?: number | undefined;
  /** All of it as this process has left it; undefined: that is not known. */
  readonly standing?: Standing | undefined;
  /** The record in `status.owned`, which others may write as well. */
  readonly owned?: MyIngress['status']['owned'];
  /** The target groups that were published last. */
  readonly served?: readonly ServedGroup[];
  /** When this process last made something: a read may be older. */
  readonly madeMs?: number;
  /** Listeners, target groups and security groups that it has made just now. */
  readonly made?: readonly Made[];
  /** When it last wrote anything: a read may show what was there before. */
  readonly wroteMs?: number;
  /** Recent writes by which a read is corrected. */
  readonly written?: readonly Written[] | undefined;
  /** The last pass over all of it has left something undone, or has not ended. */
  readonly isOpen: boolean;
  /** Since when each pass has met something that AWS refuses for a moment. */
  readonly earlySinceMs?: number | undefined;
  /** A successor of a target group waits for healthy targets. */
  readonly isHandingOver?: boolean;
}

/** A resource, by ARN or id, and the tags that it was made with. */
interface Made {
  readonly arn: string;
  readonly tags: Tags;
  readonly atMs: number;
}

export interface Standing {
  readonly graph: StandingGraph;
  readonly loadBalancer: LoadBalancer;
  /** When the balancer was read. */
  readonly balancerMs: number;
}

/** From one drift scan, which compares it with the spec, to the next one, which may be a little late. */
const BALANCER_AGE_MS = 360_000;

/** A newer read of the balancer alone. One that took the place of another has nothing of what stands. */
export function rememberBalancer(
  before: TrafficMemory,
  loadBalancer: LoadBalancer,
  balancerMs: number,
): TrafficMemory {
  const { standing } = before;
  if (standing?.loadBalancer.arn !== loadBalancer.arn) return before;
  return { ...before, standing: { ...standing, loadBalancer, balancerMs } };
}

/** The balancer, where it was active a moment ago: an edit of its traffic need not read it again. */
export function recallBalancer(
  { loadBalancer, balancerMs }: Standing,
  nowMs: number,
): LoadBalancer | undefined {
  const isRecent = nowMs - balancerMs < BALANCER_AGE_MS;
  return isRecent && loadBalancer.state.code === 'active' ? loadBalancer : undefined;
}

/** The memory for a pass over this revision: an edit makes every refusal worth another try. */
export function beginMemory(
  before: TrafficMemory | undefined,
  revision: Revision,
  nowMs: number,
): TrafficMemory {
  if (before === undefined) return { facts: beginFacts(nowMs), revision, isOpen: true };
  if (before.revision === revision) return { ...before, isOpen: true };
  const facts = forgetRefusals(before.facts);
  return { ...before, revision, isOpen: true, earlySinceMs: undefined, facts };
}

interface Accepted extends Pick<Written, 'step' | 'changes'> {
  /** The ARN or id that AWS has answered to a create. */
  readonly made?: string | undefined;
}

/** A step that AWS has accepted. */
export function rememberStep(
  before: TrafficMemory | undefined,
  { step, changes, made: arn }: Accepted,
  nowMs: number,
): TrafficMemory | undefined {
  if (before === undefined) return undefined;
  const made = step.operation.startsWith('Create') ? { madeMs: nowMs } : {};
  const written = recordWritten(before.written, { step, changes, atMs: nowMs });
  const facts = recordStep(before.facts, step, nowMs);
  const recent = (before.made ?? []).filter((one) => isRecent(one, nowMs));
  const tags = readGivenTags(step);
  const all =
    arn === undefined || tags === undefined ? recent : [...recent, { arn, tags, atMs: nowMs }];
  return { ...before, ...made, wroteMs: nowMs, made: all, written, facts };
}

/**
 * Whether AWS has answered a create with what this process has made before, with other tags: a read that was old did
 * not show it. AWS answers a create with the same settings so, and leaves what is there as it is.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html
 * Unverified: that it does so where the tags differ.
 */
export function isAlreadyMade(
  memory: TrafficMemory | undefined,
  { step, made }: { readonly step: Step; readonly made: string | undefined },
  nowMs: number,
): boolean {
  const tags = readGivenTags(step);
  const last = memory?.made?.findLast((one) => one.arn === made && isRecent(one, nowMs));
  return tags !== undefined && last !== undefined && !isDeepStrictEqual(last.tags, tags);
}

function readGivenTags({ operation, input }: Step): Tags | undefined {
  switch (operation) {
    case 'CreateListener':
    case 'CreateTargetGroup':
    case 'CreateSecurityGroup':
      return input.tags;
    default:
      return undefined;
  }
}

/** A step without an answer of AWS: it may have been carried out. */
export function rememberUnanswered(
  before: TrafficMemory | undefined,
  step: Step,
  nowMs: number,
): TrafficMemory | undefined {
  if (before === undefined) return undefined;
  const made = step.operation.startsWith('Create') ? { madeMs: nowMs } : {};
  const facts = recordChange(before.facts, step, nowMs);
  const written = forgetUncertain(before.written, step);
  return { ...before, ...made, facts, wroteMs: nowMs, written };
}

/**
 * These contradict what AWS has just been read to have: the next read tells. The request may have reached it twice,
 * and the second one, or one that met older state, was answered.
 */
export const CONTRADICTIONS: ReadonlySet<ProblemReason> = new Set([
  'ListenerNotFound',
  'RuleNotFound',
  'TargetGroupNotFound',
  'PriorityInUse',
]);

/** A step that AWS has refused for a reason of its own. */
export function rememberRefusal(
  before: TrafficMemory | undefined,
  refusal: Refusal,
  nowMs: number,
): TrafficMemory | undefined {
  if (CONTRADICTIONS.has(refusal.reason)) return rememberUnanswered(before, refusal.step, nowMs);
  return before && { ...before, facts: recordRefusal(before.facts, refusal) };
}

interface DueGiven extends Omit<LaneGiven, 'readCount'> {
  readonly memory: TrafficMemory | undefined;
}

/** True when all of it is to be read again. */
export function isReadDue({ memory, ...given }: DueGiven, nowMs: number): boolean {
  const { readMs, readCount, dueMs = Number.POSITIVE_INFINITY } = memory ?? {};
  return dueMs <= nowMs || isStructureDue(readMs, { ...given, readCount }, nowMs);
}

/** True where a pass that reads the state of the balancer alone would leave something undone. */
export function hasOpenTraffic(memory: TrafficMemory | undefined, nowMs: number): boolean {
  const { isOpen = true, isHandingOver, dueMs = Number.POSITIVE_INFINITY } = memory ?? {};
  return isOpen || isHandingOver === true || dueMs <= nowMs;
}

const SOON_MS = 1_000;
const LATEST_MS = 60_000;

/** When what AWS refuses for a moment is tried again: after as long again as it has been refused, or a minute. */
export function repeatEarly(
  memory: TrafficMemory | undefined,
  early: readonly Step[],
  nowMs: number,
): readonly number[] {
  if (early.length === 0) return [];
  const refusedMs = nowMs - (memory?.earlySinceMs ?? nowMs);
  return [Math.min(LATEST_MS, Math.max(SOON_MS, refusedMs))];
}

/** True while a read may be older than what this process has made. */
export function mayHide({ madeMs }: TrafficMemory, nowMs: number): boolean {
  return madeMs !== undefined && nowMs - madeMs < STALENESS_BOUND_MS;
}

/** A resource made just now may be read without its tags. */
export function judgeEarly(
  problems: readonly Problem[],
  memory: TrafficMemory,
  nowMs: number,
): readonly Problem[] {
  if (!mayHide(memory, nowMs)) return problems;
  return problems.map((problem) => {
    const isEarly = problem.reason === 'NameConflict';
    return isEarly ? { ...problem, reason: 'OwnershipUnconfirmed' } : problem;
  });
}

/** True for a read that may be older than what this process has written. */
export function mayBeOld({ wroteMs }: TrafficMemory, readMs: number): boolean {
  return wroteMs !== undefined && readMs - wroteMs < STALENESS_BOUND_MS;
}
