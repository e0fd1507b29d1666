import type { ConfigMonitor, ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import type { Clock } from '../../core/clock.ts';
import type { LivePods } from '../../core/live-pods.ts';
import type { ObjectCache } from '../../core/object-store.ts';
import type { PodEvictor } from '../../core/pod-evictor.ts';
import type { Pass } from '../../core/reconciler.ts';
import type { Workloads } from '../../core/workloads.ts';
import type { Changes } from './changes.ts';
import type { LeanConfigMap } from './lean-config-map.ts';
import type { LeanPod } from './lean-pod.ts';
import type { Monitors } from './monitors.ts';
import type { Pods } from './pods.ts';
import type { Progress } from './progress.ts';

export interface ConfigMonitorContext {
  readonly configMaps: Pick<ObjectCache<LeanConfigMap>, 'get'>;
  readonly pods: Pods;
  readonly livePods: LivePods;
  readonly monitors: Pick<Monitors, 'ofConfigMap'>;
  readonly evictor: PodEvictor;
  readonly workloads: Workloads;
  readonly clock: Clock;
  /** Name of the pod that this process runs in, if it runs in one: it is restarted last. */
  readonly ownPod: string;
}

/** Everything that one pass works with. */
export interface Scope extends ConfigMonitorContext {
  readonly object: ConfigMonitor;
  readonly spec: ConfigMonitorSpec;
  readonly pass: Pass;
  readonly changes: Changes;
  readonly progress: Progress;
  readonly configMapName: string;
  /** The pods that are selected and would be restarted, in the order of their names. */
  readonly selected: readonly LeanPod[];
  readonly selectedUids: ReadonlySet<string>;
}
