import type { MyIngress } from '../../apis/my-ingress.ts';
import { isPaused } from '../../core/objects/annotations.ts';
import { getKey, isBeingDeleted, type Key, splitKey } from '../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../core/ports/cache.ts';
import { readRoutes } from './routes/read-routes.ts';
import { keyOfBackend, type RouteAction, type RouteBackend, type Routes } from './routes/routes.ts';

/** A backend that gets requests, whether its target group is there or not. */
export interface DeclaredBackend extends Pick<RouteBackend, 'service' | 'targetType'> {
  readonly owner: Key;
  readonly backend: string;
}

/** The backends of all objects by namespace, as their specs have them now. */
export class DeclaredBackends {
  readonly #cache: Pick<ObjectCache<MyIngress>, 'subscribe'>;
  readonly #byNamespace = new Map<string, Map<Key, readonly DeclaredBackend[]>>();

  constructor(cache: Pick<ObjectCache<MyIngress>, 'subscribe'>) {
    this.#cache = cache;
  }

  list(namespace: string): readonly DeclaredBackend[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])].flat();
  }

  /** Calls `onChange` with each namespace whose list may have changed. */
  follow(onChange: (namespace: string) => void): () => void {
    return this.#cache.subscribe(({ kind, object }) => {
      const { namespace } = splitKey(getKey(object));
      this.#put(object, kind === 'deleted' ? [] : listDeclared(object));
      onChange(namespace);
    });
  }

  #put(object: MyIngress, declared: readonly DeclaredBackend[]): void {
    const key = getKey(object);
    const { namespace } = splitKey(key);
    const objects = this.#byNamespace.get(namespace) ?? new Map<Key, readonly DeclaredBackend[]>();
    if (declared.length > 0) this.#byNamespace.set(namespace, objects.set(key, declared));
    else if (objects.delete(key) && objects.size === 0) this.#byNamespace.delete(namespace);
  }
}

/** Of an object that is paused or being deleted none: nobody waits for what it does not do. */
function listDeclared(object: MyIngress): readonly DeclaredBackend[] {
  if (object.spec === undefined || isPaused(object) || isBeingDeleted(object)) return [];
  const routes = readRoutes(object.spec);
  const asked = listAsked(routes);
  const owner = getKey(object);
  return routes.backends
    .filter((backend) => asked.has(keyOfBackend(backend)))
    .map(({ name, service, targetType }) => ({ owner, backend: name, service, targetType }));
}

/** Backends that an action sends requests to. */
function listAsked({ listeners, rules }: Routes): ReadonlySet<string> {
  const actions = [
    ...listeners.map(({ defaultAction }) => defaultAction),
    ...rules.filter((rule) => rule.listeners.length > 0).map(({ action }) => action),
  ];
  return new Set(actions.flatMap(listTakers));
}

function listTakers(action: RouteAction): readonly string[] {
  if (action.kind !== 'forward') return [];
  return action.to.filter(({ weight }) => weight > 0).map(({ backend }) => backend);
}
