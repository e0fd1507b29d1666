import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../apis/my-ingress.ts';
import { getKey, isBeingDeleted, type Key, splitKey } from '../../../core/objects/kube-object.ts';
import type { Change, ObjectCache } from '../../../core/ports/cache.ts';
import type { Enqueue, KeySource } from '../../../core/queue/key-queue.ts';
import { listAttachedPorts } from '../routes/read-routes.ts';
import { admitObjects } from './admission.ts';
import { type AttachingObject, getSource, type SourceRef } from './attaching-object.ts';
import { decideAttachments, UNKNOWN } from './decide.ts';
import { type Decided, type Decision, isSameOutcome } from './decision.ts';
import { findKeptHolders, recallHolders } from './holders.ts';
import { findDecision, type Joined } from './joined.ts';
import type { NamespaceLabels, ReadLabels } from './namespace-labels.ts';
import { type RecallGroup, recallById, recallServed, servesOn } from './recall.ts';
import { type AttachState, describeState, stateOf } from './state.ts';

/** One kind of objects that attach routes. */
export interface RouteSource {
  /** Resolves once all of its objects are known. */
  readonly synced: Promise<void>;
  /** Calls `onChange` with the routes of each object as they are now; undefined: it attaches none, or is gone. */
  follow(onChange: (ref: SourceRef, object: AttachingObject | undefined) => void): () => void;
  /** The backends of an object of which no more than the name is known; none of another kind. */
  recall(ref: SourceRef): AttachingObject['backends'];
}

interface AttachmentsOptions {
  readonly cache: Pick<ObjectCache<MyIngress>, 'get' | 'list' | 'subscribe'>;
  readonly sources: readonly RouteSource[];
  /** Those that are watched; empty: all of them. */
  readonly namespaces: readonly string[];
  readonly labels: NamespaceLabels;
}

type OnIngress = (change: Change<MyIngress>) => void;

/**
 * The routes that objects of other kinds attach, by the MyIngress that they name. What depends on them reads a
 * MyIngress through `join` or `view`, which give it with what is attached.
 */
