import type { MyIngress } from '../../../apis/my-ingress.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import type { Decision, RecalledBackends } from './decision.ts';

/**
 * A MyIngress with the routes that others attach to it, as `Attachments.join` gives it. Only in memory: its spec is
 * never written. Without any it is the stored object itself, and everything is as if nothing could be attached.
 */
export interface Joined extends MyIngress {
  readonly spec: MyIngress['spec'] & { readonly attached?: Decision };
}

/** Which spec, and which attached routes. */
export type Revision = number | string;

export function getRevision(object: MyIngress): Revision {
  const { generation } = object.metadata;
  const decision = findDecision(object);
  if (decision === undefined || decision.rules.length === 0) return generation;
  return `${generation} ${[...decision.digests.values()].join()}`;
}

export function findDecision({ spec }: Joined): Decision | undefined {
  return spec?.attached;
}

/** The attached backend with this target group; undefined once it is known what attaches. */
export function findRecalled(
  object: MyIngress,
  id: ResourceId = '',
): ReturnType<RecalledBackends['get']> {
  return findDecision(object)?.recalled?.get(id);
}

/** `status.attached[].digest` of an object none of whose rules is accepted. */
export const NO_RULES = '-';

/** Type of the condition that says whether all attached routes are served. */
export const ACCEPTED = 'AttachmentsAccepted';

/** True where routes are attached to the object, or status still reports some. */
export function hasAttached(object: MyIngress): boolean {
  const isAttached = findDecision(object) !== undefined || object.status?.attached !== undefined;
  return isAttached || wasStated(object);
}

/** Whether status has the condition. */
export function wasStated({ status }: MyIngress): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === ACCEPTED);
}

/** True where the routes that are accepted are not those that status records as such. */
export function hasNewRoutes(object: MyIngress): boolean {
  const { attached = [] } = object.status ?? {};
  const decision = findDecision(object);
  if (decision?.isKnown === false) return false;
  const recorded = attached.filter(({ digest }) => digest !== NO_RULES);
  const digests = decision?.digests ?? new Map<string, string>();
  const isSame = recorded.every(({ kind, namespace, name, digest }) => {
    return digests.get(`${kind}/${namespace}/${name}`) === digest;
  });
  return !isSame || recorded.length !== digests.size;
}
