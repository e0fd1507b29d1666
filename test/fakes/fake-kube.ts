import { getKey, type Key, type KubeObject } from '../../src/core/objects/kube-object.ts';
import type { ChildWriter, ObjectWriter } from '../../src/core/ports/writers.ts';
import { conflict, FakeApiServer, type FakeObject, type Fields } from './fake-api-server.ts';
import { FakeCache, type Transform } from './fake-cache.ts';

export type Verb =
  | 'addFinalizer'
  | 'removeFinalizer'
  | 'applyStatus'
  | 'create'
  | 'apply'
  | 'delete';

/** One write that the operator sent, in the order in which they were sent. */
export interface SentWrite {
  readonly verb: Verb;
  readonly key: Key;
}

interface Fault {
  readonly verb: Verb;
  /** Runs before the write takes effect; a rejection is the write's answer. */
  readonly before: () => Promise<void>;
}

/**
 * One cluster in memory: caches and writers as the operator sees them, and the hands of people who
 * create, edit and delete beside it. A write can be told to fail or to wait.
 */
export class FakeKube {
  readonly server = new FakeApiServer();
  readonly writes: SentWrite[] = [];
  readonly #faults: Fault[] = [];
  readonly #refused = new Map<string, Error>();
  readonly #lost: Error[] = [];
  readonly #onFinalizerStored: (() => void)[] = [];

  cache<T extends KubeObject>(kind: string, transform?: Transform): FakeCache<T> {
    return new FakeCache<T>(this.server, kind, transform);
  }

  writer<T extends KubeObject>(): ObjectWriter<T> {
    return {
      addFinalizer: async (object, finalizer) => {
        await this.#send('addFinalizer', object);
        const stored = this.#addFinalizer(object, finalizer) as unknown as T;
        this.#onFinalizerStored.splice(0).forEach((act) => act());
        return stored;
      },
      removeFinalizer: async (object, finalizer) => {
        await this.#send('removeFinalizer', object);
        return this.#removeFinalizer(object, finalizer) as unknown as T | undefined;
      },
      applyStatus: async (object, status) => {
        await this.#send('applyStatus', object);
        if (!this.#isSame(object)) return undefined;
        const stored = this.server.applyStatus(object, asJson(status)) as unknown as T;
        const lost = this.#lost.shift();
        if (lost !== undefined) throw lost;
        return stored;
      },
    };
  }

  childWriter(): ChildWriter {
    return {
      create: async (child) => {
        await this.#send('create', child);
        return this.server.create(child, child as unknown as Fields);
      },
      check: (child) => this.#meetFault('check', child),
      apply: async (child, createOnlyFields) => {
        await this.#send('apply', child);
        if (!this.#isSame(child)) throw conflict(`apply ${child.kind} ${getKey(child)}: other uid`);
        return this.server.applyMain(child, createOnlyFields);
      },
      delete: async (child) => {
        await this.#send('delete', child);
        if (this.#isSame(child)) this.server.delete(child);
      },
      get: async (child) => this.server.get(child.kind, getKey(child)),
    };
  }

  /** The next write of this verb is answered with `error`, without effect. */
  failNext(verb: Verb, error: unknown): void {
    this.#faults.push({ verb, before: () => Promise.reject(error) });
  }

  /** The next status is stored, and answered with `error`. */
  loseNextStatus(error: Error): void {
    this.#lost.push(error);
  }

  /** Every write of this verb to the object of this name is answered with `error`, without effect. */
  refuse(verb: Verb | 'check', key: Key, error: Error): void {
    this.#refused.set(`${verb} ${key}`, error);
  }

  /** The next write of this verb waits until the answer is called. */
  holdNext(verb: Verb): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#faults.push({ verb, before: () => promise });
    return resolve;
  }

  /** Runs once when a finalizer is stored, before that is answered. */
  onFinalizerStored(act: () => void): void {
    this.#onFinalizerStored.push(act);
  }

  create<T extends KubeObject>(draft: T): T {
    const created = this.server.create(draft);
    if (created === undefined) throw new Error(`${draft.kind} ${getKey(draft)} exists already`);
    return created as unknown as T;
  }

  /** Somebody else's edit of the main resource as it stands now. */
  edit<T extends KubeObject>(object: T, change: (live: T) => T): T {
    const live = this.get(object);
    if (live === undefined) throw new Error(`${object.kind} ${getKey(object)} does not exist`);
    return this.server.update(change(live)) as unknown as T;
  }

  /** The same of fields of its metadata. */
  editMeta<T extends KubeObject>(object: T, metadata: Partial<KubeObject['metadata']>): T {
    return this.edit(object, (live) => ({ ...live, metadata: { ...live.metadata, ...metadata } }));
  }

  delete(object: KubeObject): void {
    this.server.delete(object);
  }

  /** A DELETE that looked at the object before it had finalizers. */
  deleteInSpite(object: KubeObject): void {
    this.server.remove(object);
  }

  get<T extends KubeObject>(object: T): T | undefined {
    return this.server.get(object.kind, getKey(object)) as unknown as T | undefined;
  }

  async #send(verb: Verb, object: KubeObject): Promise<void> {
    this.writes.push({ verb, key: getKey(object) });
    await this.#meetFault(verb, object);
  }

  async #meetFault(verb: Verb | 'check', object: KubeObject): Promise<void> {
    const refusal = this.#refused.get(`${verb} ${getKey(object)}`);
    if (refusal !== undefined) throw refusal;
    const index = this.#faults.findIndex((fault) => fault.verb === verb);
    const [fault] = index < 0 ? [] : this.#faults.splice(index, 1);
    await fault?.before();
  }

  #addFinalizer(object: KubeObject, finalizer: string): FakeObject {
    const live = this.get(object);
    const hasMoved =
      live?.metadata.uid !== object.metadata.uid ||
      live?.metadata.resourceVersion !== object.metadata.resourceVersion;
    if (live === undefined || hasMoved) throw conflict(`add the finalizer to ${getKey(object)}`);
    return this.#putFinalizers(live, [...(live.metadata.finalizers ?? []), finalizer]);
  }

  #removeFinalizer(object: KubeObject, finalizer: string): FakeObject | undefined {
    const live = this.get(object);
    if (live === undefined || !this.#isSame(object)) return undefined;
    const others = live.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
    return this.#putFinalizers(live, others);
  }

  #putFinalizers(live: KubeObject, finalizers: readonly string[]): FakeObject {
    const { finalizers: _before, ...rest } = live.metadata;
    const metadata = finalizers.length === 0 ? rest : { ...rest, finalizers };
    return this.server.update({ ...live, metadata });
  }

  #isSame(object: KubeObject): boolean {
    const live = this.get(object);
    return live !== undefined && live.metadata.uid === object.metadata.uid;
  }
}

/** As on the wire: a field that is undefined is not sent. */
function asJson(value: object): Fields {
  return JSON.parse(JSON.stringify(value)) as Fields;
}
