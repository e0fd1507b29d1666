import type { Random } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { type Address, addressOf } from './address.ts';
import { type Eviction, evictPod } from './evictions.ts';
import { applied, type Writer } from './field-owners.ts';
import { PODS } from './kinds.ts';
import { ObjectTable } from './object-table.ts';
import {
  createObject,
  deleteObject,
  liveOf,
  storeObject,
  type WriteContext,
  type WriteParts,
} from './object-writes.ts';
import { jsonPatched, mergePatched } from './patches.ts';
import {
  conflict,
  NotModelled,
  namespaceLeaving,
  namespaceMissing,
  notFound,
  Refusal,
} from './refusal.ts';
import { fieldsOf, labelsOf } from './selectors.ts';
import { isObject, type Json, type ServedKind, type StoredObject } from './stored-object.ts';
import { apiVersionOf, openFeed, type Selection, selected, type WatchFeed } from './watch-feed.ts';

export interface ModelRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

export type ModelAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'watch'; readonly feed: WatchFeed };

export interface ApiServerModelOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** Namespaces are served always. */
  readonly kinds: readonly ServedKind[];
}

export const NAMESPACES: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  isNamespaced: false,
  isCustom: false,
  tracksFields: false,
};

/**
 * The API server as far as the operator uses it, and not one step further: whatever it does not know
 * it throws as NotModelled. It knows: one sequence of resourceVersions; UIDs; generations of custom
 * resources; finalizers and deletion; the subresource /status; POST, PUT, merge patch, JSON patch
 * (test, remove), server-side apply with field owners and conflicts; DELETE with a UID precondition;
 * the eviction of pods, and what PodDisruptionBudgets have to say to it;
 * lists of one page; watches from a version or with the initial state, bookmarks and 410; namespaces
 * that are missing or being deleted; the defaults and rules that each kind brings along.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
export class ApiServerModel {
  readonly table = new ObjectTable();
  readonly #parts: WriteParts;
  readonly #kinds: readonly ServedKind[];
  /** Of the paths that were asked for: parsing them again and again is dear. */
  readonly #addresses = new Map<string, Address>();

  constructor(options: ApiServerModelOptions) {
    this.#kinds = [NAMESPACES, ...options.kinds];
    this.#parts = { table: this.table, clock: options.clock, random: options.random };
  }

  /** Does what is asked, at once. `by` names who asks, for those who look on. */
  answer(request: ModelRequest, by: string): ModelAnswer {
    try {
      const address = this.#addressOf(request.path);
      if (request.query?.['watch'] === 'true') return this.#watch(address, request.query);
      const result = this.#respond(address, request, by);
      return {
        kind: 'answer',
        status: request.method === 'POST' ? 201 : 200,
        // Made when it is read: many who ask want the status alone, and objects never change in place.
        get body() {
          return JSON.stringify(result);
        },
      };
    } catch (error) {
      if (error instanceof Refusal)
        return { kind: 'answer', status: error.status, body: error.body };
      throw error;
    }
  }

  #addressOf(path: string): Address {
    const address = this.#addresses.get(path) ?? addressOf(path, this.#kinds);
    this.#addresses.set(path, address);
    return address;
  }

  #respond(address: Address, request: ModelRequest, by: string): Json {
    const { method } = request;
    const { subresource = 'status' } = address;
    if (subresource === 'eviction' && address.kind === PODS) {
      return evictPod(this.#parts, evictionOf(address, request, by));
    }
    if (subresource !== 'status') throw new NotModelled(`the subresource ${subresource}`);
    if (address.name === undefined) return this.#inCollection(address, request, by);
    switch (method) {
      case 'GET':
        return liveOf(this.#parts, address.kind, keyOf(address));
      case 'PUT':
        return this.#replace(address, request, by);
      case 'PATCH':
        return this.#patch(address, request, by);
      case 'DELETE':
        return this.#delete(address, request, by);
      default:
        throw new NotModelled(`the method ${method}`);
    }
  }

  #inCollection(address: Address, request: ModelRequest, by: string): Json {
    if (request.method === 'GET') return this.#list(address, request.query);
    if (request.method === 'POST') return this.#create(address, request, by);
    throw new NotModelled(`${request.method} of a collection`);
  }

  #list(address: Address, query: ModelRequest['query'] = {}): Json {
    const objects = selected(this.table, selectionOf(address, query));
    if (query['continue'] !== undefined) throw new NotModelled('a second page of a list');
    const page = objects.slice(0, Number(query['limit'] ?? Infinity));
    const isCut = page.length < objects.length;
    return {
      apiVersion: apiVersionOf(address.kind),
      kind: `${address.kind.kind}List`,
      metadata: { resourceVersion: String(this.table.version), ...(isCut && { continue: 'more' }) },
      items: page.map(({ apiVersion: _version, kind: _kind, ...item }) => item),
    };
  }

  #watch(address: Address, query: Readonly<Record<string, string>>): ModelAnswer {
    const { resourceVersion, sendInitialEvents, timeoutSeconds } = query;
    if ((resourceVersion === undefined) !== (sendInitialEvents === 'true')) {
      throw new NotModelled('a watch that neither goes on nor begins with the state');
    }
    const feed = openFeed(this.table, {
      selection: selectionOf(address, query),
      from: resourceVersion === undefined ? undefined : Number(resourceVersion),
      timeoutMs: Number(timeoutSeconds ?? 1800) * 1000,
    });
    return { kind: 'watch', feed };
  }

  #create(address: Address, request: ModelRequest, by: string): Json {
    const draft = parsed(request);
    const { namespace } = address;
    const metadata = {
      ...(draft['metadata'] as Json),
      ...(namespace !== undefined && { namespace }),
    };
    const { name } = metadata as { readonly name?: string };
    if (name === undefined) throw new NotModelled('generateName');
    if (namespace !== undefined) this.#checkNamespace(address.kind, name, namespace);
    const isDryRun = request.query?.['dryRun'] === 'All';
    if (isDryRun) return draft;
    return createObject(this.#parts, { ...draft, metadata }, contextOf(address, request, by));
  }

  #checkNamespace(kind: ServedKind, name: string, namespace: string): void {
    const found = this.table.get(NAMESPACES, `/${namespace}`);
    if (found === undefined) throw namespaceMissing(namespace);
    if (found.metadata.deletionTimestamp) throw namespaceLeaving({ kind, name }, namespace);
  }

  #replace(address: Address, request: ModelRequest, by: string): Json {
    const live = liveOf(this.#parts, address.kind, keyOf(address));
    const next = withLiveOwners(parsed(request) as StoredObject, live);
    return storeObject(this.#parts, live, { next, context: contextOf(address, request, by) });
  }

  #patch(address: Address, request: ModelRequest, by: string): Json {
    const context = contextOf(address, request, by);
    const type = request.headers?.['content-type'];
    if (type === 'application/apply-patch+yaml') return this.#apply(address, request, context);
    const live = liveOf(this.#parts, address.kind, keyOf(address));
    const patch = parsed(request);
    if (type === 'application/json-patch+json') {
      const next = withLiveOwners(jsonPatched(live, patch, address.kind), live);
      return storeObject(this.#parts, live, { next, context });
    }
    if (type !== 'application/merge-patch+json') throw new NotModelled(`patches of type ${type}`);
    const merged = mergePatched(live, patch) as StoredObject;
    const givesOwners = isObject(patch['metadata']) && 'managedFields' in patch['metadata'];
    const next = givesOwners ? merged : withLiveOwners(merged, live);
    return storeObject(this.#parts, live, { next, context });
  }

  /** On /status of a custom resource only resourceVersion guards: the stored metadata goes over the given. */
  #apply(address: Address, request: ModelRequest, context: WriteContext): Json {
    const { kind, subresource } = address;
    if (!kind.tracksFields) throw new NotModelled(`server-side apply of ${kind.plural}`);
    const config = parsed(request);
    const given = config['metadata'] as Partial<StoredObject['metadata']>;
    const live = this.table.get(kind, keyOf(address)) ?? refuseAbsent(address, given);
    const { object, conflicts } = applied(live, withOthersConditions(config, live, kind), context);
    if (conflicts.length > 0 && request.query?.['force'] !== 'true') {
      const why = `Apply failed with ${conflicts.length} conflict: conflict with ${conflicts.join(', ')}`;
      throw conflict({ kind, name: address.name ?? '' }, why);
    }
    const { resourceVersion, uid } = given;
    const guards = {
      ...(resourceVersion && { resourceVersion }),
      ...(uid && subresource === undefined && { uid }),
    };
    const next = { ...object, metadata: { ...object.metadata, ...guards } };
    return storeObject(this.#parts, live, { next, context });
  }

  #delete(address: Address, request: ModelRequest, by: string): Json {
    const live = liveOf(this.#parts, address.kind, keyOf(address));
    const context = contextOf(address, request, by);
    if (address.kind === NAMESPACES) return this.#startDeletingNamespace(live, by);
    const options = request.body === undefined ? {} : parsed(request);
    return deleteObject(this.#parts, live, { options, context });
  }

  /** Without a controller manager it stays in this state. */
  #startDeletingNamespace(live: StoredObject, by: string): Json {
    const deletionTimestamp = live.metadata.creationTimestamp;
    return this.table.put(
      NAMESPACES,
      { ...live, metadata: { ...live.metadata, deletionTimestamp } },
      by,
    );
  }
}

function refuseAbsent(
  { kind, name = '', subresource }: Address,
  { uid }: Partial<StoredObject['metadata']>,
): never {
  if (subresource !== undefined) throw notFound({ kind, name });
  if (uid === undefined) throw new NotModelled('a create by server-side apply');
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict({ kind, name }, why);
}

/** The list stays one field: who applies to it owns the others' conditions too, and nobody asks. */
function withOthersConditions(config: Json, live: StoredObject, kind: ServedKind): Json {
  const own = listConditions(config);
  if (!kind.sharesConditions || own.length === 0) return config;
  const others = listConditions(live).filter(({ type }) => own.every((one) => one.type !== type));
  const status = config['status'] as Json;
  return { ...config, status: { ...status, conditions: [...others, ...own] } };
}

function listConditions({ status = {} }: Json): readonly { readonly type: string }[] {
  const { conditions = [] } = status as {
    readonly conditions?: readonly { readonly type: string }[];
  };
  return conditions;
}

function withLiveOwners(next: StoredObject, live: StoredObject): StoredObject {
  const { managedFields: _given, ...metadata } = next.metadata;
  const { managedFields } = live.metadata;
  return {
    ...next,
    metadata: { ...metadata, ...(managedFields && { managedFields }) },
  };
}

function selectionOf(address: Address, query: Readonly<Record<string, string>>): Selection {
  const { kind, namespace } = address;
  const { labelSelector, fieldSelector } = query;
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    ...(fieldSelector !== undefined && { fields: fieldsOf(fieldSelector) }),
    ...(labelSelector !== undefined && { labels: labelsOf(labelSelector) }),
  };
}

function evictionOf(address: Address, request: ModelRequest, by: string): Eviction {
  if (request.method !== 'POST') throw new NotModelled(`${request.method} of an eviction`);
  const { deleteOptions = {} } = parsed(request) as Pick<Partial<Eviction>, 'deleteOptions'>;
  return { key: keyOf(address), deleteOptions, by };
}

function contextOf(address: Address, request: ModelRequest, by: string): WriteContext {
  const part: Writer['part'] = address.subresource === 'status' ? 'status' : 'main';
  return { kind: address.kind, by, part, manager: request.query?.['fieldManager'] ?? by };
}

function keyOf({ namespace, name }: Address): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}

function parsed({ body }: ModelRequest): Json {
  return JSON.parse(body ?? '') as Json;
}
