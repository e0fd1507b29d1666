import { isDeepStrictEqual } from 'node:util';
import { requestedReconcile } from './annotations.ts';
import {
  type Condition,
  conditionsAfter,
  type StatedCondition,
  statedAfter,
} from './conditions.ts';
import type { KubeObject } from './kube-object.ts';
import { headlineOf, type Verdict } from './verdict.ts';
import { withoutUndefined } from './without-undefined.ts';

/** The status fields that the core itself keeps, on every kind. */
export interface CoreStatus {
  readonly observedGeneration?: number;
  readonly lastHandledReconcileAt?: string;
  readonly conditions?: readonly Condition[];
}

export type ObjectWithStatus = KubeObject & { readonly status?: CoreStatus };

/** What a pass has to say: fields from the reconciler, and how it ended. */
export interface PassReport {
  readonly reported: Readonly<Record<string, unknown>>;
  /** Conditions beside those that follow from the verdict. */
  readonly stated?: readonly StatedCondition[];
  readonly verdict: Verdict;
}

/** The whole status as it should stand after a pass; pure. */
export function statusAfter(
  object: ObjectWithStatus,
  { reported, stated = [], verdict }: PassReport,
  nowMs: number,
): CoreStatus {
  // Server-side apply drops what is left out, so a field reported as undefined is removed.
  const status = withoutUndefined({ ...object.status, ...reported });
  const headline = headlineOf(verdict);
  if (headline === undefined) return status;
  const generation = object.metadata.generation ?? 0;
  const before = object.status?.conditions ?? [];
  const context = { generation, nowMs };
  const requested = verdict.kind === 'paused' ? undefined : requestedReconcile(object);
  return {
    ...status,
    ...(requested === undefined ? {} : { lastHandledReconcileAt: requested }),
    observedGeneration: generation,
    conditions: [
      ...conditionsAfter(before, headline, context),
      ...statedAfter(before, stated, context),
    ],
  };
}

export function hasSameStatus(object: ObjectWithStatus, status: CoreStatus): boolean {
  return isDeepStrictEqual(object.status ?? {}, status);
}
