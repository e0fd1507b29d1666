import type { FieldPath } from '../../core/objects/fields.ts';
import {
  formatApiVersion,
  type KubeObject,
  type ResourceKind,
} from '../../core/objects/kube-object.ts';
import { isMoreThanQuantity } from '../../core/objects/quantities.ts';
import type { Transform } from '../../core/objects/trim-metadata.ts';
import type { ChildWriter } from '../../core/ports/writers.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isConflict, isNotFound, KubeError, translateErrors } from '../client/kube-error.ts';
import type { KubeRequest } from '../client/kube-transport.ts';
import { buildObjectPath, buildResourcePath, describeObject } from '../client/resource-path.ts';
import { findLive, readLive } from './live-object.ts';
import {
  adoptFieldOwners,
  createApplyRequest,
  FIELD_MANAGER,
  type FieldOwner,
} from './server-side-apply.ts';

/**
 * Writes children of the given kinds; every method throws OperatorError. `transform` is what is held of
 * an answer: a pass may hold many.
 */
export function createChildWriter(
  client: KubeClient,
  kinds: readonly ResourceKind[],
  transform: Transform = (child) => child,
): ChildWriter {
  const kindOf = createKindFinder(kinds);
  return {
    create: (child) =>
      translateErrors(`create ${describeObject(child)}`, async () => {
        const created = await createChild(client, kindOf(child), child);
        return created && transform(created);
      }),
    check: (child) =>
      translateErrors(`create ${describeObject(child)}`, () =>
        checkChild(client, kindOf(child), child),
      ),
    apply: (child, createOnlyFields) =>
      translateErrors(`apply ${describeObject(child)}`, async () =>
        transform(await applyChild(client, { kind: kindOf(child), child, createOnlyFields })),
      ),
    delete: (child) =>
      translateErrors(`delete ${describeObject(child)}`, () =>
        deleteChild(client, kindOf(child), child),
      ),
    get: (child) =>
      translateErrors(`read ${describeObject(child)}`, async () => {
        const live = await readLive(client, kindOf(child), child);
        return live && transform(live);
      }),
  };
}

function createKindFinder(kinds: readonly ResourceKind[]): (child: KubeObject) => ResourceKind {
  const byName = new Map(kinds.map((kind) => [`${formatApiVersion(kind)} ${kind.kind}`, kind]));
  return ({ apiVersion, kind }) => {
    const found = byName.get(`${apiVersion} ${kind}`);
    if (!found) throw new Error(`${apiVersion} ${kind} is not among the kinds of this writer`);
    return found;
  };
}

/**
 * A field that the API server does not know is refused and named, and not dropped: users write some of them.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation
 */
const STRICT = 'Strict';

/** A plain create is the only write that fails where an object of the name exists already. */
async function createChild(
  client: KubeClient,
  kind: ResourceKind,
  child: KubeObject,
): Promise<KubeObject | undefined> {
  try {
    return await client.request<KubeObject>(buildCreate(kind, child));
  } catch (error) {
    if (isAlreadyThere(error)) return undefined;
    throw error;
  }
}

function buildCreate(kind: ResourceKind, child: KubeObject): KubeRequest {
  const { namespace } = child.metadata;
  return {
    method: 'POST',
    path: buildResourcePath(kind, { namespace }),
    query: { fieldManager: FIELD_MANAGER, fieldValidation: STRICT },
    body: JSON.stringify(child),
  };
}

function isAlreadyThere(error: unknown): boolean {
  return error instanceof KubeError && error.reason === 'AlreadyExists';
}

/**
 * Content and admission are judged before the name
 * (https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/registry/generic/registry/store.go#L464-L500).
 */
async function checkChild(
  client: KubeClient,
  kind: ResourceKind,
  child: KubeObject,
): Promise<void> {
  const request = buildCreate(kind, child);
  try {
    await client.request<KubeObject>({ ...request, query: { ...request.query, dryRun: 'All' } });
  } catch (error) {
    if (!isAlreadyThere(error) && !isQuotaFull(error) && !isUncheckable(error)) throw error;
  }
}

/**
 * A webhook with side effects is not asked in a dry run, which the API server refuses for it:
 * https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/admission/plugin/webhook/errors/statuserror.go
 */
function isUncheckable(error: unknown): boolean {
  if (!(error instanceof KubeError) || error.status !== 400) return false;
  return /^admission webhook "[^"]*" does not support dry run$/.test(error.message);
}

/**
 * Full for now: not of a child that asks for more than the whole quota. Of each resource that is exceeded the API
 * server names the quantities:
 * https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/admission/plugin/resourcequota/controller.go#L510-L520
 */
function isQuotaFull(error: unknown): boolean {
  if (!(error instanceof KubeError) || error.status !== 403) return false;
  const [, requested, limited] = EXCEEDED_QUOTA.exec(error.message) ?? [];
  if (requested === undefined || limited === undefined) return false;
  const limits = parseResources(limited);
  return [...parseResources(requested)].every(
    ([resource, quantity]) => !isMoreThanQuantity(quantity, limits.get(resource)),
  );
}

const EXCEEDED_QUOTA = /exceeded quota: .*, requested: (\S+), used: \S+, limited: (\S+)/;

/** Of `cpu=1,memory=2Gi`. */
function parseResources(list: string): ReadonlyMap<string, string> {
  return new Map(list.split(',').map((item) => item.split('=') as [string, string]));
}

interface Application {
  readonly kind: ResourceKind;
  readonly child: KubeObject;
  readonly createOnlyFields: readonly FieldPath[] | undefined;
}

async function applyChild(client: KubeClient, application: Application): Promise<KubeObject> {
  const { kind, child } = application;
  await ownByApply(client, application);
  return client.request<KubeObject>(createApplyRequest(buildObjectPath(kind, child), child));
}

interface ManagedObject extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly managedFields?: readonly FieldOwner[] };
}

/**
 * A field that a plain create set is owned by our name, but not by apply, and a later apply would leave
 * alone what it no longer lists. So the entry is turned into one of apply first; and where a field is
 * left to others our hold on it is given up, for an apply that merely omits it would remove it
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/#migrating-between-client-side-and-server-side-apply).
 */
async function ownByApply(
  client: KubeClient,
  { kind, child, createOnlyFields }: Application,
): Promise<void> {
  const live = await findLive<ManagedObject>(client, kind, child);
  const ownerUid = child.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
  const owners = adoptFieldOwners(live?.metadata.managedFields ?? [], createOnlyFields, ownerUid);
  if (!live || !owners) return;
  const { uid, resourceVersion } = live.metadata;
  await client.request<KubeObject>({
    method: 'PATCH',
    path: buildObjectPath(kind, child),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { uid, resourceVersion, managedFields: owners } }),
  });
}

/** Background: what the child owns goes after it, by the garbage collector. */
async function deleteChild(
  client: KubeClient,
  kind: ResourceKind,
  child: KubeObject,
): Promise<void> {
  const { uid } = child.metadata;
  if (uid === undefined) throw new Error(`delete of ${describeObject(child)} without a UID`);
  try {
    await client.request<unknown>({
      method: 'DELETE',
      path: buildObjectPath(kind, child),
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid },
        propagationPolicy: 'Background',
      }),
    });
  } catch (error) {
    if (isNotFound(error)) return;
    if (isConflict(error) && !(await findLive(client, kind, child))) return;
    throw error;
  }
}
