import { isDeepStrictEqual } from 'node:util';
import { getReconcileRequest } from '../objects/annotations.ts';
import {
  type Condition,
  computeConditions,
  findLeadingCondition,
  MOST_CONDITIONS,
  mergeStatedConditions,
  type StatedCondition,
} from '../objects/conditions.ts';
import { omitUndefined } from '../objects/fields.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import type { EventDraft } from '../ports/events.ts';
import type { LogFields, Logger } from '../ports/logger.ts';
import { CoreReason, type OperatorError } from '../reconcile/operator-error.ts';
import type { Pass } from '../reconcile/reconciler.ts';
import { describeVerdict, type Verdict } from './verdict.ts';

/** The status fields that the core itself keeps, on every kind. */
export interface CoreStatus {
  readonly observedGeneration?: number;
  readonly lastHandledReconcileAt?: string;
  readonly conditions?: readonly Condition[];
}

export type ObjectWithStatus = KubeObject & { readonly status?: CoreStatus };

/**
 * The whole status after a pass; pure. `reported` are the fields of the reconciler, `stated` its own
 * conditions; Ready, Reconciling and Stalled follow from the verdict.
 */
export function computeStatus(
  object: ObjectWithStatus,
  {
    reported,
    stated = [],
    verdict,
  }: {
    readonly reported: Readonly<Record<string, unknown>>;
    readonly stated?: readonly StatedCondition[];
    readonly verdict: Verdict;
  },
  nowMs: number,
): CoreStatus {
  // Server-side apply drops what is left out, so a field reported as undefined is removed.
  const status = omitUndefined({ ...object.status, ...reported });
  const headline = describeVerdict(verdict);
  if (headline === undefined) return status;
  const generation = object.metadata.generation ?? 0;
  const before = object.status?.conditions ?? [];
  const context = { generation, nowMs };
  const requested = verdict.kind === 'paused' ? undefined : getReconcileRequest(object);
  const leading = computeConditions(before, headline, context);
  const room = MOST_CONDITIONS - leading.length;
  return {
    ...status,
    ...(requested === undefined ? {} : { lastHandledReconcileAt: requested }),
    observedGeneration: generation,
    conditions: [...leading, ...mergeStatedConditions(before, stated, { ...context, room })],
  };
}

export function hasSameStatus(object: ObjectWithStatus, status: CoreStatus): boolean {
  return isDeepStrictEqual(object.status ?? {}, status);
}

interface Reporting {
  readonly verdict: Verdict;
  readonly pass: Pick<Pass, 'recordEvent' | 'log'> & {
    readonly announced: ReadonlyMap<string, EventDraft['type']>;
  };
}

/**
 * One event and one log line when the leading condition changes its type, status or reason, and for each announced
 * condition with another status; a message that merely reads differently is no transition. Call it when `after` is
 * stored: a pass that could not store it states the same again.
 */
export function recordTransitions(
  before: ObjectWithStatus,
  after: CoreStatus,
  { verdict, pass }: Reporting,
): void {
  const told = recordLeading(before, after, { verdict, pass });
  for (const condition of after.conditions ?? []) {
    const type = pass.announced.get(condition.type);
    const was = before.status?.conditions?.find((one) => one.type === condition.type);
    if (type === undefined || was?.status === condition.status) continue;
    logChange(pass.log, condition);
    if (condition.reason !== told) pass.recordEvent(draftEvent(type, condition));
  }
}

/** Returns the reason of the transition, if it was one. */
function recordLeading(
  before: ObjectWithStatus,
  after: CoreStatus,
  { verdict, pass }: Reporting,
): string | undefined {
  const was = findLeadingCondition(before.status?.conditions ?? []);
  const is = findLeadingCondition(after.conditions ?? []);
  if (is === undefined || isSameState(was, is)) return undefined;
  const isFailure = verdict.kind === 'failed';
  const draft = draftEvent(isFailure ? 'Warning' : 'Normal', is);
  if (verdict.kind !== 'waiting' || !verdict.isReported) pass.recordEvent(draft);
  if (isFailure) logFailure(pass.log, verdict.error, describeChange(is));
  else logChange(pass.log, is);
  return is.reason;
}

function draftEvent(type: EventDraft['type'], { reason, message }: Condition): EventDraft {
  return { type, reason, action: 'Reconcile', note: message };
}

function logChange(log: Logger, condition: Condition): void {
  log.info('condition changed', { ...describeChange(condition), message: condition.message });
}

function describeChange({ type, reason, status }: Condition): LogFields {
  return { reason, condition: type, status };
}

/** Logs at error only what needs a person: a failure that needs action, or a bug of ours. `err` has the message. */
export function logFailure(log: Logger, error: OperatorError, fields: LogFields): void {
  const needsPerson = error.healedBy === 'person' || error.reason === CoreReason.InternalError;
  const all = { ...fields, ...error.details, err: error };
  if (needsPerson) log.error('reconcile failed', all);
  else log.info('reconcile failed', all);
}

function isSameState(was: Condition | undefined, is: Condition): boolean {
  return was?.type === is.type && was.status === is.status && was.reason === is.reason;
}
