import { loadBalancerFinalizer, type MyIngress } from '../../../apis/my-ingress.ts';
import { isPaused, isPlanOnly } from '../../../core/objects/annotations.ts';
import { getKey, isBeingDeleted, type Key } from '../../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../../core/ports/cache.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { isOnlyPlanned } from '../status.ts';
import { readRoutes } from './read-routes.ts';
import type { RouteBackend } from './routes.ts';

/** `kubectl replace --force` creates an object again as soon as the old one is gone. */
const REPLACED_WITHIN_MS = 15_000;

interface Named {
  readonly service: Pick<RouteBackend['service'], 'name' | 'namespace'>;
}

/** The attached backends that status records. */
type Recall = (object: MyIngress) => Iterable<Named>;

/**
 * The Services that objects name as backends whose pods are targets. Those of an object that is paused or
 * being deleted, or has just been deleted, and of a backend at weight 0, count: what is decided by this list
 * replaces pods, and their gates are open meanwhile (DeclaredBackends). Those of an object that is only
 * planned do not: a plan replaces no pod. For the same reason an edit of an object at rest changes nothing.
 */
export class NamedServices {
  readonly #cache: Pick<ObjectCache<MyIngress>, 'subscribe'>;
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #recall: Recall;
  readonly #byObject = new Map<Key, ReadonlySet<Key>>();
  readonly #timesNamed = new Map<Key, number>();
  /** By the key of an object at rest: Services that either its spec or the record has, but not both. */
  readonly #unclear = new Map<Key, ReadonlySet<Key>>();
  /** By the key of an object that is gone: cancels that its Services cease to be named. */
  readonly #endings = new Map<Key, () => void>();

  constructor(
    cache: Pick<ObjectCache<MyIngress>, 'subscribe'>,
    clock: Pick<Clock, 'setTimer'>,
    recall: Recall = () => [],
  ) {
    this.#cache = cache;
    this.#clock = clock;
    this.#recall = recall;
  }

  /** Undefined: not known, so that its pods stay as they are. */
  has(service: Key): boolean | undefined {
    if (this.#timesNamed.has(service)) return true;
    const isUnclear = [...this.#unclear.values()].some((services) => services.has(service));
    return isUnclear ? undefined : false;
  }

  /** Calls `onChange` with each Service that is named now, and with each that is no longer. */
  follow(onChange: (service: Key) => void): () => void {
    const stop = this.#cache.subscribe(({ kind, object }) => {
      const key = getKey(object);
      this.#cancelEnding(key);
      const wasNaming = this.#byObject.has(key);
      if (kind === 'deleted') {
        this.#putUnclear(key, NONE, onChange);
        if (wasNaming) this.#beginEnding(key, onChange);
        return;
      }
      const isResting = isAtRest(object);
      // What is attached to it is no longer served then, and may be again by the one that replaces it.
      if (wasNaming && (isResting || isBeingDeleted(object))) return;
      // A process that starts only now knows from status alone what was attached.
      const recalled = isBeingDeleted(object) ? this.#recall(object) : [];
      const named = listNamed(object, recalled);
      const recorded = isResting ? listRecorded(object, this.#recall(object)) : named;
      const agreed = [...named].filter((service) => recorded.has(service));
      const unclear = [...named, ...recorded].filter((service) => !agreed.includes(service));
      this.#put(key, new Set(agreed), onChange);
      this.#putUnclear(key, new Set(unclear), onChange);
    });
    return () => {
      stop();
      for (const key of this.#endings.keys()) this.#cancelEnding(key);
    };
  }

  #beginEnding(key: Key, onChange: (service: Key) => void): void {
    const end = (): void => {
      this.#endings.delete(key);
      this.#put(key, NONE, onChange);
    };
    this.#endings.set(key, this.#clock.setTimer(REPLACED_WITHIN_MS, end));
  }

  #cancelEnding(key: Key): void {
    this.#endings.get(key)?.();
    this.#endings.delete(key);
  }

  #putUnclear(key: Key, unclear: ReadonlySet<Key>, onChange: (service: Key) => void): void {
    const before = this.#unclear.get(key) ?? NONE;
    if (unclear.size > 0) this.#unclear.set(key, unclear);
    else this.#unclear.delete(key);
    for (const service of before) if (!unclear.has(service)) onChange(service);
  }

  #put(key: Key, named: ReadonlySet<Key>, onChange: (service: Key) => void): void {
    const before = this.#byObject.get(key) ?? NONE;
    if (named.size > 0) this.#byObject.set(key, named);
    else this.#byObject.delete(key);
    const added = [...named].filter((service) => !before.has(service));
    const removed = [...before].filter((service) => !named.has(service));
    for (const service of added) this.#count(service, 1, onChange);
    for (const service of removed) this.#count(service, -1, onChange);
  }

  #count(service: Key, by: 1 | -1, onChange: (service: Key) => void): void {
    const wasNamed = this.has(service);
    const times = (this.#timesNamed.get(service) ?? 0) + by;
    if (times > 0) this.#timesNamed.set(service, times);
    else this.#timesNamed.delete(service);
    if (this.has(service) !== wasNamed) onChange(service);
  }
}

const NONE: ReadonlySet<Key> = new Set();

/** True while nothing of the newest spec is carried out, and AWS may have one of before. */
function isAtRest(object: MyIngress): boolean {
  const { finalizers = [] } = object.metadata;
  return finalizers.includes(loadBalancerFinalizer) && (isPaused(object) || isPlanOnly(object));
}

/** Those of the target groups on record, whatever their targets are. */
function listRecorded(
  { metadata, status }: MyIngress,
  attached: Iterable<Named>,
): ReadonlySet<Key> {
  const own = (status?.owned?.services ?? []).map(({ name }) => ({ service: { name } }));
  return listKeys([...own, ...attached], metadata.namespace);
}

function listNamed(object: MyIngress, recalled: Iterable<Named>): ReadonlySet<Key> {
  if (object.spec === undefined || isOnlyPlanned(object)) return NONE;
  const { namespace: own } = object.metadata;
  const backends = readRoutes(object.spec).backends.filter(
    ({ targetType }) => targetType !== 'instance',
  );
  return listKeys([...backends, ...recalled], own);
}

function listKeys(named: readonly Named[], own: string): ReadonlySet<Key> {
  return new Set(
    named.map(({ service: { name, namespace = own } }) => `${namespace}/${name}` as const),
  );
}
