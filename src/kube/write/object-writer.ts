// Lives here: writes to Kubernetes objects: finalizers, status, children, workloads, evictions.
// May import it: src/setup.
// Start with: this file, then child-writer.ts and server-side-apply.ts.

import { type Fields, isFields } from '../../core/objects/fields.ts';
import {
  formatApiVersion,
  type KubeObject,
  type ResourceKind,
} from '../../core/objects/kube-object.ts';
import { MOST_FINALIZERS, type Transform, trimMetadata } from '../../core/objects/trim-metadata.ts';
import type { ObjectWriter } from '../../core/ports/writers.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import type { KubeClient } from '../client/kube-client.ts';
import {
  isConflict,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isOtherObject,
  isRefusedApply,
  translateErrors,
} from '../client/kube-error.ts';
import { kubeReasons } from '../client/kube-reasons.ts';
import { buildObjectPath, describeObject } from '../client/resource-path.ts';
import { findLive } from './live-object.ts';
import { createApplyRequest, FIELD_MANAGER } from './server-side-apply.ts';

/** Writes to objects of one kind; every method throws OperatorError. Answers are as the cache holds objects, by `transform`. */
export function createObjectWriter<T extends KubeObject>(
  client: KubeClient,
  kind: ResourceKind,
  transform: Transform = trimMetadata,
): ObjectWriter<T> {
  const hold = (written: T): T => transform(written) as T;
  return {
    addFinalizer: (object, finalizer) =>
      translateErrors(`add finalizer to ${describeObject(object)}`, async () =>
        hold(await addFinalizer(client, { kind, object, finalizer })),
      ),
    removeFinalizer: (object, finalizer) =>
      translateErrors(`remove finalizer from ${describeObject(object)}`, async () => {
        const written = await removeFinalizer(client, { kind, object, finalizer });
        return written && hold(written);
      }),
    applyStatus: (object, status, fits = () => true) => {
      const patch = createMergePatch(getStatus(object), { ...status });
      const write = { kind, object, status, patch, fits };
      return translateErrors(`write status of ${describeObject(object)}`, async () => {
        const written = await applyStatus(client, write);
        return written && hold(written);
      });
    },
  };
}

interface FinalizerWrite<T extends KubeObject> {
  readonly kind: ResourceKind;
  readonly object: T;
  readonly finalizer: string;
}

/**
 * The list is replaced as a whole, so resourceVersion guards what others put into it meanwhile. It
 * is unique in the cluster: one that matches belongs to this very object.
 */
async function addFinalizer<T extends KubeObject>(
  client: KubeClient,
  write: FinalizerWrite<T>,
): Promise<T> {
  const { object, finalizer } = write;
  const held = object.metadata.finalizers ?? [];
  if (held.includes(finalizer)) return object;
  // The cache may hold a part of so long a list, and what is left out here would be removed.
  if (held.length >= MOST_FINALIZERS) return addToLive(client, write);
  return setFinalizers(client, write, [...held, finalizer]);
}

async function addToLive<T extends KubeObject>(
  client: KubeClient,
  { kind, object, finalizer }: FinalizerWrite<T>,
): Promise<T> {
  const live = (await findLive(client, kind, object)) ?? object;
  const held = live.metadata.finalizers ?? [];
  if (held.includes(finalizer)) return live;
  return setFinalizers(client, { kind, object: live, finalizer }, [...held, finalizer]);
}

/**
 * First by position, which needs no fresh resourceVersion; where that does not fit any more
 * (another finalizer was added or removed), once again from a fresh read.
 */
async function removeFinalizer<T extends KubeObject>(
  client: KubeClient,
  write: FinalizerWrite<T>,
): Promise<T | undefined> {
  try {
    return await removeByPosition(client, write);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (!shouldReread(error)) throw error;
  }
  return removeFromLive(client, write);
}

