import { RESTARTED_AT } from '../../core/objects/annotations.ts';
import { type FieldPath, omitField } from '../../core/objects/fields.ts';
import type { KubeRequest } from '../client/kube-transport.ts';

/** Our name in managedFields; a change of it orphans every field that we own. */
export const FIELD_MANAGER = 'albridge';

/**
 * Our name for restarts of workloads. An apply under FIELD_MANAGER removes what that name holds and the
 * apply does not list, so a restart under it would be undone, and all pods would roll again.
 */
export const RESTART_MANAGER = 'albridge-restart';

const RESTARTED_AT_PATH: FieldPath = ['spec', 'template', 'metadata', 'annotations', RESTARTED_AT];

/**
 * Owns exactly the fields of `object`: those it lists are set, those we owned before and it leaves
 * out are removed, everything else stays
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/). A `metadata.uid` in it is a
 * guard: 422 where the object of this name is another one, 409 where there is none. JSON is YAML,
 * so the body is JSON.
 */
export function createApplyRequest(
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

/**
 * The API server's name for all that was set before the first apply, by whomever: also after somebody has
 * cleared managedFields
 * (https://github.com/kubernetes/kubernetes/blob/c2c7d507620b919d8c6cd5d43e689e7656186df5/staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/skipnonapplied.go).
 */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** An entry of metadata.managedFields. */
export interface FieldOwner {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  /** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/#System */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/**
 * The owners of an object's fields, with what we own by create turned into what we own by apply, and
 * without our hold on the fields at `createOnlyFields`; undefined where there is nothing to change. What another
 * operator set that made the object for `ownerUid` before us becomes ours too: an apply could not remove
 * it (https://github.com/kubernetes/client-go/blob/v0.34.0/util/csaupgrade/upgrade.go does the same for
 * kubectl). A restart of a release before RESTART_MANAGER becomes one of that name.
 */
export function adoptFieldOwners(
  owners: readonly FieldOwner[],
  createOnlyFields: readonly FieldPath[] = [],
  ownerUid?: string,
): readonly FieldOwner[] | undefined {
  const ours = owners.filter((owner) => isOurs(owner) || isPredecessors(owner, ownerUid));
  const [held] = ours;
  if (held === undefined) return undefined;
  const fieldsV1 = ours.map((owner) => owner.fieldsV1 ?? {}).reduce(uniteFieldSets);
  const merged = { ...held, manager: FIELD_MANAGER, operation: 'Apply', fieldsV1 };
  const kept = [...createOnlyFields, RESTARTED_AT_PATH].reduce(dropHold, merged);
  const isUnchanged = ours.length === 1 && isApply(held) && kept === merged;
  if (isUnchanged) return undefined;
  const others = owners.filter((owner) => !ours.includes(owner));
  return [...others, ...findRestart(merged, others), kept];
}

function isApply({ operation }: FieldOwner): boolean {
  return operation === 'Apply';
}

/**
 * The article's operator: its name is that of its binary, so it is known by what it did. It made the
 * object its owner's child. A person may have done so too, from a file.
 */
function isPredecessors(
  { manager = '', operation, subresource, fieldsV1 }: FieldOwner,
  ownerUid: string | undefined,
): boolean {
  if (ownerUid === undefined || operation !== 'Update' || subresource) return false;
  const path = ['f:metadata', 'f:ownerReferences', `k:${JSON.stringify({ uid: ownerUid })}`];
  const isMaker = fieldsV1 !== undefined && omitField(fieldsV1, path) !== fieldsV1;
  return isMaker && manager !== BEFORE_FIRST_APPLY && !manager.startsWith('kubectl');
}

type FieldSet = Readonly<Record<string, unknown>>;

/** A field that either of them holds, with all that either holds in it. */
function uniteFieldSets(one: FieldSet, other: FieldSet): FieldSet {
  const both = Object.entries(other).map(([field, inner]) => {
    return [field, uniteFieldSets((one[field] ?? {}) as FieldSet, inner as FieldSet)] as const;
  });
  return { ...one, ...Object.fromEntries(both) };
}

function findRestart(held: FieldOwner, others: readonly FieldOwner[]): readonly FieldOwner[] {
  const isHeld = dropHold(held, RESTARTED_AT_PATH) !== held;
  if (!isHeld || others.some(({ manager }) => manager === RESTART_MANAGER)) return [];
  const fieldsV1 = RESTARTED_AT_PATH.reduceRight<object>(
    (inner, field) => ({ [`f:${field}`]: inner }),
    {},
  );
  return [{ ...held, manager: RESTART_MANAGER, operation: 'Update', fieldsV1: { ...fieldsV1 } }];
}

function isOurs(owner: FieldOwner): boolean {
  return owner.manager === FIELD_MANAGER && !owner.subresource;
}

function dropHold(owner: FieldOwner, path: FieldPath): FieldOwner {
  if (owner.fieldsV1 === undefined) return owner;
  const inFieldsV1 = path.map((field) => `f:${field}`);
  const fieldsV1 = omitField(owner.fieldsV1, inFieldsV1);
  return fieldsV1 === owner.fieldsV1 ? owner : { ...owner, fieldsV1 };
}
