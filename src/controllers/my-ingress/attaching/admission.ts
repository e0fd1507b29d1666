import type { MyIngress } from '../../../apis/my-ingress.ts';
import { type AttachingObject, getSource } from './attaching-object.ts';
import type { RefusalReason } from './decision.ts';
import { NO_RULES } from './joined.ts';
import { isAllowed, type ReadLabels } from './namespace-labels.ts';

export interface Admission {
  readonly source: AttachingObject;
  readonly isAdmitted: boolean;
  /** Why not. */
  readonly reason: Extract<RefusalReason, 'NotAllowed' | 'NamespacesUnknown'>;
}

/** Which of the objects may attach to the MyIngress; pure. */
export function admitObjects(
  { metadata, spec, status }: MyIngress,
  objects: readonly AttachingObject[],
  readLabels: ReadLabels,
): readonly Admission[] {
  const served = (status?.attached ?? []).filter(({ digest }) => digest !== NO_RULES);
  const recorded = new Set(served.map(getSource));
  const { allowedNamespaces = { from: 'Same' } as const } = spec ?? {};
  const { namespace: own } = metadata;
  return objects.map((source) => {
    const { namespace } = source;
    const isListed = isAllowed(allowedNamespaces, { own, namespace }, readLabels);
    const reason = isListed === undefined ? 'NamespacesUnknown' : 'NotAllowed';
    // Until the labels are known, what is attached stays so, and nothing is added.
    return { source, isAdmitted: isListed ?? recorded.has(getSource(source)), reason };
  });
}