async function removeByPosition<T extends KubeObject>(
  client: KubeClient,
  { kind, object, finalizer }: FinalizerWrite<T>,
): Promise<T | undefined> {
  const position = object.metadata.finalizers?.indexOf(finalizer) ?? -1;
  if (position < 0) return object;
  const path = `/metadata/finalizers/${position}`;
  return client.request<T>({
    method: 'PATCH',
    path: buildObjectPath(kind, object),
    headers: { 'content-type': 'application/json-patch+json' },
    body: JSON.stringify([
      { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ]),
  });
}

async function removeFromLive<T extends KubeObject>(
  client: KubeClient,
  write: FinalizerWrite<T>,
): Promise<T | undefined> {
  const live = await findLive(client, write.kind, write.object);
  if (!live) return undefined;
  const held = live.metadata.finalizers ?? [];
  if (!held.includes(write.finalizer)) return live;
  const kept = held.filter((name) => name !== write.finalizer);
  try {
    return await setFinalizers(client, { ...write, object: live }, kept);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** 409 where the object has moved on since `object` was read. */
function setFinalizers<T extends KubeObject>(
  client: KubeClient,
  { kind, object }: FinalizerWrite<T>,
  finalizers: readonly string[],
): Promise<T> {
  const { uid, resourceVersion } = object.metadata;
  return client.request<T>({
    method: 'PATCH',
    path: buildObjectPath(kind, object),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { uid, resourceVersion, finalizers } }),
  });
}

/** A failed `test` of a JSON patch is answered 422, like an object that breaks a rule. */
function shouldReread(error: unknown): boolean {
  return isConflict(error) || isInvalid(error);
}

interface StatusWrite<T extends KubeObject> {
  readonly kind: ResourceKind;
  readonly object: T;
  readonly status: object;
  /** The merge patch from the status that the pass observed to `status`. */
  readonly patch: Fields;
  readonly fits: (live: T) => boolean;
}

const MAX_STATUS_TRIES = 4;

/**
 * On /status of a custom resource the API server puts the stored metadata over the given one, the
 * UID included, before it looks: only resourceVersion guards there. Where that has moved on, the
 * status goes onto the newer version, if it is still the same object and the status fits it. A 404 may
 * be of its namespace, or of a kind without /status, while the object is there
 * (https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/admission/plugin/namespace/lifecycle/admission.go,
 * https://github.com/kubernetes/apiextensions-apiserver/blob/v0.34.0/pkg/apiserver/customresource_handler.go).
 */
async function applyStatus<T extends KubeObject>(
  client: KubeClient,
  write: StatusWrite<T>,
  tries = 1,
): Promise<T | undefined> {
  const { kind, object } = write;
  try {
    return await sendStatus(client, write);
  } catch (error) {
    if (isOtherObject(error)) return undefined;
    if (!isNotFound(error) && !isConflict(error)) throw error;
    const live = await findLive(client, kind, object);
    if (!live) return undefined;
    if (isNotFound(error)) throw explainNotFound(object, error);
    if (tries === MAX_STATUS_TRIES || !write.fits(live)) throw error;
    return applyStatus(client, { ...write, object: live }, tries + 1);
  }
}

/** Of an object that is there. */
function explainNotFound(object: KubeObject, error: unknown): unknown {
  if (isNamespaceTerminating(error)) return error;
  const step = `write status of ${describeObject(object)}`;
  const observed = `${step}: the API server serves no status of this kind`;
  return createFailure(kubeReasons, 'StatusNotServed', { observed });
}

/**
 * An apply does not remove a field or a condition that another manager also holds
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/), so a forged one would stay. Where
 * what stays of it breaks the schema, every apply is refused; so is one with a field that an older CRD does not have, which
 * the API server drops from a merge patch
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning).
 */
async function sendStatus<T extends KubeObject>(
  client: KubeClient,
  write: StatusWrite<T>,
): Promise<T> {
  const { kind, object, patch } = write;
  try {
    const path = buildObjectPath(kind, object, 'status');
    const written = await client.request<T>({
      ...createApplyRequest(path, createStatusBody(write)),
      isStatus: true,
    });
    if (!hasRemoved(getStatus(written), patch)) return written;
    return await patchStatus(client, { ...write, object: written });
  } catch (error) {
    if (!isInvalid(error) && !isRefusedApply(error)) throw error;
    return patchStatus(client, write);
  }
}

function getStatus(object: KubeObject & { readonly status?: object }): Fields {
  return { ...object.status };
}

function patchStatus<T extends KubeObject>(
  client: KubeClient,
  { kind, object, patch }: StatusWrite<T>,
): Promise<T> {
  const { uid, resourceVersion } = object.metadata;
  return client.request<T>({
    method: 'PATCH',
    path: buildObjectPath(kind, object, 'status'),
    isStatus: true,
    query: { fieldManager: FIELD_MANAGER },
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { uid, resourceVersion }, status: patch }),
  });
}

function createStatusBody<T extends KubeObject>({ kind, object, status }: StatusWrite<T>): object {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: formatApiVersion(kind),
    kind: kind.kind,
    metadata: { name, ...(namespace && { namespace }), uid, resourceVersion },
    status,
  };
}

/** The merge patch that makes `to` of `from`; neither has a null. https://www.rfc-editor.org/rfc/rfc7396 */
function createMergePatch(from: Fields, to: Fields): Fields {
  const removed = Object.keys(from).filter((field) => to[field] === undefined);
  const kept = Object.entries(to).map(([field, value]) => {
    const old = from[field];
    return [field, isFields(value) && isFields(old) ? createMergePatch(old, value) : value];
  });
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
}

/** True if `fields` has anything that the patch removes: of a list of conditions an apply leaves those of others. */
function hasRemoved(fields: Fields, patch: Fields): boolean {
  return Object.entries(patch).some(([field, value]) => {
    const held = fields[field];
    if (value === null) return held !== undefined;
    if (Array.isArray(value)) return Array.isArray(held) && held.length > value.length;
    return isFields(value) && isFields(held) && hasRemoved(held, value);
  });
}
