import type { MyIngress } from '../../../apis/my-ingress.ts';
import { getKey, type KubeObject } from '../../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../../core/ports/cache.ts';

/** An open watch on all namespaces. */
export interface NamespaceCache {
  readonly cache: Pick<ObjectCache<KubeObject>, 'get' | 'subscribe'>;
  /** Resolves once the cache holds all of them. */
  readonly synced: Promise<void>;
}

/**
 * Labels of namespaces, watched once a MyIngress selects by them. The right to do so is optional, and a Role of a
 * namespace cannot grant it.
 */
export class NamespaceLabels {
  readonly #open: (() => NamespaceCache) | undefined;
  #cache: NamespaceCache['cache'] | undefined;
  #isRead = false;
  #onChange: (() => void) | undefined;
  #stop: (() => void) | undefined;

  /** @param open undefined: namespaces are not read. */
  constructor(open: (() => NamespaceCache) | undefined) {
    this.#open = open;
  }

  /** Opens the watch, where there may be one and none is open. */
  begin(): void {
    if (this.#cache === undefined && this.#open !== undefined) this.#watch(this.#open());
  }

  /** undefined: not known. */
  read(namespace: string): Readonly<Record<string, string>> | undefined {
    this.begin();
    if (!this.#isRead) return undefined;
    return this.#cache?.get(`/${namespace}`)?.metadata.labels ?? {};
  }

  follow(onChange: () => void): () => void {
    this.#onChange = onChange;
    return () => {
      this.#onChange = undefined;
      this.#stop?.();
    };
  }

  #watch({ cache, synced }: NamespaceCache): void {
    this.#cache = cache;
    void synced.then(() => {
      this.#isRead = true;
      this.#onChange?.();
      this.#stop = cache.subscribe((change) => {
        const isInitial = change.kind === 'added' && change.isInitial;
        if (!isInitial && hasNewLabels(change)) this.#onChange?.();
      });
    });
  }
}

function hasNewLabels(
  change: Parameters<Parameters<NamespaceCache['cache']['subscribe']>[0]>[0],
): boolean {
  if (change.kind !== 'updated') return true;
  const [before, after] = [change.previous, change.object].map((one) => {
    return `${getKey(one)} ${JSON.stringify(one.metadata.labels)}`;
  });
  return before !== after;
}

export type AllowedNamespaces = NonNullable<MyIngress['spec']['allowedNamespaces']>;

/** Labels of a namespace; undefined: not known yet. */
export type ReadLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

/**
 * True where objects of the namespace may attach to a MyIngress of the namespace `own`; pure. undefined: its labels
 * are not known.
 */
export function isAllowed(
  { from, selector }: AllowedNamespaces,
  { own, namespace }: { readonly own: string; readonly namespace: string },
  readLabels: ReadLabels,
): boolean | undefined {
  if (namespace === own || from === 'All') return true;
  if (from === 'Same') return false;
  const labels = readLabels(namespace);
  if (labels === undefined) return undefined;
  const required = Object.entries(selector?.matchLabels ?? {});
  return (
    required.length > 0 &&
    required.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
  );
}
