import type { ObservedGraph } from '../../graph/graph.ts';

/** When that is read again which AWS lists for one balancer, listener or target group at a time; pure. */

/** Listeners, rules and certificates: each object in half an hour, */
const STRUCTURE_MS = 1_800_000;
/** and attributes in six hours, */
const ATTRIBUTES_MS = 21_600_000;
/**
 * or so rarely that all objects together stay below this. With the lists of 400 objects in each scan and the audit
 * of their targets it is a fifth of the ten reads a second that AWS allows.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 */
const READS_A_SECOND = 0.95;

export interface LaneGiven {
  /** Of the process. */
  readonly objectCount: number;
  /** Of one object, as `countReads`; undefined: not known. */
  readonly readCount: number | undefined;
  /** As `Facts`. */
  readonly knownSinceMs: number;
  readonly spread: number;
}

const USUAL_READS = 8;

export function isStructureDue(
  readMs: number | undefined,
  given: LaneGiven,
  nowMs: number,
): boolean {
  return findTurn(readMs, given, chooseInterval(given, STRUCTURE_MS)) <= nowMs;
}

export function areAttributesDue(
  readMs: number | undefined,
  given: LaneGiven,
  nowMs: number,
): boolean {
  return findTurn(readMs, given, chooseInterval(given, ATTRIBUTES_MS)) <= nowMs;
}

function chooseInterval(
  { objectCount, readCount = USUAL_READS }: LaneGiven,
  leastMs: number,
): number {
  const structureMs = (objectCount * readCount * 1000) / READS_A_SECOND;
  return Math.max(leastMs, (structureMs * leastMs) / STRUCTURE_MS);
}

/** Each object has a moment of its own in every interval, so that they are read one after the other, whenever they came. */
function findTurn(
  readMs: number | undefined,
  { knownSinceMs, spread }: LaneGiven,
  intervalMs: number,
): number {
  const firstMs = knownSinceMs + spread * intervalMs;
  if (readMs === undefined || readMs < firstMs) return firstMs;
  const turns = Math.floor((readMs - firstMs) / intervalMs) + 1;
  return firstMs + turns * intervalMs;
}

/** The reads of all that stands beside a balancer but attributes, and of the balancer; tags are read 20 a call. */
export function countReads({ listeners, targetGroups }: ObservedGraph): number {
  const secure = listeners.filter(({ listener }) => listener.protocol === 'HTTPS').length;
  const rules = listeners.reduce((sum, one) => sum + one.rules.length, 0);
  const tagged = 1 + listeners.length + rules + targetGroups.length;
  return 4 + listeners.length + secure + Math.ceil(tagged / 20);
}
