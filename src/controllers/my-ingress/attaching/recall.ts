import type { MyIngress } from '../../../apis/my-ingress.ts';
import { isBeingDeleted } from '../../../core/objects/kube-object.ts';
import { getTargetGroupId } from '../graph/resource-id.ts';
import { nameBackend } from '../routes/routes.ts';
import { type AttachingObject, getSource, type SourceRef } from './attaching-object.ts';
import type { RecalledBackends } from './decision.ts';
import { NO_RULES } from './joined.ts';

/**
 * The backends of those that status records as served, while it is not known what attaches; pure. A record is no
 * authority: a target group is filled only where its tags have such an id, so that this object has once served it.
 */
export function recallBackends(
  { status }: MyIngress,
  recall: (ref: SourceRef) => AttachingObject['backends'],
): RecalledBackends {
  const served = (status?.attached ?? []).filter(({ digest }) => digest !== NO_RULES);
  const backends = served.flatMap((ref) =>
    recall(ref).flatMap(({ name, service }) => {
      if (service === undefined) return [];
      const { namespace } = ref;
      return { source: getSource(ref), name, service: { ...service, namespace } };
    }),
  );
  return new Map(
    backends.map((one) => {
      return [getTargetGroupId(one), { backend: nameBackend(one), service: one.service }] as const;
    }),
  );
}

/** A balancer whose deletion AWS refuses serves on with all that is attached. */
export function servesOn(object: MyIngress): boolean {
  return isBeingDeleted(object) && object.status?.attached !== undefined;
}
