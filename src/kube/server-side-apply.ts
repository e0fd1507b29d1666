import type { KubeRequest } from './kube-transport.ts';

/** Our name in managedFields; a change of it orphans every field that we own. */
export const FIELD_MANAGER = 'albridge';

/**
 * Owns exactly the fields of `object`: those it lists are set, those we owned before and it leaves
 * out are removed, everything else stays
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/). A `metadata.uid` in it is a
 * guard: 422 where the object of this name is another one, 409 where there is none. JSON is YAML,
 * so the body is JSON.
 */
export function applyRequest(
  path: string,
  object: object,
  options: { readonly force: boolean } = { force: true },
): KubeRequest {
  return {
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER, force: String(options.force) },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
  };
}

/** An entry of metadata.managedFields. */
export interface FieldOwner {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

/**
 * The owners of an object's fields, with what we own by create turned into what we own by apply;
 * undefined where there is nothing to turn. An entry of apply that we had beside it gives way: the
 * apply that follows takes its fields again.
 */
export function asAppliedByUs(owners: readonly FieldOwner[]): readonly FieldOwner[] | undefined {
  const created = owners.find((owner) => isOurs(owner) && owner.operation === 'Update');
  if (!created) return undefined;
  const others = owners.filter((owner) => !isOurs(owner));
  return [...others, { ...created, operation: 'Apply' }];
}

function isOurs(owner: FieldOwner): boolean {
  return owner.manager === FIELD_MANAGER && !owner.subresource;
}
