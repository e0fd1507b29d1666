import type { ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import { addTo, removeFrom } from '../../core/objects/collections.ts';
import type { Key, KubeObject } from '../../core/objects/kube-object.ts';
import {
  formatSelector,
  type LabelSelector,
  matchesLabels,
} from '../../core/objects/label-selector.ts';
import type { Change, ObjectCache } from '../../core/ports/cache.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { usesSource } from './sources/pod-uses.ts';
import { listSources, nameSource, type WatchedSource } from './sources/watched-source.ts';
import { getController, nameOwner, type TrimmedPod } from './transforms.ts';

/** Which pods of its namespace an object restarts. */
export type Selection =
  | { readonly kind: 'labels'; readonly selector: LabelSelector }
  /** Those that use one of the sources. */
  | { readonly kind: 'users'; readonly sources: readonly WatchedSource[] };

/** How pods count while a request to remove them is in flight. */
export type Undecided = 'gone' | 'kept';

/**
 * The pods that run, by their labels, sources, owners and UIDs. One that albridge has just sent away counts as
 * gone at once, whatever the cache still shows: all that is decided about its owner depends on it.
 * Until the API server has agreed it is undecided, and stays in the record of each rollout that restarts it.
 */
export class PodIndex {
  readonly #byUid = new Map<string, TrimmedPod>();
  readonly #byLabel = new Map<string, Set<TrimmedPod>>();
  readonly #bySource = new Map<string, Set<TrimmedPod>>();
  readonly #byNamespace = new Map<string, Set<TrimmedPod>>();
  readonly #byOwner = new Map<string, Set<TrimmedPod>>();
  readonly #sentAway = new Set<string>();
  readonly #undecided = new Set<string>();
  /** Monotonic. By this clock alone: those of the nodes may be wrong. */
  readonly #readySinceMs = new Map<string, number>();
  readonly #clock: Clock;

  /** Follows the cache for as long as the process lives. */
  constructor(cache: Pick<ObjectCache<TrimmedPod>, 'subscribe'>, clock: Clock) {
    this.#clock = clock;
    cache.subscribe((change) => this.#onChange(change));
  }

  /** Those that are selected and could be restarted, in the order of their names. */
  selectedBy(namespace: string, selection: Selection): readonly TrimmedPod[] {
    return [...this.#findCandidates(namespace, selection)]
      .filter((pod) => selects(selection, pod))
      .filter((pod) => this.#isThere(pod, 'kept') && canBeRestarted(pod))
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  #findCandidates(namespace: string, selection: Selection): ReadonlySet<TrimmedPod> {
    if (selection.kind === 'users') {
      const slots = selection.sources.map((source) => buildSlot(namespace, nameSource(source)));
      return joinSets(slots.map((slot) => this.#bySource.get(slot)));
    }
    const { matchLabels, matchExpressions } = selection.selector;
    const find = (key: string, value: string): Pods =>
      this.#byLabel.get(buildLabelSlot(namespace, key, value));
    const sets = [
      ...Object.entries(matchLabels).map(([key, value]) => find(key, value)),
      ...matchExpressions
        .filter(({ operator }) => operator === 'In')
        .map(({ key, values = [] }) => joinSets(values.map((value) => find(key, value)))),
    ].toSorted((a, b) => (a?.size ?? 0) - (b?.size ?? 0));
    const found = sets.length > 0 ? sets[0] : this.#byNamespace.get(namespace);
    return found ?? new Set();
  }

  /** All pods that the owner has, whatever their labels. */
  listByOwner(
    namespace: string,
    ownerName: string,
    undecided: Undecided = 'gone',
  ): readonly TrimmedPod[] {
    const pods = this.#byOwner.get(buildSlot(namespace, ownerName)) ?? [];
    return [...pods].filter((pod) => this.#isThere(pod, undecided));
  }

  /** Undefined for one that is deleted, or being deleted. */
  getByUid(uid: string, undecided: Undecided = 'gone'): TrimmedPod | undefined {
    const pod = this.#byUid.get(uid);
    return pod !== undefined && this.#isThere(pod, undecided) ? pod : undefined;
  }

  /** For how long the cache has shown it ready without a restart of a container, in ms. */
  readyForMs({ metadata }: TrimmedPod): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs - (this.#readySinceMs.get(metadata.uid) ?? nowMs);
  }

  /** Whether the cache shows it, in whatever state. */
  isCached(uid: string): boolean {
    return this.#byUid.has(uid);
  }

  /** Whether a request to remove it is in flight. */
  isUndecided(uid: string): boolean {
    return this.#undecided.has(uid);
  }

  /** From here on it counts as gone. */
  markEvicted(pod: TrimmedPod): void {
    this.#sentAway.add(pod.metadata.uid);
    this.#undecided.add(pod.metadata.uid);
  }

  /** The API server has agreed. */
  confirm(pod: TrimmedPod): void {
    this.#undecided.delete(pod.metadata.uid);
  }

  /** It was not sent away after all. */
  keep(pod: TrimmedPod): void {
    this.#sentAway.delete(pod.metadata.uid);
    this.#undecided.delete(pod.metadata.uid);
  }

  #isThere(pod: TrimmedPod, undecided: Undecided): boolean {
    const { uid } = pod.metadata;
    const isKept = undecided === 'kept' && this.isUndecided(uid);
    return isAlive(pod) && (isKept || !this.#sentAway.has(uid));
  }

  #onChange(change: Change<TrimmedPod>): void {
    this.#noteReadiness(change);
    if (change.kind === 'updated') this.#remove(change.previous);
    if (change.kind !== 'deleted') return this.#add(change.object);
    const held = this.#byUid.get(change.object.metadata.uid);
    if (held !== undefined) this.#remove(held);
    this.keep(change.object);
  }

  #noteReadiness(change: Change<TrimmedPod>): void {
    const { kind, object } = change;
    const before = kind === 'updated' ? change.previous : object;
    const isReady = kind !== 'deleted' && object.state === 'ready';
    if (isReady && kind === 'updated' && isReadyStill(object, change.previous)) return;
    this.#readySinceMs.delete(before.metadata.uid);
    if (isReady) this.#readySinceMs.set(object.metadata.uid, this.#clock.monotonicMs());
  }

  #add(pod: TrimmedPod): void {
    this.#byUid.set(pod.metadata.uid, pod);
    for (const [map, slot] of this.#listSlots(pod)) addTo(map, slot, pod);
  }

  #remove(pod: TrimmedPod): void {
    this.#byUid.delete(pod.metadata.uid);
    for (const [map, slot] of this.#listSlots(pod)) removeFrom(map, slot, pod);
  }

  #listSlots(pod: TrimmedPod): readonly (readonly [Map<string, Set<TrimmedPod>>, string])[] {
    const { namespace, labels = {} } = pod.metadata;
    const { uses } = pod;
    const ownerName = nameOwner(pod);
    const slots = [
      [this.#byNamespace, namespace] as const,
      ...Object.entries(labels).map(
        ([key, value]) => [this.#byLabel, buildLabelSlot(namespace, key, value)] as const,
      ),
      ...[...(uses?.keys() ?? [])].map(
        (source) => [this.#bySource, buildSlot(namespace, source)] as const,
      ),
    ];
    if (ownerName === undefined) return slots;
    return [...slots, [this.#byOwner, buildSlot(namespace, ownerName)]];
  }
}

type Pods = ReadonlySet<TrimmedPod> | undefined;

function joinSets(sets: readonly Pods[]): ReadonlySet<TrimmedPod> {
  const [first = new Set<TrimmedPod>(), ...others] = sets;
  return others.length === 0
    ? first
    : new Set([...first, ...others.flatMap((set) => [...(set ?? [])])]);
}

/** For the pods of a key, as they were and as they are. */
export function affectsRestarts(change: Change<TrimmedPod>): boolean {
  if (change.kind !== 'updated') return true;
  const { object, previous } = change;
  return (
    object.state !== previous.state ||
    object.restarts !== previous.restarts ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    getController(object)?.uid !== getController(previous)?.uid ||
    JSON.stringify(object.metadata.labels) !== JSON.stringify(previous.metadata.labels)
  );
}

function isReadyStill({ metadata, restarts }: TrimmedPod, previous: TrimmedPod): boolean {
  const isSame = metadata.uid === previous.metadata.uid;
  return isSame && previous.state === 'ready' && previous.restarts === restarts;
}

/**
 * A Job counts a pod that is deleted as failed, and starts its work again; a static pod is its node's,
 * what can be deleted is only its image in the API
 * (https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/).
 */
export function canBeRestarted(pod: TrimmedPod): boolean {
  const controller = getController(pod);
  const isOfJob = controller?.kind === 'Job' && controller.apiVersion.startsWith('batch/');
  return !isOfJob && controller?.kind !== 'Node';
}

function isAlive({ metadata, state }: TrimmedPod): boolean {
  return metadata.deletionTimestamp === undefined && state !== 'ended';
}

function buildLabelSlot(namespace: string, key: string, value: string): string {
  return `${namespace}/${key}=${value}`;
}

/** Of an owner or a source. */
function buildSlot(namespace: string, name: string): Key {
  return `${namespace}/${name}`;
}

/** undefined for an empty podSelector, which never means every pod, and where nothing is watched. */
export function readSelection(spec: ConfigMonitorSpec | undefined): Selection | undefined {
  const sources = listSources(spec);
  if (sources.length === 0) return undefined;
  const { podSelector: matchLabels, matchExpressions = [] } = spec ?? {};
  if (matchLabels === undefined && matchExpressions.length === 0) return { kind: 'users', sources };
  if (matchLabels !== undefined && Object.keys(matchLabels).length === 0) return undefined;
  return { kind: 'labels', selector: { matchLabels: matchLabels ?? {}, matchExpressions } };
}

/** The one test for all: the index, other objects, and the list past the caches. */
export function selects(
  selection: Selection,
  { metadata: { labels = {} }, uses }: Pick<KubeObject, 'metadata'> & Pick<TrimmedPod, 'uses'>,
): boolean {
  if (selection.kind === 'labels') return matchesLabels(selection.selector, labels);
  return selection.sources.some((source) => usesSource(uses, source));
}

/** Whether a change of these sources concerns the pod: pods that labels select are restarted for any. */
export function concerns(
  selection: Selection,
  { uses }: Pick<TrimmedPod, 'uses'>,
  changed: ReadonlySet<string>,
): boolean {
  if (selection.kind === 'labels') return changed.size > 0;
  return selection.sources.some(
    (source) => changed.has(nameSource(source)) && usesSource(uses, source),
  );
}

/** `app=frontend,tier=web`, the same for the same selection. */
export function formatSelection(selection: Selection): string {
  if (selection.kind === 'labels') return formatSelector(selection.selector);
  return 'pods that use a source';
}
