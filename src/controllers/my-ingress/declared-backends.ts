import type { MyIngress } from '../../apis/my-ingress.ts';
import { isPaused, isPlanOnly } from '../../core/objects/annotations.ts';
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
  readonly #published: Promise<void>;
  readonly #byNamespace = new Map<string, Map<Key, readonly DeclaredBackend[]>>();
  /** Of each active object. */
  readonly #namespacesOf = new Map<Key, readonly string[]>();

  /** `published`: a drift scan has published the groups that the objects had at the start. */
  constructor(attachments: Pick<Attachments, 'decided' | 'view'>, published: Promise<void>) {
    this.#attachments = attachments;
    this.#published = published;
  }

  /**
   * Resolves once all that is attached has been read, and is in the lists, and the groups are published: requests may
   * still reach one whose backend is in no list.
   */
  known(): Promise<unknown> {
    return Promise.all([this.#attachments.decided, this.#published]);
  }

  list(namespace: string): readonly DeclaredBackend[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])].flat();
  }

  /** False for an object that is gone or only planned, whatever groups it has. */
  isActive(owner: Key): boolean {
    return this.#namespacesOf.has(owner);
  }

  /** Calls `onChange` with each namespace whose list may have changed. */
  follow(onChange: (namespace: string) => void): () => void {
    return this.#attachments.view.subscribe(({ kind, object }) => {
      const key = getKey(object);
      const { namespace: own } = splitKey(key);
      const before = this.#remove(key);
      const isActive = kind !== 'deleted' && !isOnlyPlanned(object);
      const now = isActive ? this.#put(key, object) : [];
      for (const namespace of new Set([own, ...before, ...now])) onChange(namespace);
    });
  }

  /** Returns the namespaces of its backends. Of an object that gets no more groups pods wait for those that it has. */
  #put(key: Key, object: MyIngress): readonly string[] {
    const { namespace: own } = splitKey(key);
    const now = Map.groupBy(listDeclared(object), ({ service }) => service.namespace ?? own);
    for (const [namespace, backends] of now) {
      const objects = this.#byNamespace.get(namespace) ?? new Map();
      this.#byNamespace.set(namespace, objects.set(key, getsGroups(object) ? backends : []));
    }
    const namespaces = [...now.keys()];
    this.#namespacesOf.set(key, namespaces);
    return namespaces;
  }

  /** Returns the namespaces that it had backends in. */
  #remove(key: Key): readonly string[] {
    const namespaces = this.#namespacesOf.get(key) ?? [];
    for (const namespace of namespaces) {
      const objects = this.#byNamespace.get(namespace);
      objects?.delete(key);
      if (objects?.size === 0) this.#byNamespace.delete(namespace);
    }
    this.#namespacesOf.delete(key);
    return namespaces;
  }
}

/** False while it is paused or only planned, and during its deletion, which something may block. */
function getsGroups(object: MyIngress): boolean {
  return !isPaused(object) && !isPlanOnly(object) && !isBeingDeleted(object);
}

function listDeclared(object: MyIngress): readonly DeclaredBackend[] {
  if (object.spec === undefined) return [];
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
