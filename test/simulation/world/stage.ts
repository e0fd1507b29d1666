import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { ApiServerModel } from '../api-model/api-server-model.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { Settings } from '../scenario.ts';
import type { Report } from '../violation.ts';

/** What everybody in a world shares. */
export interface Stage {
  readonly clock: Clock;
  readonly model: ApiServerModel;
  readonly aws: EmbeddedAws;
  /** The id in ownership tags. */
  readonly cluster: string;
  readonly settings: Settings;
  readonly report: Report;
  readonly trace: (line: string) => void;
  /** Something has happened for whose sake there are scenarios. */
  readonly met: (what: string) => void;
  /** Whether two may believe to hold the Lease, since somebody has taken it away. */
  readonly isLeaseDoubtful: (nowMs: number) => boolean;
  /** Whether a fault took effect in this time. */
  readonly isDisturbed: (fromMs: number, toMs: number) => boolean;
  /** Whether a fault of this time kept a process from learning of changes in the cluster. */
  readonly isCutOff: (fromMs: number, toMs: number) => boolean;
}

/** The part of one kind: its people, what must always hold for it, and what must hold in the end. */
export interface Cast<Action> {
  perform(action: Action): void;
  /** Every change in the API server, at once. */
  onCommit(commit: Commit): void;
  /** No fault from here on: what only outsiders can heal is healed. */
  heal(): void;
  checkFinal(): void;
  /** Until then something may be under way that has a deadline of its own. */
  underWayUntilMs?(): number;
}

/** As long as an edit may be unseen: a watch that is silent, then a server that is down. */
export const UNSEEN_MS = 180_000;
/** Longer than any answer of AWS is old and any pass waits between its look and its write. */
const PASS_MS = 30_000;

/**
 * How old that may be on which a process bases a write: `informedMs` where nothing has kept it from learning of
 * changes. One that is frozen in the middle of a pass goes on with that pass.
 */
export function findUnseenMs(
  { clock, isCutOff }: Pick<Stage, 'clock' | 'isCutOff'>,
  informedMs = PASS_MS,
  atMs = clock.monotonicMs(),
): number {
  return isCutOff(atMs - UNSEEN_MS, atMs) ? UNSEEN_MS : informedMs;
}

/** True for the name of a process of the operator. */
export function isOperator(by: string): boolean {
  return by.startsWith('replica-');
}
