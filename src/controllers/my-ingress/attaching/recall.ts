import type { MyIngress } from '../../../apis/my-ingress.ts';
import { isBeingDeleted } from '../../../core/objects/kube-object.ts';
import { findBackend, type ResourceId } from '../graph/resource-id.ts';
import { nameBackend } from '../routes/routes.ts';
import type { ServedGroup } from '../targets.ts';
import {
  type AttachingObject,
  getSource,
  parseSource,
  type SourceRef,
} from './attaching-object.ts';
import { NO_RULES } from './joined.ts';

/** Backends of objects of which no more than the name is known; pure. */

type RecalledBackend = Pick<ServedGroup, 'backend' | 'service'>;

/** The attached backend of a target group whose tags prove that it has this id; undefined: it is the spec's. */
export type RecallGroup = (id: ResourceId) => RecalledBackend | undefined;

type Recall = (ref: SourceRef) => AttachingObject['backends'];

/** Those of the objects that status records as served. A record is no authority: no target group is filled by it. */
export function recallServed(
  { status }: Pick<MyIngress, 'status'>,
  recall: Recall,
): readonly RecalledBackend[] {
  const served = (status?.attached ?? []).filter(({ digest }) => digest !== NO_RULES);
  return served.flatMap((ref) => recallBackends(ref, recall));
}

/** As `RecallGroup`. */
export function recallById(id: ResourceId, recall: Recall): ReturnType<RecallGroup> {
  const { source = '', name = '' } = findBackend(id) ?? {};
  const ref = parseSource(source);
  const backends = ref === undefined ? [] : recallBackends(ref, recall);
  return backends.find(({ backend }) => backend === nameBackend({ source, name }));
}

function recallBackends(ref: SourceRef, recall: Recall): readonly RecalledBackend[] {
  return recall(ref).flatMap(({ name, service }) => {
    if (service === undefined) return [];
    const backend = nameBackend({ source: getSource(ref), name });
    return { backend, service: { ...service, namespace: ref.namespace } };
  });
}

/** A balancer whose deletion AWS refuses serves on with all that is attached. */
export function servesOn(object: MyIngress): boolean {
  return isBeingDeleted(object) && object.status?.attached !== undefined;
}