export class Attachments {
  readonly #options: AttachmentsOptions;
  readonly #objects = new Map<Key, Map<string, AttachingObject>>();
  readonly #ingressOf = new Map<string, Key>();
  readonly #decided = new Map<Key, Decided>();
  readonly #told = new Map<string, string>();
  readonly #viewers = new Set<OnIngress>();
  readonly #stops: (() => void)[] = [];
  #enqueue: Enqueue | undefined;
  #onState: ((ref: SourceRef) => void) | undefined;
  /** The count at the last edit of an object that names this MyIngress. */
  readonly #editOf = new Map<Key, number>();
  #isKnown: boolean;
  readonly #readLabels: ReadLabels = (namespace) => this.#options.labels.read(namespace);
  readonly #recall: RouteSource['recall'] = (ref) =>
    this.#options.sources.flatMap((source) => source.recall(ref));
  readonly recallGroup: RecallGroup = (id) => recallById(id, this.#recall);
  readonly #deciding = Promise.withResolvers<void>();
  #edits = 0;
  /** The count at the last change that concerns every MyIngress. */
  #allEdit = 0;

  constructor(options: AttachmentsOptions) {
    this.#options = options;
    this.#isKnown = options.sources.length === 0;
  }

  /**
   * Call it before anything reads. What the caches hold by then comes one object after the other: before the last
   * of them nothing is decided, or the first would get what a later one holds.
   */
  start(): void {
    const { cache, labels, sources } = this.#options;
    for (const source of sources) {
      this.#stops.push(source.follow((ref, object) => this.#put(getSource(ref), object)));
    }
    this.#stops.push(labels.follow(() => this.#announceAll()));
    this.#stops.push(cache.subscribe((change) => this.#onIngress(change)));
    void this.known.then(() => {
      this.#isKnown = true;
      for (const object of cache.list()) {
        const isAttached = this.#objects.has(getKey(object));
        if (isAttached || object.status?.attached !== undefined) this.#wake(this.join(object));
      }
      for (const key of this.#objects.keys()) this.#tell(key);
      this.#deciding.resolve();
    });
  }

  /** Resolves once all that may attach is known and its routes are decided. */
  get decided(): Promise<void> {
    return this.#deciding.promise;
  }

  /** Resolves once all that may attach is known. */
  get known(): Promise<void> {
    return Promise.all(this.#options.sources.map(({ synced }) => synced)).then(() => undefined);
  }

  /** Keys of MyIngresses whose attached routes have changed. */
  readonly source: KeySource = (enqueue) => {
    this.#enqueue = enqueue;
    return () => {
      this.#enqueue = undefined;
      for (const stop of this.#stops) stop();
    };
  };

  /** The object with what is attached to it; itself where nothing is. */
  join(object: MyIngress): MyIngress {
    const attached = this.#decide(object);
    if (attached === undefined) return object;
    const joined: Joined = { ...object, spec: { ...object.spec, attached } };
    return joined;
  }

  /** The cache, with what is attached to each object. */
  readonly view: Pick<ObjectCache<MyIngress>, 'get' | 'list' | 'subscribe'> = {
    get: (key) => {
      const object = this.#options.cache.get(key);
      return object && this.join(object);
    },
    list: () => this.#options.cache.list().map((object) => this.join(object)),
    subscribe: (onChange) => {
      this.#viewers.add(onChange);
      const stop = this.#options.cache.subscribe((change) => {
        onChange({ ...change, object: this.join(change.object) });
      });
      return () => {
        this.#viewers.delete(onChange);
        stop();
      };
    },
  };

  /** The attached backends that status records as served. */
  recall(object: MyIngress): ReturnType<typeof recallServed> {
    return recallServed(object, this.#recall);
  }

  /** Those that name a MyIngress, allowed or not. */
  listObjects(ingress: Key): readonly AttachingObject[] {
    return [...(this.#objects.get(ingress)?.values() ?? [])];
  }

  /** The result for the routes of an object; undefined: it attaches none. */
  read(ref: SourceRef): AttachState | undefined {
    const source = getSource(ref);
    const ingress = this.#ingressOf.get(source);
    const object = this.#find(ingress, source);
    if (ingress === undefined || object === undefined) return undefined;
    const { cache, namespaces } = this.#options;
    const { namespace } = splitKey(ingress);
    if (namespaces.length > 0 && !namespaces.includes(namespace)) return { kind: 'unwatched' };
    const stored = cache.get(ingress);
    if (stored === undefined) {
      // Whether there is one in another namespace is nobody's business who may not attach to it.
      return namespace === ref.namespace ? { kind: 'missing' } : REFUSED;
    }
    return isBeingDeleted(stored)
      ? this.#readDeleted(stored, object)
      : stateOf(stored, object, this.#decide(stored) ?? UNKNOWN);
  }

  /** Of a MyIngress that does not admit the object it says no more than before. */
  #readDeleted(ingress: MyIngress, object: AttachingObject): AttachState {
    const refused = admitObjects(ingress, [object], this.#readLabels).find(
      (one) => !one.isAdmitted,
    );
    return refused ? { kind: 'refused', reason: refused.reason } : { kind: 'deleting' };
  }

  /** Calls `onChange` with each object, and again when its answer to `read` has changed. For one follower. */
  follow(onChange: (ref: SourceRef) => void): () => void {
    this.#onState = onChange;
    this.#told.clear();
    for (const ingress of this.#objects.keys()) this.#tell(ingress);
    return () => {
      this.#onState = undefined;
    };
  }

  #put(source: string, object: AttachingObject | undefined): void {
    const before = this.#ingressOf.get(source);
    // Most events of an object are about its status.
    if (isDeepStrictEqual(object, this.#find(before, source))) return;
    if (before !== undefined) this.#remove(before, source);
    if (object === undefined) this.#told.delete(source);
    else this.#add(object.ingress, source, object);
    for (const key of new Set([before, object?.ingress])) {
      if (key === undefined) continue;
      this.#countEdit(key);
      this.#announce(key);
    }
  }

  #find(ingress: Key | undefined, source: string): AttachingObject | undefined {
    return ingress && this.#objects.get(ingress)?.get(source);
  }

  /** Counts are never used twice, so that those of a MyIngress that nobody names need not be kept. */
  #countEdit(key: Key): void {
    this.#edits += 1;
    if (this.#objects.has(key)) this.#editOf.set(key, this.#edits);
    else this.#editOf.delete(key);
  }

  #add(ingress: Key, source: string, object: AttachingObject): void {
    const objects = this.#objects.get(ingress) ?? new Map<string, AttachingObject>();
    this.#objects.set(ingress, objects.set(source, object));
    this.#ingressOf.set(source, ingress);
  }

  #remove(ingress: Key, source: string): void {
    const objects = this.#objects.get(ingress);
    objects?.delete(source);
    if (objects?.size === 0) this.#objects.delete(ingress);
    this.#ingressOf.delete(source);
  }

  #onIngress({ kind, object }: Change<MyIngress>): void {
    const key = getKey(object);
    if (kind === 'deleted') this.#decided.delete(key);
    this.#tell(key);
  }

  #announceAll(): void {
    this.#edits += 1;
    this.#allEdit = this.#edits;
    for (const object of this.#options.cache.list()) this.#announce(getKey(object));
  }

  /** Something that is attached to it may have changed. */
  #announce(key: Key): void {
    // Until all are known nothing is decided, and each of thousands would be told of the other ones.
    if (!this.#isKnown) return;
    const before = this.#decided.get(key)?.decision;
    const object = this.#options.cache.get(key);
    if (object !== undefined && !isBeingDeleted(object)) {
      const joined = this.join(object);
      // Those that may not attach would end its backoff otherwise.
      if (!isSameOutcome(before, findDecision(joined))) this.#wake(joined);
    }
    this.#tell(key);
  }

  #wake(object: MyIngress): void {
    for (const onChange of this.#viewers) onChange({ kind: 'updated', object, previous: object });
    this.#enqueue?.(getKey(object));
  }

  /** Each object whose state has changed. */
  #tell(ingress: Key): void {
    for (const object of this.listObjects(ingress)) {
      const source = getSource(object);
      const state = describeState(this.read(object));
      if (this.#told.get(source) === state) continue;
      this.#told.set(source, state);
      this.#onState?.(object);
    }
  }

  #decide(object: MyIngress): Decision | undefined {
    const key = getKey(object);
    if (!this.#isKnown || servesOn(object)) return UNKNOWN;
    if (object.spec === undefined || isBeingDeleted(object)) return undefined;
    const known = this.#decided.get(key);
    if (!this.#objects.has(key)) {
      this.#decided.delete(key);
      return undefined;
    }
    const edit = Math.max(this.#allEdit, this.#editOf.get(key) ?? 0);
    const { uid } = object.metadata;
    const version = `${uid} ${object.metadata.generation} ${edit}`;
    if (known?.version === version) return known.decision;
    const decision = this.#judge(object, this.listObjects(key), known);
    this.#decided.set(key, { uid, version, decision });
    return decision;
  }

  #judge(
    ingress: MyIngress,
    objects: readonly AttachingObject[],
    known: Decided | undefined,
  ): Decision {
    const { spec, status } = ingress;
    const judged = admitObjects(ingress, objects, this.#readLabels);
    const refusals = judged.filter(({ isAdmitted }) => !isAdmitted);
    const waiting = refusals.filter(({ reason }) => reason === 'NamespacesUnknown');
    const standing = [...judged.filter(({ isAdmitted }) => isAdmitted), ...waiting].map(
      ({ source }) => source,
    );
    const recorded = new Map(
      (status?.attached ?? []).map((one) => [getSource(one), one.holds ?? []] as const),
    );
    // Or an edit of the listeners while no process runs would give what is held to the oldest.
    const before = [spec, status ?? {}].flatMap(({ listeners = [] }) =>
      listeners.map(({ port }) => port),
    );
    const ports = { now: listAttachedPorts(spec), before };
    const holders = findKeptHolders(known, ingress) ?? recallHolders(ports, standing, recorded);
    const decision = decideAttachments(spec, standing, {
      held: holders,
      waiting: new Set(waiting.map(({ source }) => source)),
    });
    return { ...decision, refusals: [...decision.refusals, ...refusals] };
  }
}

const REFUSED: AttachState = { kind: 'refused', reason: 'NotAllowed' };
