import { isDeepStrictEqual } from 'node:util';
import { keyOfStored, type StoredObject } from './api-model/stored-object.ts';
import type { Report } from './violation.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** What must hold for every write of the operator to an object of a kind without a finalizer. */
export function judgeOwner(
  object: StoredObject,
  before: StoredObject | undefined,
  report: Report,
): void {
  const key = keyOfStored(object);
  if (before === undefined || !isDeepStrictEqual(usersPartOf(object), usersPartOf(before))) {
    report('only-own-fields', `the operator changed ${key} beyond its status`);
  }
  const bug = conditionsOf(object).find(({ reason }) => reason === 'InternalError');
  if (bug) report('no-internal-error', `${key}: ${bug.message}`);
}

export function conditionsOf(object: StoredObject): readonly Condition[] {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: readonly Condition[] };
  return conditions;
}

/** UID of the controller, if it is of this kind. */
export function controllerOf({ metadata }: StoredObject, kind?: string): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return kind === undefined || owner?.kind === kind ? owner?.uid : undefined;
}

function usersPartOf({ metadata, ...rest }: StoredObject): unknown {
  const { labels, annotations, finalizers, generation, deletionTimestamp } = metadata;
  return { labels, annotations, finalizers, generation, deletionTimestamp, spec: rest['spec'] };
}
