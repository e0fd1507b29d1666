import { type LoadBalancer, STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import {
  beginFacts,
  forgetRefusals,
  recordRefusal,
  recordStep,
  type TrafficFacts,
} from '../graph/facts.ts';
import type { ProblemReason } from '../graph/problem.ts';
import type { StandingGraph } from '../graph/projection.ts';
import type { Step } from '../graph/steps.ts';
import type { ServedGroup } from '../targets.ts';

/** What this process remembers of the traffic of one object; times are monotonic ms. */
export interface TrafficMemory {
  readonly facts: TrafficFacts;
  /** The spec that the facts are about. */
  readonly generation: number;
  /** When all of it was last read. */
  readonly readMs?: number;
  /** The security groups that the balancer is to carry; undefined: whichever it does. */
  readonly attached?: readonly string[] | undefined;
  /** When something that was postponed is due. */
  readonly dueMs?: number | undefined;
  /** All of it as this process has left it; undefined: that is not known. */
  readonly standing?: Standing | undefined;
  /** The target groups that were published last. */
  readonly served?: readonly ServedGroup[];
  /** When this process last made something: a read may be older. */
  readonly madeMs?: number;
  /** The last pass over all of it has left something undone, or has not ended. */
  readonly isOpen: boolean;
}

export interface Standing {
  readonly graph: StandingGraph;
  readonly loadBalancer: LoadBalancer;
  /** When the balancer was read. */
  readonly balancerMs: number;
}

/** From one drift scan, which compares it with the spec, to the next one, which may be a little late. */
const BALANCER_AGE_MS = 360_000;

/** A newer read of the balancer alone. */
export function rememberBalancer(
  before: TrafficMemory,
  loadBalancer: LoadBalancer,
  balancerMs: number,
): TrafficMemory {
  const { standing } = before;
  return { ...before, standing: standing && { ...standing, loadBalancer, balancerMs } };
}

/** The balancer, where it was active a moment ago: an edit of its traffic need not read it again. */
export function recallBalancer(
  { loadBalancer, balancerMs }: Standing,
  nowMs: number,
): LoadBalancer | undefined {
  const isRecent = nowMs - balancerMs < BALANCER_AGE_MS;
  return isRecent && loadBalancer.state.code === 'active' ? loadBalancer : undefined;
}

/** The memory for a pass over this generation: an edit makes every refusal worth another try. */
export function beginMemory(
  before: TrafficMemory | undefined,
  generation: number,
  nowMs: number,
): TrafficMemory {
  if (before === undefined) return { facts: beginFacts(nowMs), generation, isOpen: true };
  if (before.generation === generation) return { ...before, isOpen: true };
  return { ...before, generation, isOpen: true, facts: forgetRefusals(before.facts) };
}

/** A step that AWS has accepted. */
export function rememberStep(
  before: TrafficMemory | undefined,
  step: Step,
  nowMs: number,
): TrafficMemory | undefined {
  if (before === undefined) return undefined;
  const made = step.operation.startsWith('Create') ? { madeMs: nowMs } : {};
  return { ...before, ...made, facts: recordStep(before.facts, step, nowMs) };
}

/** A step without an answer of AWS: it may have been carried out. */
export function rememberUnanswered(
  before: TrafficMemory | undefined,
  { operation }: Step,
  nowMs: number,
): TrafficMemory | undefined {
  return before && operation.startsWith('Create') ? { ...before, madeMs: nowMs } : before;
}

/** A step that AWS has refused for a reason of its own. */
export function rememberRefusal(
  before: TrafficMemory | undefined,
  step: Step,
  reason: ProblemReason,
): TrafficMemory | undefined {
  return before && { ...before, facts: recordRefusal(before.facts, step, reason) };
}

/**
 * Listeners, rules and attributes are listed for one balancer at a time, so they are read rarely: with
 * thousands of objects so rarely that it takes a fifth of the ten reads a second that AWS allows.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 */
const READ_INTERVAL_MS = 1_800_000;
const MS_FOR_EACH = 4_000;

interface DueGiven {
  /** Of the process. */
  readonly objectCount: number;
  readonly memory: TrafficMemory | undefined;
  /** As `Facts`. */
  readonly knownSinceMs: number;
  readonly spread: number;
}

/** True when all of it is to be read again; after a restart the first reads are spread over one interval. */
export function isReadDue(given: DueGiven, nowMs: number): boolean {
  const { memory, objectCount, knownSinceMs, spread } = given;
  const { readMs, dueMs = Number.POSITIVE_INFINITY } = memory ?? {};
  const intervalMs = Math.max(READ_INTERVAL_MS, objectCount * MS_FOR_EACH);
  const nextMs = readMs === undefined ? knownSinceMs + spread * intervalMs : readMs + intervalMs;
  return Math.min(nextMs, dueMs) <= nowMs;
}

/** True where a pass that reads the state of the balancer alone would leave something undone. */
export function hasOpenTraffic(memory: TrafficMemory | undefined, nowMs: number): boolean {
  const { isOpen = true, dueMs = Number.POSITIVE_INFINITY } = memory ?? {};
  return isOpen || dueMs <= nowMs;
}

/** True while a read may be older than what this process has made. */
export function mayHide({ madeMs }: TrafficMemory, nowMs: number): boolean {
  return madeMs !== undefined && nowMs - madeMs < STALENESS_BOUND_MS;
}
