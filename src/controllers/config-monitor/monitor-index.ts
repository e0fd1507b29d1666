import type { ConfigMonitor, ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { Change, ObjectCache } from '../../core/ports/cache.ts';
import type { KeySource } from '../../core/queue/key-queue.ts';
import { affectsRestarts } from './pod-index.ts';
import type { TrimmedConfigMap, TrimmedPod } from './transforms.ts';

/** Finds the ConfigMonitors of a ConfigMap or a pod without scanning all of them. */
export class MonitorIndex {
  readonly #cache: Pick<ObjectCache<ConfigMonitor>, 'get'>;
  readonly #keys = new Map<string, Set<Key>>();

  /** Follows the cache for as long as the process lives. */
  constructor(cache: Pick<ObjectCache<ConfigMonitor>, 'get' | 'subscribe'>) {
    this.#cache = cache;
    cache.subscribe((change) => this.#onChange(change));
  }

  /** Those that watch this ConfigMap, as the cache shows them. */
  listByConfigMap(key: Key): readonly ConfigMonitor[] {
    return [...(this.#keys.get(buildConfigMapSlot(key)) ?? [])].flatMap(
      (monitor) => this.#cache.get(monitor) ?? [],
    );
  }

  /** Enqueues for a ConfigMap that is created, deleted or has other data; ignores its other changes. */
  ofConfigMaps(cache: Pick<ObjectCache<TrimmedConfigMap>, 'subscribe'>): KeySource {
    return (enqueue) =>
      cache.subscribe((change) => {
        if (isFromInitialList(change) || !hasOtherData(change)) return;
        for (const key of this.#keys.get(buildConfigMapSlot(getKey(change.object))) ?? [])
          enqueue(key);
      });
  }

  /** Enqueues for a selected pod that is created, deleted, or becomes ready or unready. */
  ofPods(cache: Pick<ObjectCache<TrimmedPod>, 'subscribe'>): KeySource {
    return (enqueue) =>
      cache.subscribe((change) => {
        if (isFromInitialList(change) || !affectsRestarts(change)) return;
        for (const key of this.#selecting(change)) enqueue(key);
      });
  }

  #selecting(change: Change<TrimmedPod>): ReadonlySet<Key> {
    const states = change.kind === 'updated' ? [change.previous, change.object] : [change.object];
    return new Set(states.flatMap((pod) => this.#selectingOne(pod)));
  }

  #selectingOne({ metadata: { namespace, labels = {} } }: TrimmedPod): readonly Key[] {
    return Object.entries(labels)
      .flatMap(([key, value]) => [...(this.#keys.get(buildPodSlot(namespace, key, value)) ?? [])])
      .filter((key) => {
        const selector = Object.entries(this.#cache.get(key)?.spec?.podSelector ?? {});
        return selector.every(([name, value]) => labels[name] === value);
      });
  }

  #onChange(change: Change<ConfigMonitor>): void {
    const key = getKey(change.object);
    if (change.kind !== 'added') {
      const before = change.kind === 'updated' ? change.previous : change.object;
      for (const slot of listSlots(before)) this.#remove(slot, key);
    }
    if (change.kind === 'deleted') return;
    for (const slot of listSlots(change.object)) {
      this.#keys.set(slot, (this.#keys.get(slot) ?? new Set()).add(key));
    }
  }

  #remove(slot: string, key: Key): void {
    const keys = this.#keys.get(slot);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(slot);
  }
}

/** In either spelling. */
export function readConfigMapName(spec: ConfigMonitorSpec | undefined): string | undefined {
  return spec?.configMap ?? spec?.configmap;
}

/** At the start every ConfigMonitor is reconciled anyway. */
function isFromInitialList(change: Change<TrimmedConfigMap | TrimmedPod>): boolean {
  return change.kind === 'added' && change.isInitial;
}

function hasOtherData(change: Change<TrimmedConfigMap>): boolean {
  return change.kind !== 'updated' || change.object.hash !== change.previous.hash;
}

/** A pod that has the first label may have the others too. */
function listSlots({ metadata: { namespace }, spec }: ConfigMonitor): readonly string[] {
  const name = readConfigMapName(spec);
  const [first] = Object.entries(spec?.podSelector ?? {});
  return [
    ...(name === undefined ? [] : [buildConfigMapSlot(`${namespace}/${name}`)]),
    ...(first === undefined ? [] : [buildPodSlot(namespace, ...first)]),
  ];
}

function buildConfigMapSlot(key: Key): string {
  return `ConfigMap ${key}`;
}

function buildPodSlot(namespace: string, key: string, value: string): string {
  return `Pod ${namespace}/${key}=${value}`;
}
