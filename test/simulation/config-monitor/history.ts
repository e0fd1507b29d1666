import type { ConfigMonitor, ConfigMonitorSpec } from '../../../src/apis/config-monitor.ts';
import { isPaused } from '../../../src/core/objects/annotations.ts';
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  PODS,
  REPLICA_SETS,
  SECRETS,
  STATEFUL_SETS,
} from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import {
  canonical,
  keyOfStored,
  type ServedKind,
  type StoredObject,
} from '../api-model/stored-object.ts';
import { controllerOf } from '../owner-invariants.ts';
import type { PodUse } from '../sources/actions.ts';
import { DataTimeline } from '../sources/data-timeline.ts';
import {
  concerningSources,
  type DataKey,
  isTaken,
  nameData,
  sourcesOf,
  usesOf,
} from '../sources/watched.ts';
import { countNodes, daemonSetOf } from '../world/daemon-set-controller.ts';
import { isActive, isReady } from '../world/pod-facts.ts';
import { isOperator, type Stage } from '../world/stage.ts';
import { setOf } from '../world/stateful-set-controller.ts';

export interface PodLife {
  readonly uid: string;
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly uses: readonly PodUse[];
  /** `namespace/name` of its Deployment, StatefulSet or DaemonSet. */
  readonly deployment: string | undefined;
  readonly bornMs: number;
  /** When its container read its data; undefined while it has not started. */
  startedMs?: number;
  /** Since when it is ready without a restart of its container; undefined while it is not. */
  readyMs?: number | undefined;
  hasRestarted: boolean;
  /** When it stopped being of use, or began to go, by another hand than the operator's. */
  othersMs?: number;
  /** When the operator made it go. */
  operatorMs?: number;
  /** When it began to go, by whatever hand. */
  leftMs?: number;
}

/** A ConfigMonitor as it was for some time. */
export interface MonitorSince {
  readonly uid: string;
  readonly key: string;
  /** All that it watches. */
  readonly config: DataKey;
  readonly spec: ConfigMonitorSpec;
  /** Suspended, or paused. */
  readonly isResting: boolean;
  readonly sinceMs: number;
  untilMs: number;
}

/** What is stored of a monitor's rollout, or was when the monitor was deleted. */
interface RolloutSince {
  readonly startTime: string;
  /** When it was stored first. */
  readonly sinceMs: number;
  readonly hash: string;
  readonly pods: readonly string[];
  readonly progressTime: string;
  /** When that was stored. */
  readonly progressedMs: number;
}

interface Scale {
  readonly atMs: number;
  readonly replicas: number;
}

const SCALED = new Set([DAEMON_SETS, DEPLOYMENTS, STATEFUL_SETS]);

/** What was when: contents, pods, monitors and the scale of Deployments. */
export class History {
  readonly pods = new Map<string, PodLife>();
  /** ConfigMaps of which some monitor had a forged status: it may say of any pod that it is restarted. */
  readonly forged = new Set<string>();
  readonly #stage: Stage;
  readonly #kind: ServedKind;
  readonly #contents = new DataTimeline();
  readonly #monitors = new Map<string, MonitorSince[]>();
  readonly #scales = new Map<string, Scale[]>();
  readonly #begun = new Map<string, { readonly baseline: string; readonly atMs: number }>();
  readonly #rollouts = new Map<string, RolloutSince>();
  /** By monitor: what others have overwritten last, which the operator may be the last to learn. */
  readonly #overwritten = new Map<
    string,
    { readonly pods: readonly string[]; readonly untilMs: number }
  >();

  constructor(stage: Stage, kind: ServedKind) {
    this.#stage = stage;
    this.#kind = kind;
  }

  onCommit(commit: Commit): void {
    if (commit.kind === CONFIG_MAPS || commit.kind === SECRETS) this.#onContent(commit);
    if (commit.kind === PODS) this.#onPod(commit);
    if (commit.kind === this.#kind) this.#onMonitor(commit);
    if (SCALED.has(commit.kind)) this.#onScale(commit);
  }

  contentAt(config: string, atMs: number): string | undefined {
    return this.#contents.of(config).findLast((one) => one.atMs <= atMs)?.content;
  }

  /** When the data last became another, also by an absence in between; 0 if never. */
  changedMs(config: string): number {
    const present = this.#contents.of(config).filter(({ content }) => content !== undefined);
    const newest = present.at(-1);
    const before = present.findLastIndex(({ content }) => content !== newest?.content);
    return present[before + 1]?.atMs ?? 0;
  }

  /** All contents that there were since then, the one of then included. */
  contentsSince(config: string, sinceMs: number): readonly string[] {
    return this.#statesSince(config, sinceMs).flatMap((content) => content ?? []);
  }

  /** Undefined where the data was not there. */
  #statesSince(config: string, sinceMs: number): readonly (string | undefined)[] {
    const all = this.#contents.of(config);
    const first = Math.max(
      0,
      all.findLastIndex(({ atMs }) => atMs <= sinceMs),
    );
    return all.slice(first).map(({ content }) => content);
  }

