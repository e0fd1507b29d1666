import { createHash } from 'node:crypto';
import { DESIRED_HASH_ANNOTATION } from '../objects/annotations.ts';
import { digestChild } from '../objects/digests.ts';
import { diffFields, type FieldPath, omitField } from '../objects/fields.ts';
import {
  getController,
  getKey,
  isBeingDeleted,
  type Key,
  type KubeObject,
  type OwnerReference,
  parseGroup,
} from '../objects/kube-object.ts';
import type { ChildWriter } from '../ports/writers.ts';
import { CoreReason, isOfOneObject, OperatorError } from '../reconcile/operator-error.ts';

/**
 * The desired children of one kind of an owner, and where they are observed and written. Observed
 * objects may hold long texts, and long lists of texts, as digests (`withDigests`).
 */
export interface OwnedObjects {
  readonly desired: readonly KubeObject[];
  readonly observed: {
    get(key: Key): KubeObject | undefined;
    listOwned(uid: string): readonly KubeObject[];
  };
  readonly writer: ChildWriter;
  /** The pass's: once it is aborted, no further child is written. */
  readonly signal: AbortSignal;
  /** The pass's: called before each child, of which none follows where it throws. */
  readonly throwIfEdited?: () => void;
  /** Fields that are set at creation only; another controller changes them from then on. */
  readonly createOnlyFields?: readonly FieldPath[];
  /** The part of a child that can be changed; the others are as it was written. All, where it is left out. */
  readonly compare?: (child: KubeObject) => KubeObject;
  /** Where others make children of the owner too: false of theirs, which are neither written nor deleted. */
  readonly isOurs?: (child: KubeObject) => boolean;
  /** True of a child whose deletion an earlier pass has reported. */
  readonly isDeleted?: (child: KubeObject) => boolean;
  /** True of a child that the cache does not show, and that the caller takes care of itself: it is left as it is. */
  readonly isFollowed?: (hidden: KubeObject) => boolean;
  /** Called after every write that had an effect. */
  readonly onChange?: (change: OwnedChange) => void;
}

export type OwnedChange =
  | { readonly kind: 'created' | 'deleted'; readonly child: KubeObject }
  | {
      /** `updated`: the desired state changed; `repaired`: the child had drifted. */
      readonly kind: 'updated' | 'repaired';
      readonly child: KubeObject;
      /** Paths of the fields that differed; none where a field was only to be removed. */
      readonly differences: readonly string[];
    };

/** Children of an owner are alike, so a refusal of so many of them is one of all; a foreign object has one name. */
const MOST_REFUSALS = 10;

/**
 * Deletes the children that are ours and no longer desired, then applies the desired ones. A child of the
 * desired name that has another controller, or none, is foreign: it is not written, and NameConflict is
 * thrown, or Replacing where an earlier owner of this name has left it. What is refused for one child keeps
 * no other from being written: the first refusal is thrown at the end, of those that need action if there are
 * any. Children that are as desired are not written.
 */
export async function ensureOwned(owner: KubeObject, owned: OwnedObjects): Promise<void> {
  const desired = owned.desired.map((child) =>
    desireChild(owner, child, owned.createOnlyFields ?? []),
  );
  const writes = [
    ...listSurplus(desired, owner, owned).map((child) => () => deleteChild(child, owned)),
    ...desired.map((child) => () => ensureChild(child, owner, owned)),
  ];
  const refusals: OperatorError[] = [];
  for (const write of writes) {
    owned.signal.throwIfAborted();
    owned.throwIfEdited?.();
    await write().catch((error) => refusals.push(requireRefusal(error)));
    if (refusals.filter(isOfAnyName).length === MOST_REFUSALS) break;
  }
  const refusal = refusals.find(({ healedBy }) => healedBy === 'person') ?? refusals[0];
  if (refusal) throw refusal;
}

function isOfAnyName({ reason }: OperatorError): boolean {
  return reason !== CoreReason.NameConflict;
}

/** Throws a failure that meets all of them, such as an outage. */
function requireRefusal(error: unknown): OperatorError {
  if (error instanceof OperatorError && isOfOneObject(error)) return error;
  throw error;
}

/**
 * True where `observed` was last written as `child` is desired now, whatever others changed in it since. Where they
 * have removed what tells, its fields tell.
 */
export function isWrittenAs(observed: KubeObject, child: KubeObject): boolean {
  const hash = getDesiredHash(observed);
  if (hash !== undefined) return hash === hashChild(child);
  return diffFields(digestChild(observed), digestChild(child)).length === 0;
}

/** Throws where the API server would not take `child` as it is desired now; nothing is written. */
export async function checkOwned(
  owner: KubeObject,
  child: KubeObject,
  writer: Pick<ChildWriter, 'check'>,
): Promise<void> {
  await writer.check(desireChild(owner, child, []).created);
}

/** One desired child in the two forms in which it is sent. */
interface DesiredChild {
  readonly created: KubeObject;
  /** Without the fields that are left to others. */
  readonly applied: KubeObject;
}

function desireChild(
  owner: KubeObject,
  child: KubeObject,
  createOnlyFields: readonly FieldPath[],
): DesiredChild {
  const ours = createOnlyFields.reduce(omitField<KubeObject>, child);
  const hash = hashChild(ours);
  return { created: addOwner(child, owner, hash), applied: addOwner(ours, owner, hash) };
}

