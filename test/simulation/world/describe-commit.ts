import type { Commit } from '../api-model/object-table.ts';
import type { StoredObject } from '../api-model/stored-object.ts';

interface Told {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
  }[];
  readonly alb?: { readonly arn: string };
}

/** One line of the trace: who changed what, and what it says now. */
export function describeCommit({ by, type, object }: Commit): string {
  const { metadata, kind } = object;
  const words = [
    `${by} ${type} ${kind} ${metadata.namespace ?? ''}/${metadata.name}@${metadata.resourceVersion}`,
    `generation ${metadata.generation ?? '-'}`,
    `[${metadata.finalizers?.join() ?? ''}]`,
    metadata.deletionTimestamp === undefined ? '' : 'being deleted',
    toldBy(object),
  ];
  return words.filter((word) => word !== '').join(' ');
}

function toldBy(object: StoredObject): string {
  const { conditions = [], alb } = (object['status'] ?? {}) as Told;
  const said = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  return [...said, ...(alb ? [alb.arn] : [])].join(', ');
}
