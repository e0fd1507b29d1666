import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import { askOf, keyOf, listWebApps } from './asked.ts';

type Versions<T> = Map<string, T>;

/**
 * All that any spec of an object was allowed to ask of any spec of a MyIngress. A process sees the two by watches of
 * their own, so that one may be newer to it than the other.
 */
export class EverAllowed {
  readonly #table: ObjectTable;
  readonly #apps: Versions<WebApp> = new Map();
  readonly #ingresses = new Map<string, Versions<MyIngress>>();
  /** By MyIngress, as `WebApp/web/shop 80 shop.example.org /*`. */
  readonly #asked = new Map<string, Set<string>>();
  /** Pairs of specs that were allowed: labels of namespaces change, so the others are asked again. */
  readonly #allowed = new Set<string>();

  constructor(table: ObjectTable) {
    this.#table = table;
  }

  /** Call with each change of a WebApp, a namespace, or a MyIngress, of which these are there. */
  refresh(ingresses: readonly MyIngress[]): void {
    for (const app of listWebApps(this.#table)) this.#apps.set(nameVersion(app), app);
    for (const ingress of ingresses) {
      const key = keyOf(ingress);
      const versions = this.#ingresses.get(key) ?? new Map<string, MyIngress>();
      this.#ingresses.set(key, versions.set(nameVersion(ingress), ingress));
    }
    for (const [key, versions] of this.#ingresses) this.#askAll(key, versions);
  }

  listAsked(key: string): ReadonlySet<string> {
    return this.#asked.get(key) ?? new Set();
  }

  #askAll(key: string, ingresses: Versions<MyIngress>): void {
    const asked = this.#asked.get(key) ?? new Set<string>();
    this.#asked.set(key, asked);
    for (const [version, ingress] of ingresses) {
      for (const [own, app] of this.#apps) {
        const pair = `${version} ${own}`;
        if (this.#allowed.has(pair)) continue;
        const { isAllowed = false, pieces = [], source } = askOf(this.#table, app, ingress) ?? {};
        if (!isAllowed) continue;
        this.#allowed.add(pair);
        for (const claim of pieces.flatMap(({ claims }) => claims)) asked.add(`${source} ${claim}`);
      }
    }
  }
}

function nameVersion({ metadata }: MyIngress | WebApp): string {
  return `${metadata.uid} ${metadata.generation}`;
}
