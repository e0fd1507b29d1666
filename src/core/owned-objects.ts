import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Key, type KubeObject, keyOf, type OwnerReference } from './kube-object.ts';
import type { ChildWriter } from './object-store.ts';
import { CoreReason, OperatorError } from './operator-error.ts';

/** Changes when a field is no longer desired, which a look at the remaining fields cannot show. */
const DESIRED_HASH_ANNOTATION = 'albridge.io/desired-hash';

/** The children of one kind that an owner wants, and where they are seen and written. */
export interface OwnedObjects {
  readonly desired: readonly KubeObject[];
  readonly observed: {
    get(key: Key): KubeObject | undefined;
    ownedBy(uid: string): readonly KubeObject[];
  };
  readonly writer: ChildWriter;
}

/**
 * Applies the desired children, then deletes those that are ours and no longer desired. A child of
 * the wanted name that has another controller, or none, is somebody else's: nothing is written and
 * NameConflict is thrown. Children equal to what is desired are not written.
 */
export async function ensureOwned(owner: KubeObject, owned: OwnedObjects): Promise<void> {
  const desired = owned.desired.map((child) => withOwner(child, owner));
  for (const child of desired) refuseForeign(owned.observed.get(keyOf(child)), owner);
  for (const child of desired) await ensureChild(child, owner, owned);
  await prune(desired, owner, owned);
}

async function ensureChild(
  child: KubeObject,
  owner: KubeObject,
  { observed, writer }: OwnedObjects,
): Promise<void> {
  const seen = observed.get(keyOf(child));
  if (seen !== undefined) {
    const uid = seen.metadata.uid;
    if (uid === undefined || covers(seen, child)) return;
    await writer.apply({ ...child, metadata: { ...child.metadata, uid } });
    return;
  }
  const isCreated = (await writer.create(child)) !== undefined;
  if (isCreated) return;
  const hidden = await writer.get(child);
  refuseForeign(hidden, owner);
  if (hidden?.metadata.uid === undefined) return;
  await writer.apply({ ...child, metadata: { ...child.metadata, uid: hidden.metadata.uid } });
}

async function prune(
  desired: readonly KubeObject[],
  owner: KubeObject,
  { observed, writer }: OwnedObjects,
): Promise<void> {
  const wanted = new Set(desired.map(keyOf));
  for (const child of observed.ownedBy(uidOf(owner))) {
    if (!wanted.has(keyOf(child))) await writer.delete(child);
  }
}

function refuseForeign(seen: KubeObject | undefined, owner: KubeObject): void {
  if (seen === undefined) return;
  const controller = seen.metadata.ownerReferences?.find((reference) => reference.controller);
  if (controller?.uid === uidOf(owner)) return;
  const held = controller === undefined ? 'has no controller' : `belongs to ${nameOf(controller)}`;
  throw new OperatorError({
    reason: CoreReason.NameConflict,
    message: `${seen.kind} ${keyOf(seen)} exists and ${held}; delete or rename it, or rename this object`,
    healedBy: 'person',
  });
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
function withOwner(child: KubeObject, owner: KubeObject): KubeObject {
  const reference: OwnerReference = {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
  const annotations = { ...child.metadata.annotations, [DESIRED_HASH_ANNOTATION]: hashOf(child) };
  return { ...child, metadata: { ...child.metadata, annotations, ownerReferences: [reference] } };
}

/**
 * True when everything that `wanted` states is so in `seen`; what the server or others added is
 * theirs. Lists must match item by item.
 */
function covers(seen: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    const isSameLength = Array.isArray(seen) && seen.length === wanted.length;
    return isSameLength && wanted.every((item, index) => covers(seen[index], item));
  }
  if (typeof wanted !== 'object' || wanted === null) return isDeepStrictEqual(seen, wanted);
  if (typeof seen !== 'object' || seen === null) return false;
  return Object.entries(wanted).every(([field, value]) =>
    covers((seen as Record<string, unknown>)[field], value),
  );
}

function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? '';
}

function nameOf(reference: OwnerReference): string {
  return `${reference.kind} ${reference.name}`;
}

function hashOf(child: KubeObject): string {
  return createHash('sha256').update(JSON.stringify(child)).digest('hex').slice(0, 16);
}
