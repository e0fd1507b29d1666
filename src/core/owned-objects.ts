import { createHash } from 'node:crypto';
import { DESIRED_HASH_ANNOTATION } from './annotations.ts';
import { differencesBetween } from './differences.ts';
import { type FieldPath, withoutField } from './field-path.ts';
import {
  controllerOf,
  isBeingDeleted,
  type Key,
  type KubeObject,
  keyOf,
  type OwnerReference,
} from './kube-object.ts';
import type { ChildWriter } from './object-store.ts';
import { CoreReason, OperatorError } from './operator-error.ts';
import { childWithDigests } from './with-digests.ts';

/**
 * The children of one kind that an owner wants, and where they are seen and written. What is seen may
 * hold long texts, and long lists of texts, as digests (`withDigests`).
 */
export interface OwnedObjects {
  readonly desired: readonly KubeObject[];
  readonly observed: {
    get(key: Key): KubeObject | undefined;
    ownedBy(uid: string): readonly KubeObject[];
  };
  readonly writer: ChildWriter;
  /** The pass's: once it is aborted, no further child is written. */
  readonly signal: AbortSignal;
  /** Fields that a child gets when it is created and that somebody else moves from then on. */
  readonly leaving?: readonly FieldPath[];
  /** Told of every write that had an effect, as soon as it is done. */
  readonly onChange?: (change: OwnedChange) => void;
}

export type OwnedChange =
  | { readonly kind: 'created' | 'deleted'; readonly child: KubeObject }
  | {
      /** `updated`: something else is desired than before; `repaired`: somebody else had changed it. */
      readonly kind: 'updated' | 'repaired';
      readonly child: KubeObject;
      /** Paths of the fields that differed; none where a field was only to be removed. */
      readonly differences: readonly string[];
    };

/**
 * Applies the desired children, then deletes those that are ours and no longer desired. A child of
 * the wanted name that has another controller, or none, is somebody else's: nothing is written and
 * NameConflict is thrown. Children that are as desired are not written.
 */
export async function ensureOwned(owner: KubeObject, owned: OwnedObjects): Promise<void> {
  const wanted = owned.desired.map((child) => wantedBy(owner, child, owned.leaving ?? []));
  for (const { applied } of wanted) refuseForeign(owned.observed.get(keyOf(applied)), owner);
  for (const child of wanted) {
    owned.signal.throwIfAborted();
    await ensureChild(child, owner, owned);
  }
  await prune(wanted, owner, owned);
}

/** True where `seen` was last written as `child` is desired now, whatever others changed in it since. */
export function isWrittenAs(seen: KubeObject, child: KubeObject): boolean {
  return desiredHashOf(seen) === hashOf(child);
}

/** One desired child in the two forms in which it is sent. */
interface Wanted {
  readonly created: KubeObject;
  /** Without the fields that are left to others. */
  readonly applied: KubeObject;
}

function wantedBy(owner: KubeObject, child: KubeObject, leaving: readonly FieldPath[]): Wanted {
  const ours = leaving.reduce(withoutField<KubeObject>, child);
  const hash = hashOf(ours);
  return { created: withOwner(child, owner, hash), applied: withOwner(ours, owner, hash) };
}

async function ensureChild(wanted: Wanted, owner: KubeObject, owned: OwnedObjects): Promise<void> {
  const { observed, writer } = owned;
  const seen = observed.get(keyOf(wanted.applied));
  if (seen !== undefined) return mend(seen, wanted, owned);
  const created = await writer.create(wanted.created);
  if (created !== undefined) {
    owned.onChange?.({ kind: 'created', child: created });
    return;
  }
  const hidden = await writer.get(wanted.applied);
  refuseForeign(hidden, owner);
  if (hidden !== undefined) await mend(hidden, wanted, owned);
}

async function mend(seen: KubeObject, { applied }: Wanted, owned: OwnedObjects): Promise<void> {
  const { uid, resourceVersion } = seen.metadata;
  const differences = differencesBetween(childWithDigests(seen), childWithDigests(applied));
  if (uid === undefined || differences.length === 0) return;
  const child = await owned.writer.apply(
    { ...applied, metadata: { ...applied.metadata, uid } },
    owned.leaving,
  );
  if (child.metadata.resourceVersion === resourceVersion) return;
  const kind = desiredHashOf(seen) === desiredHashOf(applied) ? 'repaired' : 'updated';
  const told = differences.filter((path) => !path.endsWith(DESIRED_HASH_ANNOTATION));
  owned.onChange?.({ kind, child, differences: told });
}

async function prune(
  wanted: readonly Wanted[],
  owner: KubeObject,
  { observed, writer, signal, onChange }: OwnedObjects,
): Promise<void> {
  const keys = new Set(wanted.map(({ applied }) => keyOf(applied)));
  for (const child of observed.ownedBy(uidOf(owner))) {
    if (keys.has(keyOf(child)) || isBeingDeleted(child)) continue;
    signal.throwIfAborted();
    await writer.delete(child);
    onChange?.({ kind: 'deleted', child });
  }
}

function refuseForeign(seen: KubeObject | undefined, owner: KubeObject): void {
  if (seen === undefined) return;
  const controller = controllerOf(seen);
  if (controller?.uid === uidOf(owner)) return;
  const held = controller === undefined ? 'has no controller' : `belongs to ${nameOf(controller)}`;
  throw new OperatorError({
    reason: CoreReason.NameConflict,
    message: `${seen.kind} ${keyOf(seen)} exists and ${held}; delete or rename it, or rename this object`,
    healedBy: 'person',
  });
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
function withOwner(child: KubeObject, owner: KubeObject, hash: string): KubeObject {
  const reference: OwnerReference = {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
  const annotations = { ...child.metadata.annotations, [DESIRED_HASH_ANNOTATION]: hash };
  return { ...child, metadata: { ...child.metadata, annotations, ownerReferences: [reference] } };
}

function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? '';
}

function nameOf(reference: OwnerReference): string {
  return `${reference.kind} ${reference.name}`;
}

function desiredHashOf(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[DESIRED_HASH_ANNOTATION];
}

function hashOf(child: KubeObject): string {
  return createHash('sha256')
    .update(JSON.stringify(childWithDigests(child)))
    .digest('hex')
    .slice(0, 16);
}
