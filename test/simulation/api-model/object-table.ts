import { keyOfStored, type ServedKind, type StoredObject } from './stored-object.ts';

/** One change of one object, as the watches tell it. */
export interface Commit {
  readonly kind: ServedKind;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Its resourceVersion is that of the commit, also of a deletion. */
  readonly object: StoredObject;
  readonly before: StoredObject | undefined;
  /** Who sent the request: a user agent, not a field manager. */
  readonly by: string;
  readonly version: number;
}

const FIRST_VERSION = 90;

/**
 * Every object of the cluster, one sequence of versions over all of them, and the changes that a
 * watch may still go on from. The first versions pass from 99 to 100, where text order fails.
 */
export class ObjectTable {
  readonly #objects = new Map<ServedKind, Map<string, StoredObject>>();
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #commits = new Map<ServedKind, Commit[]>();
  #version = FIRST_VERSION;
  #compactedTo = FIRST_VERSION;

  get version(): number {
    return this.#version;
  }

  /** Watches cannot go on from before this version. */
  get compactedTo(): number {
    return this.#compactedTo;
  }

  get(kind: ServedKind, key: string): StoredObject | undefined {
    return this.#objects.get(kind)?.get(key);
  }

  list(kind: ServedKind): readonly StoredObject[] {
    return [...(this.#objects.get(kind)?.values() ?? [])];
  }

  /** Stores `object` under a new version; answers with it as it is stored. */
  put(kind: ServedKind, object: StoredObject, by: string): StoredObject {
    const before = this.get(kind, keyOfStored(object));
    const stored = this.#versioned(object);
    let objects = this.#objects.get(kind);
    if (objects === undefined) this.#objects.set(kind, (objects = new Map()));
    objects.set(keyOfStored(stored), stored);
    const type = before === undefined ? 'ADDED' : 'MODIFIED';
    this.#tell({ kind, type, object: stored, before, by, version: this.#version });
    return stored;
  }

  /** Answers with the object as it was last, under the version of its end. */
  remove(kind: ServedKind, object: StoredObject, by: string): StoredObject {
    const before = this.get(kind, keyOfStored(object));
    const last = this.#versioned(object);
    this.#objects.get(kind)?.delete(keyOfStored(object));
    this.#tell({ kind, type: 'DELETED', object: last, before, by, version: this.#version });
    return last;
  }

  /** What happened to a kind after `version`, oldest first. */
  since(kind: ServedKind, version: number): readonly Commit[] {
    const commits = this.#commits.get(kind) ?? [];
    return commits.slice(1 + commits.findLastIndex((commit) => commit.version <= version));
  }

  /** Forgets the past: a watch that asks for it is answered 410. */
  compact(): void {
    this.#compactedTo = this.#version;
    this.#commits.clear();
  }

  /** Called with each commit before the write is answered. */
  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #versioned(object: StoredObject): StoredObject {
    const resourceVersion = String(++this.#version);
    return { ...object, metadata: { ...object.metadata, resourceVersion } };
  }

  #tell(commit: Commit): void {
    const commits = this.#commits.get(commit.kind) ?? [];
    this.#commits.set(commit.kind, commits);
    commits.push(commit);
    for (const listener of this.#listeners) listener(commit);
  }
}
