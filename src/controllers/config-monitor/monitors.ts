import type { ConfigMonitor, ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import type { KeySource } from '../../core/key-source.ts';
import { type Key, keyOf } from '../../core/kube-object.ts';
import type { Change, ObjectCache } from '../../core/object-store.ts';
import type { LeanConfigMap } from './lean-config-map.ts';
import type { LeanPod } from './lean-pod.ts';
import { changesRestarts } from './pods.ts';

/** Which ConfigMonitors a ConfigMap or a pod is of interest to, without asking all of them. */
export class Monitors {
  readonly #cache: Pick<ObjectCache<ConfigMonitor>, 'get'>;
  readonly #keys = new Map<string, Set<Key>>();

  /** Follows the cache for as long as the process lives. */
  constructor(cache: Pick<ObjectCache<ConfigMonitor>, 'get' | 'subscribe'>) {
    this.#cache = cache;
    cache.subscribe((change) => this.#onChange(change));
  }

  /** Those that watch this ConfigMap, as the cache shows them. */
  ofConfigMap(key: Key): readonly ConfigMonitor[] {
    return [...(this.#keys.get(configMapSlot(key)) ?? [])].flatMap(
      (monitor) => this.#cache.get(monitor) ?? [],
    );
  }

  /** A ConfigMap that appears, goes or has other data. Its other changes are of no interest. */
  ofConfigMaps(cache: Pick<ObjectCache<LeanConfigMap>, 'subscribe'>): KeySource {
    return (enqueue) =>
      cache.subscribe((change) => {
        if (isOfStart(change) || !hasOtherData(change)) return;
        for (const key of this.#keys.get(configMapSlot(keyOf(change.object))) ?? []) enqueue(key);
      });
  }

  /** A selected pod that appears, goes, or becomes ready or unready. */
  ofPods(cache: Pick<ObjectCache<LeanPod>, 'subscribe'>): KeySource {
    return (enqueue) =>
      cache.subscribe((change) => {
        if (isOfStart(change) || !changesRestarts(change)) return;
        for (const key of this.#selecting(change)) enqueue(key);
      });
  }

  #selecting(change: Change<LeanPod>): ReadonlySet<Key> {
    const states = change.kind === 'updated' ? [change.previous, change.object] : [change.object];
    return new Set(states.flatMap((pod) => this.#selectingOne(pod)));
  }

  #selectingOne({ metadata: { namespace, labels = {} } }: LeanPod): readonly Key[] {
    return Object.entries(labels)
      .flatMap(([key, value]) => [...(this.#keys.get(podSlot(namespace, key, value)) ?? [])])
      .filter((key) => {
        const selector = Object.entries(this.#cache.get(key)?.spec?.podSelector ?? {});
        return selector.every(([name, value]) => labels[name] === value);
      });
  }

  #onChange(change: Change<ConfigMonitor>): void {
    const key = keyOf(change.object);
    if (change.kind !== 'added') {
      const before = change.kind === 'updated' ? change.previous : change.object;
      for (const slot of slotsOf(before)) this.#remove(slot, key);
    }
    if (change.kind === 'deleted') return;
    for (const slot of slotsOf(change.object)) {
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
export function configMapNameOf(spec: ConfigMonitorSpec | undefined): string | undefined {
  return spec?.configMap ?? spec?.configmap;
}

/** At the start every ConfigMonitor is looked at anyway. */
function isOfStart(change: Change<LeanConfigMap | LeanPod>): boolean {
  return change.kind === 'added' && change.isInitial;
}

function hasOtherData(change: Change<LeanConfigMap>): boolean {
  return change.kind !== 'updated' || change.object.hash !== change.previous.hash;
}

/** A pod that has the first label may have the others too. */
function slotsOf({ metadata: { namespace }, spec }: ConfigMonitor): readonly string[] {
  const name = configMapNameOf(spec);
  const [first] = Object.entries(spec?.podSelector ?? {});
  return [
    ...(name === undefined ? [] : [configMapSlot(`${namespace}/${name}`)]),
    ...(first === undefined ? [] : [podSlot(namespace, ...first)]),
  ];
}

function configMapSlot(key: Key): string {
  return `ConfigMap ${key}`;
}

function podSlot(namespace: string, key: string, value: string): string {
  return `Pod ${namespace}/${key}=${value}`;
}
