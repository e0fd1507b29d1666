import type {
  ConfigMonitor,
  ConfigMonitorSpec,
  ConfigMonitorStatus,
} from '../../apis/config-monitor.ts';
import type { Key } from '../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../core/ports/cache.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import type { Pass } from '../../core/reconcile/reconciler.ts';
import type { LivePods, PodEvictor } from '../../pods/pod-ports.ts';
import type { Workloads } from '../../pods/workloads.ts';
import type { Changes, Progress, Refusals } from './memory.ts';
import type { MonitorIndex } from './monitor-index.ts';
import type { PodIndex, Selection } from './pod-index.ts';
import type { Counts, SourceMetrics } from './reports/source-metrics.ts';
import {
  nameSource,
  type ObservedData,
  type TrimmedSource,
  type WatchedSource,
} from './sources/watched-source.ts';
import type { TrimmedPod } from './transforms.ts';

/** ConfigMaps, or Secrets. */
export interface SourceReader extends Pick<ObjectCache<TrimmedSource>, 'get'> {
  /** Past every cache; undefined where there is none of this name. Throws OperatorError. */
  findNewest(key: Key, signal: AbortSignal): Promise<TrimmedSource | undefined>;
}

/** The Secrets that are watched, if they are. */
export interface SecretReader extends SourceReader {
  /** Why none can be read now; undefined when they can. */
  findFault(): SecretFault | undefined;
  /** The first eight hexadecimal digits of a digest of the key that they are hashed with. */
  readonly keyId: string;
}

export type SecretFault =
  /** The component is not installed. */
  | { readonly kind: 'off' }
  /** One sentence without a full stop: the watch is not complete yet, or is refused. */
  | { readonly kind: 'unread'; readonly why: string };

export interface ConfigMonitorContext {
  readonly configMaps: SourceReader;
  readonly secrets: SecretReader;
  readonly pods: PodIndex;
  readonly livePods: LivePods;
  readonly monitors: Pick<MonitorIndex, 'listBySource' | 'predecessors'>;
  readonly evictor: PodEvictor;
  readonly workloads: Workloads;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Name of the pod that this process runs in, if it runs in one: it is restarted last. */
  readonly ownPod: string;
}

/** Everything that one pass works with. */
export interface Scope extends ConfigMonitorContext {
  readonly object: ConfigMonitor;
  readonly spec: ConfigMonitorSpec;
  readonly pass: Pass<ConfigMonitor>;
  readonly changes: Changes;
  readonly progress: Progress;
  readonly refusals: Refusals;
  readonly sourceMetrics: SourceMetrics;
  /** The sources, in a fixed order. */
  readonly watched: readonly WatchedSource[];
  /** The same in a sentence, such as `ConfigMap settings`. */
  readonly sourceText: string;
  readonly selection: Selection;
  /** The pods that are selected and would be restarted, in the order of their names. */
  readonly selected: readonly TrimmedPod[];
  readonly selectedUids: ReadonlySet<string>;
  /** UIDs of the pods that would be selected, had they not lost their controller: nobody would start them again. */
  readonly orphans: ReadonlySet<string>;
  /** UIDs of pods with older data that were not selected when they were noted, by this pass too. */
  readonly deselected: Set<string>;
  /** UIDs of the pods that were still to be restarted when an edit ended a rollout in this pass. */
  readonly endedPods?: ReadonlySet<string>;
  /** UIDs of those that alone may have older data in this pass; undefined: all that are selected. */
  readonly affected?: ReadonlySet<string>;
  /** An edit of the selector begins a restart in this pass: the data has not changed. */
  readonly isReselected?: boolean;
}

export type Report = { readonly [Field in keyof ConfigMonitorStatus]?: unknown };

/**
 * Also 0 is written: a column of `kubectl get` would be blank without. `progress` is of the pods that there are
 * now: one that this pass has sent away has no data at all.
 */
export function reportPods(pending: readonly string[], scope: Scope): void {
  const { pass, pods, selected, sourceMetrics, watched } = scope;
  const there = selected.filter(({ metadata }) => pods.getByUid(metadata.uid, 'kept'));
  const [matchedPods, pendingPods] = [there.length, pending.length];
  const progress = `${Math.max(0, matchedPods - pendingPods)}/${matchedPods}`;
  pass.report({ matchedPods, pendingPods, progress } satisfies Report);
  sourceMetrics.track(pass.key, watched.map(nameSource), pendingPods);
}

/** In the metrics of each source that has changed. */
export function count(counts: Counts, { pass, sourceMetrics }: Scope): void {
  sourceMetrics.count(pass.key, counts);
}

/** The pods have this data. */
export function reportData({ hash, sources }: ObservedData): Report {
  return { configHash: hash, shortHash: shortenHash(hash), sources };
}

export function shortenHash(hash: string): string {
  return hash.slice(0, 8);
}

/**
 * RFC 3339 to the millisecond, for times that are compared with when a workload was restarted: two
 * changes of one second are two.
 */
export function formatMillis(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Call right before a pod or a workload is restarted: the object may be suspended, edited or deleted by now. */
export function throwIfOutdated({ pass }: Scope): void {
  pass.signal.throwIfAborted();
  pass.throwIfGone();
  pass.throwIfEdited();
}
