import { coreReasons } from '../../apis/core-reasons.ts';
import {
  isPaused,
  isPlanOnly,
  MODE_ANNOTATION,
  PAUSED_ANNOTATION,
} from '../../core/objects/annotations.ts';
import type { Condition } from '../../core/objects/conditions.ts';
import { CoreReason } from '../../core/reconcile/operator-error.ts';
import { isAsDesired } from './health.ts';
import type { OurKind } from './kinds.ts';
import type { FoundObject, OurObject } from './read.ts';

/** Why an object is not as desired; pure. */

/** One thing that is not as it should be. */
export interface Trouble {
  /** Types of the conditions that say it; empty where none does. */
  readonly conditions: readonly string[];
  readonly reason: string;
  readonly message: string;
  /** The cause as docs/reasons.md has it. */
  readonly cause?: string;
  /** The next action. */
  readonly next?: string;
}

/** Worst first; empty where all is as desired. */
export function listTroubles({ kind, object }: FoundObject): readonly Trouble[] {
  const troubled = (object.status?.conditions ?? [])
    .map((condition) => ({ condition, rank: rankCondition(condition) }))
    .filter(({ rank }) => rank < AS_DESIRED)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ condition }) => condition);
  return [...listSilences(object), ...mergeConditions(troubled, kind), ...listHolds(object)];
}

const AS_DESIRED = 5;

/** Stalled, Ready, what else is wrong, what is unknown, work in progress; the rest is as desired. */
function rankCondition(condition: Condition): number {
  const { type, status } = condition;
  if (isAsDesired(condition)) return AS_DESIRED;
  if (type === 'Stalled') return 0;
  if (type === 'Ready') return 1;
  if (type === 'Reconciling') return 4;
  return status === 'Unknown' ? 3 : 2;
}

/** Stalled and Ready say the same in the same words. */
function mergeConditions(conditions: readonly Condition[], kind: OurKind): readonly Trouble[] {
  const troubles = new Map<string, Trouble>();
  for (const { type, status, reason, message } of conditions) {
    const key = `${reason} ${message}`;
    const before = troubles.get(key)?.conditions ?? [];
    const conditionNames = [...before, `${type} ${status}`];
    troubles.set(key, {
      conditions: conditionNames,
      reason,
      ...explainReason(message, { reason, kind }),
    });
  }
  return [...troubles.values()];
}

function explainReason(
  message: string,
  {
    reason,
    kind: { reasons, further, steps },
  }: { readonly reason: string; readonly kind: OurKind },
): Pick<Trouble, 'message' | 'cause' | 'next'> {
  const table: OurKind['reasons'] = { ...coreReasons, ...reasons };
  const entry = Object.hasOwn(table, reason) ? table[reason] : undefined;
  if (entry) return { cause: entry.cause, ...splitNextStep(message, { ...entry, reason }) };
  const cause = Object.hasOwn(further, reason) ? further[reason] : undefined;
  const next = Object.hasOwn(steps, reason) ? steps[reason] : undefined;
  return { message, ...(cause !== undefined && { cause }), ...(next !== undefined && { next }) };
}

/** Their messages have it in words of their own. */
const HOLDS: readonly string[] = [CoreReason.ObserveMode, CoreReason.Paused, CoreReason.Planned];

/** Messages end in the next step of their reason, with names for its blanks: it is shown once, on a line of its own. */
function splitNextStep(
  message: string,
  { next, reason }: { readonly next: string; readonly reason: string },
): Pick<Trouble, 'message' | 'next'> {
  if (HOLDS.includes(reason)) return { message: message.replace(/; [^;]*$/, ''), next };
  const step = next
    .split(/<[^>]*>/)
    .map(escapePattern)
    .join('[^;]+?');
  const pattern = new RegExp(`; (?:${step})(?=\\. |$)`, 'g');
  const [said, other] = new Set(message.match(pattern));
  if (said === undefined) return { message, next };
  // Each is about a thing of its own.
  if (other !== undefined) return { message };
  return { message: message.replaceAll(pattern, ''), next: said.slice('; '.length) };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const ASK_DOCTOR = 'run albridge doctor: it checks whether the operator runs and may work';

/** The operator has not answered. */
function listSilences({ metadata, status }: OurObject): readonly Trouble[] {
  const { generation = 0 } = metadata;
  const observed = status?.observedGeneration ?? -1;
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0 || observed < 0)
    return [createSilence('albridge has not reconciled it yet')];
  if (observed >= generation) return [];
  const message = `generation ${generation} is not reconciled yet, the conditions are about ${observed}`;
  return [createSilence(message)];
}

function createSilence(message: string): Trouble {
  return { conditions: [], reason: '', message, next: ASK_DOCTOR };
}

/** A deletion, or a person, holds it, and no condition says so. */
function listHolds(object: OurObject): readonly Trouble[] {
  const reasons = (object.status?.conditions ?? []).map(({ reason }) => reason);
  const isSaid = (reason: string): boolean => reasons.includes(reason);
  return [
    ...listDeletion(object),
    ...(isPaused(object) && !isSaid(CoreReason.Paused) ? [createHold(PAUSED_ANNOTATION)] : []),
    ...(isPlanOnly(object) && !isSaid(CoreReason.Planned) ? [createHold(MODE_ANNOTATION)] : []),
  ];
}

function listDeletion({ metadata }: OurObject): readonly Trouble[] {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return [];
  const message = `it is being deleted since ${deletionTimestamp}; finalizers: ${finalizers.join(', ') || 'none'}`;
  const next =
    'wait, or correct what the conditions name; removing a finalizer leaves resources in AWS';
  return [{ conditions: [], reason: '', message, next }];
}

function createHold(annotation: string): Trouble {
  const message = `the annotation ${annotation} keeps albridge from writing`;
  return { conditions: [], reason: '', message, next: `remove the annotation ${annotation}` };
}
