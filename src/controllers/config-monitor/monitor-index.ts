import type { ConfigMonitor } from '../../apis/config-monitor.ts';
import { addTo, removeFrom } from '../../core/objects/collections.ts';
import { getKey, type Key } from '../../core/objects/kube-object.ts';
import type { Change, ObjectCache } from '../../core/ports/cache.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { KeySource } from '../../core/queue/key-queue.ts';
import { affectsRestarts, type PodIndex, readSelection, selects } from './pod-index.ts';
import { Predecessors } from './predecessors.ts';
import {
  listSources,
  nameSource,
  type TrimmedSource,
  type WatchedSource,
} from './sources/watched-source.ts';
import type { TrimmedPod } from './transforms.ts';

/** Finds the ConfigMonitors of a source or a pod without scanning all of them. */
export class MonitorIndex {
  readonly #cache: Pick<ObjectCache<ConfigMonitor>, 'get'>;
  readonly #pods: Pick<PodIndex, 'selectedBy'>;
  readonly #keys = new Map<string, Set<Key>>();
  readonly #withSecrets = new Set<Key>();
  readonly predecessors: Predecessors;

  /** Follows the cache for as long as the process lives. */
  constructor(
    cache: Pick<ObjectCache<ConfigMonitor>, 'get' | 'subscribe'>,
    pods: Pick<PodIndex, 'selectedBy'>,
    clock: Clock,
  ) {
    this.#cache = cache;
    this.#pods = pods;
    this.predecessors = new Predecessors(clock);
    cache.subscribe((change) => this.#onChange(change));
  }

  /** Those that watch this source, as the cache shows them. */
  listBySource(
    namespace: string,
    source: Pick<WatchedSource, 'kind' | 'name'>,
  ): readonly ConfigMonitor[] {
    return [...(this.#keys.get(buildSourceSlot(namespace, nameSource(source))) ?? [])].flatMap(
      (monitor) => this.#cache.get(monitor) ?? [],
    );
  }

  /** Those that watch a Secret. */
  listWithSecrets(): readonly Key[] {
    return [...this.#withSecrets];
  }

  /** Enqueues for a source that is created, deleted or has other data; ignores its other changes. */
  ofSources(cache: Pick<ObjectCache<TrimmedSource>, 'subscribe'>): KeySource {
    return (enqueue) =>
      cache.subscribe((change) => {
        if (isFromInitialList(change) || !hasOtherData(change)) return;
        const { kind, metadata } = change.object;
        const slot = buildSourceSlot(metadata.namespace ?? '', `${kind}/${metadata.name}`);
        for (const key of this.#keys.get(slot) ?? []) enqueue(key);
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

  #selectingOne(pod: TrimmedPod): readonly Key[] {
    const keys = listSlotsOfPod(pod).flatMap((slot) => [...(this.#keys.get(slot) ?? [])]);
    return [...new Set(keys)].filter((key) => {
      const selection = readSelection(this.#cache.get(key)?.spec);
      return selection !== undefined && selects(selection, pod);
    });
  }

  #onChange(change: Change<ConfigMonitor>): void {
    const key = getKey(change.object);
    if (change.kind !== 'added') {
      const before = change.kind === 'updated' ? change.previous : change.object;
      for (const slot of listSlots(before)) removeFrom(this.#keys, slot, key);
    }
    this.#withSecrets.delete(key);
    if (change.kind === 'deleted') return this.#keep(change.object);
    const sources = listSources(change.object.spec);
    if (sources.some(({ kind }) => kind === 'Secret')) this.#withSecrets.add(key);
    for (const slot of listSlots(change.object)) addTo(this.#keys, slot, key);
  }

  #keep(object: ConfigMonitor): void {
    const { metadata, spec } = object;
    const selection = readSelection(spec);
    const selected = selection && this.#pods.selectedBy(metadata.namespace, selection);
    this.predecessors.keep(object, selected ?? []);
  }
}

/** At the start every ConfigMonitor is reconciled anyway. */
function isFromInitialList(change: Change<TrimmedSource | TrimmedPod>): boolean {
  return change.kind === 'added' && change.isInitial;
}

function hasOtherData(change: Change<TrimmedSource>): boolean {
  return change.kind !== 'updated' || change.object.hash !== change.previous.hash;
}

function listSlots({ metadata: { namespace }, spec }: ConfigMonitor): readonly string[] {
  const sources = listSources(spec).map(nameSource);
  return [
    ...sources.map((source) => buildSourceSlot(namespace, source)),
    ...listPodSlots(namespace, spec),
  ];
}

/** A pod that has the first label may have the others too. Without one each pod of the namespace may be meant. */
function listPodSlots(namespace: string, spec: ConfigMonitor['spec']): readonly string[] {
  const selection = readSelection(spec);
  if (selection === undefined) return [];
  if (selection.kind === 'users') {
    return selection.sources.map((source) => buildUseSlot(namespace, nameSource(source)));
  }
  const { matchLabels, matchExpressions } = selection.selector;
  const [label] = Object.entries(matchLabels);
  if (label !== undefined) return [buildLabelSlot(namespace, ...label)];
  const among = matchExpressions.find(({ operator }) => operator === 'In');
  if (among === undefined) return [buildNamespaceSlot(namespace)];
  return (among.values ?? []).map((value) => buildLabelSlot(namespace, among.key, value));
}

function listSlotsOfPod({ metadata, uses }: TrimmedPod): readonly string[] {
  const { namespace, labels = {} } = metadata;
  return [
    buildNamespaceSlot(namespace),
    ...Object.entries(labels).map(([key, value]) => buildLabelSlot(namespace, key, value)),
    ...[...(uses?.keys() ?? [])].map((source) => buildUseSlot(namespace, source)),
  ];
}

function buildSourceSlot(namespace: string, source: string): string {
  return `Source ${namespace}/${source}`;
}

function buildUseSlot(namespace: string, source: string): string {
  return `Use ${namespace}/${source}`;
}

function buildLabelSlot(namespace: string, key: string, value: string): string {
  return `Label ${namespace}/${key}=${value}`;
}

function buildNamespaceSlot(namespace: string): string {
  return `Namespace ${namespace}`;
}
