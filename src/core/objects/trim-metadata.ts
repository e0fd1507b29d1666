import {
  DESIRED_HASH_ANNOTATION,
  MODE_ANNOTATION,
  PAUSED_ANNOTATION,
  RECONCILE_REQUESTED_ANNOTATION,
} from './annotations.ts';
import { boundText } from './digests.ts';
import { omitUndefined } from './fields.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from './kube-object.ts';

/**
 * Bounds the metadata that is kept in memory. The API server takes 256 KiB of annotations, and
 * any number of labels, finalizers and owner references up to the size of the object, about 1.5 MiB
 * (https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/,
 * https://etcd.io/docs/v3.6/dev-guide/limit/), and everyone who may edit an object of a namespace can write them.
 */

const MOST_LABELS = 64;
const MOST_LABEL_CHARACTERS = 4096;
/** A list of this length may be a part of the stored one. */
export const MOST_FINALIZERS = 32;

const READ_ANNOTATIONS = [
  PAUSED_ANNOTATION,
  MODE_ANNOTATION,
  RECONCILE_REQUESTED_ANNOTATION,
  DESIRED_HASH_ANNOTATION,
];

type Strings = Readonly<Record<string, string>>;

/**
 * Reduces an object to what is held of it. It must keep of metadata at least name, namespace, uid,
 * resourceVersion and the controller among the ownerReferences, bound what a user can make large, and
 * give the same result for the same object.
 */
export type Transform = (object: KubeObject) => KubeObject;

export function trimMetadata<T extends KubeObject>(object: T): T {
  return { ...object, metadata: boundMetadata(object.metadata) };
}

/** Keeps the fields that the core reads, each of them bounded. */
export function boundMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation } = metadata;
  const { creationTimestamp, deletionTimestamp, finalizers } = metadata;
  return omitUndefined({
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    finalizers: finalizers && boundFinalizers(finalizers),
    labels: metadata.labels && boundLabels(metadata.labels),
    annotations: boundAnnotations(metadata.annotations),
    ownerReferences: boundController(metadata.ownerReferences),
  });
}

/** The first ones; the API server sends them in the order of their keys. */
export function boundLabels(labels: Strings): Strings {
  const kept: Record<string, string> = {};
  let [count, characters] = [0, 0];
  for (const key in labels) {
    const value = labels[key] ?? '';
    characters += key.length + value.length;
    if (count++ === MOST_LABELS || characters > MOST_LABEL_CHARACTERS) break;
    kept[key] = value;
  }
  return kept;
}

/** Those that the core reads; undefined for none. */
export function boundAnnotations(annotations: Strings = {}): Strings | undefined {
  const kept: Record<string, string> = {};
  for (const name of READ_ANNOTATIONS) {
    const value = annotations[name];
    if (value !== undefined) kept[name] = boundText(value);
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** The controller alone: nothing else of the list is read. */
export function boundController(
  references: readonly OwnerReference[] = [],
): readonly OwnerReference[] | undefined {
  const controller = references.find((reference) => reference.controller);
  if (controller === undefined) return undefined;
  const { apiVersion, kind, name, uid, blockOwnerDeletion } = controller;
  const bound = {
    apiVersion: boundText(apiVersion),
    kind: boundText(kind),
    name: boundText(name),
    uid: boundText(uid),
    controller: true,
  };
  return [blockOwnerDeletion === undefined ? bound : { ...bound, blockOwnerDeletion }];
}

/** The first ones; behind them ours stay, and stay bounded. */
function boundFinalizers(finalizers: readonly string[]): readonly string[] {
  const kept = finalizers.filter(
    (name, index) => index < MOST_FINALIZERS || name.startsWith('albridge.io/'),
  );
  return kept.slice(0, 2 * MOST_FINALIZERS);
}