  /** Every form that monitors of this pod had since then. */
  monitorsOf(life: PodLife, sinceMs: number): readonly MonitorSince[] {
    const [namespace] = life.key.split('/');
    return [...this.#monitors.values()]
      .flat()
      .filter(({ key, untilMs }) => key.startsWith(`${namespace}/`) && untilMs >= sinceMs)
      .filter(({ spec }) => isTaken(spec, life));
  }

  /** Whether each form of a monitor selected pods in the same way, for the same sources. */
  hasOneForm(uid: string): boolean {
    const forms = (this.#monitors.get(uid) ?? []).map(({ spec }) => {
      const { podSelector, matchExpressions } = spec;
      return canonical({ podSelector, matchExpressions, sources: sourcesOf(spec) });
    });
    return new Set(forms).size === 1;
  }

  /** The form of a monitor that was suspended or paused at this time. */
  restAt(uid: string, atMs: number): MonitorSince | undefined {
    return this.#monitors
      .get(uid)
      ?.find((one) => one.isResting && one.sinceMs <= atMs && atMs <= one.untilMs);
  }

  /** The part of a monitor's data of which a change restarts this pod. */
  dataFor({ key, spec }: Pick<MonitorSince, 'key' | 'spec'>, life: PodLife): DataKey {
    const [namespace = ''] = key.split('/');
    return nameData(namespace, concerningSources(spec, life));
  }

  /** Whether the pod was started with the data that there is now. */
  hasReadNewest(monitor: MonitorSince, life: PodLife): boolean {
    const { startedMs = Number.POSITIVE_INFINITY } = life;
    const data = this.dataFor(monitor, life);
    return this.contentAt(data, startedMs) === this.contentAt(data, Number.POSITIVE_INFINITY);
  }

  /** Whether one of the sources for which a monitor restarts the pod had two contents since then, none being one. */
  hasChanged(monitor: MonitorSince, life: PodLife, sinceMs: number): boolean {
    const [namespace = ''] = monitor.key.split('/');
    return concerningSources(monitor.spec, life).some((source) => {
      const contents = this.#statesSince(nameData(namespace, [source]), sinceMs);
      return new Set(contents).size > 1;
    });
  }

  /** When one of its pods last began or went, or its rollout last counted fewer pods as unavailable. */
  lastMovedMs({ metadata: { namespace, uid }, spec }: ConfigMonitor): number {
    const lives = [...this.pods.values()].filter((life) => {
      return life.key.startsWith(`${namespace}/`) && isTaken(spec, life);
    });
    const progressedMs = this.#rollouts.get(uid)?.progressedMs ?? 0;
    return Math.max(progressedMs, ...lives.map(({ bornMs, leftMs = bornMs }) => leftMs));
  }

  /** The time around `atMs` between two times of the newest data, in which there was other data. */
  detourAt(config: string, atMs: number): { fromMs: number; untilMs: number } | undefined {
    const all = this.#contents.of(config).filter(({ content }) => content !== undefined);
    const newest = all.at(-1)?.content;
    const before = all.findLastIndex((one) => one.atMs <= atMs && one.content === newest);
    const after = all.find((one) => one.atMs > atMs && one.content === newest);
    const first = all[before + 1];
    if (before < 0 || first === undefined || after === undefined) return undefined;
    return first.atMs <= atMs ? { fromMs: first.atMs, untilMs: after.atMs } : undefined;
  }

  /** Since when some of the data was missing at this time; the time itself where all of it was there. */
  missingSinceMs(config: string, atMs: number): number {
    const then = this.#contents.of(config).findLast((one) => one.atMs <= atMs);
    return then !== undefined && then.content === undefined ? then.atMs : atMs;
  }

