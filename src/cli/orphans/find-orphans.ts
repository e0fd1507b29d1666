// Lives here: what is ours in AWS without an object: found, shown, and deleted after a confirmation.
// May import it: src/cli.
// Start with: this file, then delete-orphans.ts.

import { type MyIngress, ownershipTagKeys, resourceTagKey } from '../../apis/my-ingress.ts';
import type { Tags } from '../../aws/elbv2/load-balancers.ts';
import { standsFor } from '../../controllers/my-ingress/orphans.ts';
import { omitUndefined } from '../../core/objects/fields.ts';
import { compareText, isBeingDeleted, type Key } from '../../core/objects/kube-object.ts';

/** In the order in which they are deleted: each is in use by those before it. */
const RESOURCE_KINDS = ['load-balancer', 'target-group', 'security-group'] as const;

export type OwnedKind = (typeof RESOURCE_KINDS)[number];

/** A resource of AWS with the tag of this cluster. */
export interface Owned {
  readonly kind: OwnedKind;
  /** The ARN, or the id of a security group. */
  readonly id: string;
  readonly tags: Tags;
}

export interface Orphan extends Owned {
  /** The object that the tags name. */
  readonly key: Key;
  /** Its owner had it before albridge, and lent it by the tag albridge.io/adopt: it is not deleted here. */
  readonly isAdopted: boolean;
  /** The ARN of the adopted balancer of the same object, which stays and may use it. */
  readonly adopted?: string;
}

/** The facts by which orphans are judged. */
export interface Objects {
  readonly cluster: string;
  /** Of all namespaces, or of `namespace`. */
  readonly byKey: ReadonlyMap<Key, MyIngress>;
  /** Only resources of objects in it are judged; undefined: all. */
  readonly namespace?: string | undefined;
}

/** Those that are proved ours and that no object stands for, in the order of deletion; pure. */
export function findOrphans(owned: readonly Owned[], objects: Objects): readonly Orphan[] {
  const orphans = noteAdopted(owned.flatMap((resource) => findOrphan(resource, objects) ?? []));
  const rank = ({ kind }: Orphan): number => RESOURCE_KINDS.indexOf(kind);
  return orphans.toSorted(
    (a, b) => rank(a) - rank(b) || compareText(a.key, b.key) || compareText(a.id, b.id),
  );
}

function noteAdopted(orphans: readonly Orphan[]): readonly Orphan[] {
  const lent = orphans.filter(({ isAdopted }) => isAdopted);
  const byKey = new Map(lent.map(({ key, id }) => [key, id]));
  return orphans.map((orphan) => {
    const adopted = orphan.isAdopted ? undefined : byKey.get(orphan.key);
    return { ...orphan, ...omitUndefined({ adopted }) };
  });
}

/** undefined: not proved ours, retained or released, or an object stands for it. */
export function findOrphan(resource: Owned, objects: Objects): Orphan | undefined {
  const key = readHolder(resource, objects.cluster);
  if (key === undefined || !isInScope(key, objects.namespace)) return undefined;
  const object = objects.byKey.get(key);
  if (object !== undefined && isHeld(resource, object, objects.cluster)) return undefined;
  return { ...resource, key, isAdopted: resource.tags[ownershipTagKeys.adopt] !== undefined };
}

/**
 * The object that the tags name, as far as they prove that albridge made or adopted the resource: the UID is on
 * everything of albridge, what it created beside a balancer also has the tag of the resource. A retained or
 * released resource lacks some of them.
 */
function readHolder({ kind, tags }: Owned, cluster: string): Key | undefined {
  const { [ownershipTagKeys.namespace]: namespace, [ownershipTagKeys.name]: name } = tags;
  const isOfCluster = tags[ownershipTagKeys.cluster] === cluster;
  const isRecorded = kind === 'load-balancer' || tags[resourceTagKey] !== undefined;
  if (!isOfCluster || !isRecorded || !namespace || !name) return undefined;
  return tags[ownershipTagKeys.uid] === undefined ? undefined : `${namespace}/${name}`;
}

function isInScope(key: Key, namespace: string | undefined): boolean {
  return namespace === undefined || key.startsWith(`${namespace}/`);
}

/** The operator deletes what an object holds, also beside its balancer, and all of an object that is being deleted. */
function isHeld({ kind, id }: Owned, object: MyIngress, cluster: string): boolean {
  if (kind !== 'load-balancer' || isBeingDeleted(object)) return true;
  return standsFor(object, id, cluster);
}
