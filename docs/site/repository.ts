import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** The kind of a path of the repository; `none`: it does not exist, or is outside. */
export type Entry = 'file' | 'folder' | 'none';

/** The repository as far as pages link to it. */
export class Repository {
  readonly root: string;
  readonly #entries = new Map<string, Entry>();

  constructor(root: string) {
    this.root = root;
  }

  readonly entryOf = (target: string): Entry => {
    const known = this.#entries.get(target) ?? this.#read(target);
    this.#entries.set(target, known);
    return known;
  };

  /** Every path that was asked for and exists. */
  known(): readonly string[] {
    return [...this.#entries].flatMap(([path, entry]) => (entry === 'none' ? [] : [path]));
  }

  #read(target: string): Entry {
    if (target.startsWith('..')) return 'none';
    const stats = statSync(resolve(this.root, target), { throwIfNoEntry: false });
    if (stats === undefined) return 'none';
    return stats.isDirectory() ? 'folder' : 'file';
  }
}
