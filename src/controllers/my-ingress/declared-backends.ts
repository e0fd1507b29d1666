import type { MyIngress } from '../../apis/my-ingress.ts';
import { isPaused } from '../../core/objects/annotations.ts';
import { getKey, isBeingDeleted, type Key, splitKey } from '../../core/objects/kube-object.ts';
import type { Attachments } from './attaching/attachments.ts';
import { readRoutes } from './routes/read-routes.ts';
import { getBackendKey, listForwards, nameBackend, type RouteBackend } from './routes/routes.ts';
import { isOnlyPlanned } from './status.ts';

/** A backend that gets requests, whether its target group is there or not. */
export interface DeclaredBackend extends Pick<RouteBackend, 'service' | 'targetType'> {
  readonly owner: Key;
  readonly backend: string;
}

/** The backends of all objects by the namespace of their Service, as their specs have them now. */
export class DeclaredBackends {
  readonly #attachments: Pick<Attachments, 'decided' | 'view'>;
  readonly #byNamespace = new Map<string, Map<Key, readonly DeclaredBackend[]>>();
  readonly #namespacesOf = new Map<Key, ReadonlySet<string>>();

  constructor(attachments: Pick<Attachments, 'decided' | 'view'>) {
    this.#attachments = attachments;
  }

  /** Resolves once all that is attached has been read, and is in the lists. */
  known(): Promise<void> {
    return this.#attachments.decided;
  }

  list(namespace: string): readonly DeclaredBackend[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])].flat();
  }

  /** Calls `onChange` with each namespace whose list may have changed. */
  follow(onChange: (namespace: string) => void): () => void {
    return this.#attachments.view.subscribe(({ kind, object }) => {
      const { namespace } = splitKey(getKey(object));
      const declared = kind === 'deleted' ? [] : listDeclared(object);
      const changed = this.#put(getKey(object), declared);
      for (const one of new Set([namespace, ...changed])) onChange(one);
    });
  }

  /** The namespaces of before and of now. */
  #put(key: Key, declared: readonly DeclaredBackend[]): readonly string[] {
    const before = this.#namespacesOf.get(key) ?? new Set();
    for (const namespace of before) this.#remove(namespace, key);
    const { namespace: own } = splitKey(key);
    const now = Map.groupBy(declared, ({ service }) => service.namespace ?? own);
    for (const [namespace, some] of now) {
      const objects = this.#byNamespace.get(namespace) ?? new Map();
      this.#byNamespace.set(namespace, objects.set(key, some));
    }
    if (now.size > 0) this.#namespacesOf.set(key, new Set(now.keys()));
    else this.#namespacesOf.delete(key);
    return [...before, ...now.keys()];
  }

  #remove(namespace: string, key: Key): void {
    const objects = this.#byNamespace.get(namespace);
    objects?.delete(key);
    if (objects?.size === 0) this.#byNamespace.delete(namespace);
  }
}

/** Of an object that is paused, only planned or being deleted none: nobody waits for what it does not do. */
function listDeclared(object: MyIngress): readonly DeclaredBackend[] {
  const isIdle = isPaused(object) || isOnlyPlanned(object) || isBeingDeleted(object);
  if (object.spec === undefined || isIdle) return [];
  const routes = readRoutes(object.spec);
  const asked = listForwards(routes).filter(({ weight }) => weight > 0);
  const names = new Set(asked.map(({ backend }) => backend));
  const owner = getKey(object);
  return routes.backends
    .filter((backend) => names.has(getBackendKey(backend)))
    .map((backend) => {
      const { service, targetType } = backend;
      return { owner, backend: nameBackend(backend), service, targetType };
    });
}