async function ensureChild(
  desired: DesiredChild,
  owner: KubeObject,
  owned: OwnedObjects,
): Promise<void> {
  const { observed, writer } = owned;
  const existing = observed.get(getKey(desired.applied));
  refuseForeign(existing, owner, owned);
  if (existing !== undefined) return repairChild(existing, desired, owned);
  const created = await writer.create(desired.created);
  if (created !== undefined) {
    owned.onChange?.({ kind: 'created', child: created });
    return;
  }
  const hidden = await writer.get(desired.applied);
  if (hidden === undefined) throw explainVanished(desired.applied);
  if (owned.isFollowed?.(hidden)) return;
  refuseForeign(hidden, owner, owned);
  await repairChild(hidden, desired, owned);
}

/** One without our label has gone meanwhile, which no watch shows, or a webhook refuses it so. */
function explainVanished(child: KubeObject): OperatorError {
  return new OperatorError({
    reason: 'Replacing',
    message: `the API server refuses ${child.kind} ${getKey(child)} as one that exists, and does not show it; check admission webhooks if this stays`,
    healedBy: 'time',
  });
}

async function repairChild(
  observed: KubeObject,
  { applied }: DesiredChild,
  owned: OwnedObjects,
): Promise<void> {
  const { uid, resourceVersion } = observed.metadata;
  const compared = owned.compare?.(applied) ?? applied;
  const differences = diffFields(digestChild(observed), digestChild(compared));
  if (uid === undefined || differences.length === 0) return;
  const child = await owned.writer.apply(
    { ...applied, metadata: { ...applied.metadata, uid } },
    owned.createOnlyFields,
  );
  if (child.metadata.resourceVersion === resourceVersion) return;
  const hash = getDesiredHash(observed);
  const reported = differences.filter((path) => !path.endsWith(DESIRED_HASH_ANNOTATION));
  const isOnlyUnmarked = hash === undefined && reported.every(isOfAnnotations);
  const kind = isOnlyUnmarked || hash === getDesiredHash(applied) ? 'repaired' : 'updated';
  owned.onChange?.({ kind, child, differences: reported });
}

/** Of all of them where there is none, or of one. */
function isOfAnnotations(path: string): boolean {
  return path === 'metadata.annotations' || path.startsWith('metadata.annotations.');
}

function listSurplus(
  desired: readonly DesiredChild[],
  owner: KubeObject,
  { observed, isOurs = () => true }: OwnedObjects,
): readonly KubeObject[] {
  const keys = new Set(desired.map(({ applied }) => getKey(applied)));
  const owned = observed.listOwned(getUid(owner)).filter(isOurs);
  return owned.filter((child) => !keys.has(getKey(child)) && !isBeingDeleted(child));
}

async function deleteChild(child: KubeObject, owned: OwnedObjects): Promise<void> {
  const isKnown = owned.isDeleted?.(child) ?? false;
  await owned.writer.delete(child);
  if (!isKnown) owned.onChange?.({ kind: 'deleted', child });
}

function refuseForeign(
  observed: KubeObject | undefined,
  owner: KubeObject,
  { isOurs = () => true }: OwnedObjects,
): void {
  if (observed === undefined) return;
  const controller = getController(observed);
  const isChild = controller?.uid === getUid(owner);
  if (isChild && isOurs(observed)) return;
  if (!isChild && controller !== undefined && hasSameName(controller, owner)) {
    throw new OperatorError({
      reason: 'Replacing',
      message: `${observed.kind} ${getKey(observed)} belongs to an earlier ${owner.kind} of this name and is being deleted`,
      healedBy: 'time',
    });
  }
  const held = isChild ? 'was made by others' : describeController(controller);
  throw new OperatorError({
    reason: CoreReason.NameConflict,
    message: `${observed.kind} ${getKey(observed)} exists and ${held}; delete or rename it, or rename this object`,
    healedBy: 'person',
  });
}

/** Two objects of one name do not live at once, so the one with the other UID is gone. */
export function hasSameName(
  { apiVersion, kind, name }: OwnerReference,
  owner: KubeObject,
): boolean {
  return (
    kind === owner.kind &&
    name === owner.metadata.name &&
    parseGroup(apiVersion) === parseGroup(owner.apiVersion)
  );
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
function addOwner(child: KubeObject, owner: KubeObject, hash: string): KubeObject {
  const reference: OwnerReference = {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: getUid(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
  const annotations = { ...child.metadata.annotations, [DESIRED_HASH_ANNOTATION]: hash };
  return { ...child, metadata: { ...child.metadata, annotations, ownerReferences: [reference] } };
}

function getUid(object: KubeObject): string {
  return object.metadata.uid ?? '';
}

function describeController(controller: OwnerReference | undefined): string {
  if (controller === undefined) return 'has no controller';
  return `belongs to ${controller.kind} ${controller.name}`;
}

function getDesiredHash(object: KubeObject): string | undefined {
  return object.metadata.annotations?.[DESIRED_HASH_ANNOTATION];
}

function hashChild(child: KubeObject): string {
  return createHash('sha256')
    .update(JSON.stringify(digestChild(child)))
    .digest('hex')
    .slice(0, 16);
}
