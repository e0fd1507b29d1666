import { omitUndefined } from '../objects/fields.ts';
import type { LogFields } from '../ports/logger.ts';

/**
 * The class of a failure: `person` needs a change of the object, the account or the rights; `time` is
 * retried, which may suffice. Only retry-policy.ts acts on it.
 */
export type HealedBy = 'person' | 'time';

export interface OperatorErrorOptions {
  /** CamelCase word that becomes the condition's reason; stable, documented. */
  readonly reason: string;
  /** One lower-case sentence for people: the step, the object, and what to do next. */
  readonly message: string;
  readonly healedBy: HealedBy;
  /**
   * When it is this key's turn: look again exactly then, without it the key's backoff decides. Where a
   * person must act: no later than this.
   */
  readonly retryAfterMs?: number;
  /** The backoff decides, but no sooner than this: a server asks it of every client. */
  readonly notBeforeMs?: number;
  /** No server has answered: another request would not be answered either. */
  readonly isUnanswered?: boolean;
  /** Fields of the log line alone: what the owner of the object may not know. */
  readonly details?: LogFields;
  readonly cause?: unknown;
}

/** The only error that travels past an adapter; matched by class and `reason`, never by message. */
export class OperatorError extends Error {
  readonly reason: string;
  readonly healedBy: HealedBy;
  readonly retryAfterMs: number | undefined;
  readonly notBeforeMs: number | undefined;
  readonly isUnanswered: boolean;
  readonly details: LogFields | undefined;

  constructor(options: OperatorErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = 'OperatorError';
    this.reason = options.reason;
    this.healedBy = options.healedBy;
    this.retryAfterMs = options.retryAfterMs;
    this.notBeforeMs = options.notBeforeMs;
    this.isUnanswered = options.isUnanswered ?? false;
    this.details = options.details;
  }
}

export function hasReason(error: unknown, ...reasons: readonly string[]): error is OperatorError {
  return error instanceof OperatorError && reasons.includes(error.reason);
}

/** The message of anything that was thrown. */
export function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same failure in other words, such as an article's. */
export function rewordError(error: unknown, word: (why: string) => string): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { retryAfterMs, notBeforeMs, isUnanswered } = error;
  const when = omitUndefined({ retryAfterMs, notBeforeMs });
  return restateError(error, { message: word(error.message), ...when, isUnanswered });
}

/** The same failure, which is its cause; when it is retried and whom it concerns are as given. */
export function restateError(
  error: OperatorError,
  given: Partial<Omit<OperatorErrorOptions, 'reason' | 'healedBy' | 'cause'>> = {},
): OperatorError {
  const { reason, message, healedBy } = error;
  return new OperatorError({ reason, message, healedBy, ...given, cause: error });
}

/** Reasons that the core and its adapters to Kubernetes raise for every kind. */
export const CoreReason = {
  /** A write lost to a newer resourceVersion: read again, try again; never shown in a condition. */
  Conflict: 'Conflict',
  /** The pass took longer than its deadline. */
  DeadlineExceeded: 'DeadlineExceeded',
  /** A bug: something other than an OperatorError was thrown. */
  InternalError: 'InternalError',
  /** A write was refused because this process no longer holds the lease. */
  LeadershipLost: 'LeadershipLost',
  /** An object of the desired name exists and is foreign. */
  NameConflict: 'NameConflict',
  /** `ALBRIDGE_MODE=observe`. */
  ObserveMode: 'ObserveMode',
  /** `albridge.io/paused: "true"`. */
  Paused: 'Paused',
  /** `albridge.io/mode: plan`. */
  Planned: 'Planned',
  /** The CRD is older than the operator, and lacks a field of status without which the next step is not safe. */
  StatusNotServed: 'StatusNotServed',
} as const;

/** A lost write or a lost lease is not reported: no person needs to act on it. */
export function isSilent({ reason }: OperatorError): boolean {
  return reason === CoreReason.Conflict || reason === CoreReason.LeadershipLost;
}

/** Whether other objects may be spared: an API server that is away, or asks for time, refuses all of them. */
export function isOfOneObject(error: OperatorError): boolean {
  if (error.healedBy === 'person') return true;
  const isOfAll = error.isUnanswered || error.notBeforeMs !== undefined;
  return !isOfAll && !isSilent(error);
}