  /**
   * When the data went last before the pod, where the monitor came later than both and has the record of an earlier one:
   * with which data of a ConfigMap that nobody watched the pod began, the operator does not know.
   */
  unwatchedSinceMs({ uid, key }: MonitorSince, config: string, life: PodLife): number {
    const [first] = this.#monitors.get(uid) ?? [];
    const all = [...this.#monitors].flatMap(([other, forms]) => (other === uid ? [] : forms));
    const isSuccessor = all.some((form) => form.key === key);
    if (!isSuccessor || first === undefined || first.sinceMs < life.bornMs) return life.bornMs;
    const gone = this.#contents.of(config).findLast(({ atMs, content }) => {
      return content === undefined && atMs <= life.bornMs;
    });
    return gone?.atMs ?? life.bornMs;
  }

  /** Whether a monitor ever left pods alone that nothing would start again: those may have older data. */
  hasSkipped(uid: string): boolean {
    return (this.#monitors.get(uid) ?? []).some(({ spec }) => spec.unmanagedPods === 'Skip');
  }

  /**
   * When a monitor had first taken note of the data, or had selected the pod for all of it if that was later: older
   * pods are taken to have the data of then. Infinity if never.
   */
  begunMs(uid: string, life: PodLife): number {
    const forms = this.#monitors.get(uid) ?? [];
    const newest = forms.at(-1);
    const before = forms.findLastIndex((form) => {
      const isSame = newest && this.dataFor(form, life) === this.dataFor(newest, life);
      return !isTaken(form.spec, life) || !isSame;
    });
    const selectedMs = before < 0 ? 0 : (forms[before + 1]?.sinceMs ?? Number.POSITIVE_INFINITY);
    return Math.max(selectedMs, this.#begun.get(uid)?.atMs ?? Number.POSITIVE_INFINITY);
  }

  rolloutOf(uid: string): RolloutSince | undefined {
    return this.#rollouts.get(uid);
  }

  /** True where the rollout names the pod, or did so since then until somebody else overwrote it. */
  isOnRecord(uid: string, pod: string, sinceMs: number): boolean {
    const overwritten = this.#overwritten.get(uid);
    const isUnseen = overwritten !== undefined && overwritten.untilMs >= sinceMs;
    const unseen = isUnseen ? overwritten.pods : [];
    return [...(this.rolloutOf(uid)?.pods ?? []), ...unseen].includes(pod);
  }

  /** The most pods that a Deployment was to have since then. */
  mostReplicas(deployment: string, sinceMs: number): number {
    return Math.max(0, ...this.#scalesSince(deployment, sinceMs).map(({ replicas }) => replicas));
  }

  /** How many pods it was told to have more since then. */
  grownBy(deployment: string, sinceMs: number): number {
    const replicas = this.#scalesSince(deployment, sinceMs).map((scale) => scale.replicas);
    return Math.max(0, ...replicas) - Math.min(...replicas, Number.MAX_SAFE_INTEGER);
  }

  #scalesSince(deployment: string, sinceMs: number): readonly Scale[] {
    const all = this.#scales.get(deployment) ?? [];
    return all.slice(
      Math.max(
        0,
        all.findLastIndex(({ atMs }) => atMs <= sinceMs),
      ),
    );
  }

  #onContent({ type, object }: Commit): void {
    this.#contents.note(object, type === 'DELETED', this.#nowMs);
  }

  #onPod(commit: Commit): void {
    const { type, object } = commit;
    const { uid, labels = {} } = object.metadata;
    const known = this.pods.get(uid);
    if (known !== undefined) {
      noteReadiness(known, object, this.#nowMs);
      return noteEnd(known, commit, this.#nowMs);
    }
    if (type === 'DELETED') return;
    const deployment = this.#deploymentOf(object);
    const key = keyOfStored(object);
    const of = { uid, key, labels, deployment, uses: usesOf(object) };
    this.pods.set(uid, { ...of, bornMs: this.#nowMs, hasRestarted: false });
  }

  #deploymentOf(pod: StoredObject): string | undefined {
    const uid = controllerOf(pod, 'ReplicaSet');
    if (uid === undefined) return setOf(pod) ?? daemonSetOf(pod);
    const sets = this.#stage.model.table.list(REPLICA_SETS);
    const name = sets.find(({ metadata }) => metadata.uid === uid)?.metadata.labels?.['deployment'];
    return name === undefined ? undefined : `${pod.metadata.namespace}/${name}`;
  }

  #onMonitor({ by, type, object }: Commit): void {
    const { uid } = object.metadata;
    if (type !== 'DELETED') this.#onStatus(uid, object['status'] ?? {}, isOperator(by));
    const known = this.#monitors.get(uid) ?? [];
    this.#monitors.set(uid, known);
    const now = monitorOf(object, this.#nowMs);
    const last = known.at(-1);
    if (type !== 'DELETED' && last !== undefined && isSame(last, now)) return;
    if (last !== undefined) last.untilMs = Math.min(last.untilMs, this.#nowMs);
    if (type !== 'DELETED') known.push(now);
  }

  #onStatus(uid: string, status: Partial<ConfigMonitor['status']>, isOwn: boolean): void {
    const { rollout } = status;
    const known = this.#rollouts.get(uid);
    if (isOwn) this.#begin(uid, status);
    if (!isOwn && known !== undefined && !isSubset(known.pods, rollout?.pods)) {
      this.#overwritten.set(uid, { pods: known.pods, untilMs: this.#nowMs });
    }
    if (rollout === undefined) return void this.#rollouts.delete(uid);
    const { startTime, hash, pods, progressTime } = rollout;
    const sinceMs = known?.startTime === startTime ? known.sinceMs : this.#nowMs;
    const progressedMs = this.#progressedMs(known, progressTime);
    this.#rollouts.set(uid, { startTime, sinceMs, hash, pods, progressTime, progressedMs });
  }

  #progressedMs(known: RolloutSince | undefined, progressTime: string): number {
    return known?.progressTime === progressTime ? known.progressedMs : this.#nowMs;
  }

  /** Other sources, and another key to hash Secrets with, are a new beginning. */
  #begin(uid: string, { configHash, sources, hashKey }: Partial<ConfigMonitor['status']>): void {
    if (configHash === undefined) return;
    const watched = sources?.map(({ kind, name, keys }) => ({ kind, name, keys }));
    const baseline = canonical({ watched, hashKey });
    if (this.#begun.get(uid)?.baseline === baseline) return;
    this.#begun.set(uid, { baseline, atMs: this.#nowMs });
  }

  #onScale({ kind, object, type }: Commit): void {
    const key = keyOfStored(object);
    const nodes = kind === DAEMON_SETS ? countNodes(object) : 1;
    const { replicas = nodes } = (object['spec'] ?? {}) as { readonly replicas?: number };
    const known = this.#scales.get(key) ?? [];
    this.#scales.set(key, known);
    known.push({ atMs: this.#nowMs, replicas: type === 'DELETED' ? 0 : replicas });
  }

  get #nowMs(): number {
    return this.#stage.clock.monotonicMs();
  }
}

function isSubset(some: readonly string[], all: readonly string[] = []): boolean {
  return some.every((one) => all.includes(one));
}

function noteReadiness(known: PodLife, pod: StoredObject, nowMs: number): void {
  const { containerStatuses = [] } = (pod['status'] ?? {}) as {
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
  if (containerStatuses.length > 0) known.startedMs ??= nowMs;
  known.hasRestarted = containerStatuses.some(({ restartCount }) => restartCount > 0);
  known.readyMs = isReady(pod) ? (known.readyMs ?? nowMs) : undefined;
}

/** How the pod came to serve no more, and by whose hand. */
function noteEnd(known: PodLife, commit: Commit, nowMs: number): void {
  const isLeft = leaves(commit);
  if (isLeft) known.leftMs ??= nowMs;
  if (isLeft && isOperator(commit.by)) known.operatorMs ??= nowMs;
  else if ((isLeft || getsUnready(commit)) && known.operatorMs === undefined) {
    known.othersMs ??= nowMs;
  }
}

function leaves({ type, object, before }: Commit): boolean {
  const wasActive = before !== undefined && isActive(before);
  return wasActive && (type === 'DELETED' || !isActive(object));
}

function getsUnready({ object, before }: Commit): boolean {
  return before !== undefined && isReady(before) && !isReady(object);
}

function monitorOf(object: StoredObject, sinceMs: number): MonitorSince {
  const { uid, namespace } = object.metadata;
  const spec = object['spec'] as ConfigMonitorSpec;
  return {
    uid,
    spec,
    key: keyOfStored(object),
    config: nameData(namespace ?? '', sourcesOf(spec)),
    isResting: spec.suspend || isPaused(object),
    sinceMs,
    untilMs: Number.POSITIVE_INFINITY,
  };
}

function isSame(a: MonitorSince, b: MonitorSince): boolean {
  return a.isResting === b.isResting && canonical(a.spec) === canonical(b.spec);
}
