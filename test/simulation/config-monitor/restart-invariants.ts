import { isDeepStrictEqual } from 'node:util';
import type { ConfigMonitorSpec, ConfigMonitorStatus } from '../../../src/apis/config-monitor.ts';
import { RESTARTED_AT } from '../../../src/core/objects/annotations.ts';
import { CONFIG_MAPS, DAEMON_SETS, DEPLOYMENTS, PODS, STATEFUL_SETS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from '../api-model/stored-object.ts';
import { conditionsOf, controllerOf, judgeOwner } from '../owner-invariants.ts';
import { DEFINED_KINDS } from '../served-definition.ts';
import type { DataHashes } from '../sources/data-hashes.ts';
import { type DataKey, nameData, parseData, selectsUsers, sourcesOf } from '../sources/watched.ts';
import { isActive, isGated, isReady } from '../world/pod-facts.ts';
import { hasPods, TEMPLATE_HASH } from '../world/replica-set-controller.ts';
import { hashTemplate, REVISION, type Template } from '../world/set-revisions.ts';
import { findUnseenMs, isOperator, type Stage, UNSEEN_MS } from '../world/stage.ts';
import { ordinalOf, setOf } from '../world/stateful-set-controller.ts';
import type { History, MonitorSince, PodLife } from './history.ts';

/** So long the operator may act on what it saw, where nothing keeps it from learning of changes. */
const INFORMED_MS = 5000;
/** From the end of one process to the first look of the next. */
const TAKEOVER_MS = 30_000;
/** The default of spec.minReadySeconds. */
const MIN_READY_MS = 10_000;
/** From a change to the watch event, where watches lag and are opened anew. */
const UNNOTICED_MS = 5_000;
/** After that the kubelet forgets that a container has restarted. */
const SOUND_AFTER_MS = 600_000;
/** Of a change that another one is about to restart a workload for: longer it does not wait for one to note it. */
const NOTING_MS = 2_000;
/** https://pkg.go.dev/k8s.io/api/policy/v1#pkg-constants */
const EVICTED = 'DisruptionTarget';

interface RestartInvariantParts {
  readonly history: History;
  readonly hashes: DataHashes;
  readonly kind: ServedKind;
}

interface Observed extends StoredObject {
  readonly spec: { readonly template: Template };
  readonly status?: { readonly observedGeneration?: number };
}

interface Rolled {
  readonly contents: readonly string[];
  /** Of the workload. */
  readonly key: string;
}

/** A time during which status said that a person has to act. */
interface Stall {
  readonly sinceMs: number;
  /** Infinite while it lasts. */
  readonly untilMs: number;
}

/** What must hold whenever the operator makes a pod go, or writes around it; see docs/reliability.md. */
export class RestartInvariants {
  readonly #stage: Stage;
  readonly #history: History;
  readonly #hashes: DataHashes;
  readonly #kind: ServedKind;
  /** When the first pod went for the content of a ConfigMap that is there since then. */
  readonly #begun = new Map<string, number>();
  /** When a workload was restarted for this content. */
  readonly #rolled = new Map<string, number>();
  /** By uid of a monitor: when it was Stalled last. */
  readonly #stalls = new Map<string, Stall>();
  /** UIDs of monitors with a rollout that others have written, of which a part may stay when the operator ends it. */
  readonly #forged = new Set<string>();
  /** By uid of a monitor: when it noted the last change. */
  readonly #notedMs = new Map<string, number>();

  constructor(stage: Stage, { history, hashes, kind }: RestartInvariantParts) {
    this.#stage = stage;
    this.#hashes = hashes;
    this.#history = history;
    this.#kind = kind;
  }

  onCommit(commit: Commit): void {
    const { by, kind, object, before } = commit;
    if (!isOperator(by)) return this.#noteForged(commit);
    if (kind === CONFIG_MAPS) this.#report('foreign-untouched', `ConfigMap ${keyOfStored(object)}`);
    if (kind === this.#kind) {
      this.#judgeMonitor(commit);
      this.#judgeReady(commit);
      this.#noteStatus(commit);
    }
    if (isWorkload(commit)) this.#judgeRollout(commit);
    if (kind === PODS && !isJudgedElsewhere(before ?? object)) this.#judgePod(commit);
  }

  /** One that the operator made for a ConfigMap is its own, with all that is in it. */
  #judgeMonitor({ type, object, before }: Commit): void {
    const isGenerated = controllerOf(before ?? object, 'ConfigMap') !== undefined;
    if (
      isGenerated &&
      (type !== 'MODIFIED' || !isDeepStrictEqual(object['spec'], before?.['spec']))
    )
      return;
    judgeOwner(object, before, this.#stage.report);
    if (type === 'DELETED') this.#report('foreign-untouched', `deletes ${keyOfStored(object)}`);
  }

  #noteForged({ object, before }: Commit): void {
    const isForged = !isDeepStrictEqual(rolloutOf(object), rolloutOf(before));
    if (isForged) this.#forged.add(object.metadata.uid);
  }

  #judgeReady({ object }: Commit): void {
    const { uid } = object.metadata;
    if (rolloutOf(object) === undefined) this.#forged.delete(uid);
    else if (isReady(object) && !this.#forged.has(uid)) {
      this.#report('not-ready-while-restarting', `${keyOfStored(object)} has a rollout`);
    }
  }

  #judgePod({ object, before }: Commit): void {
    const what = `Pod ${keyOfStored(object)}`;
    // The eviction API tells of itself on the pod before it deletes it.
    if (before !== undefined && isEvicted(object) && !isEvicted(before)) return;
    const life = this.#history.pods.get(object.metadata.uid);
    const isGone =
      before !== undefined &&
      object.metadata.deletionTimestamp === before.metadata.deletionTimestamp;
    if (before === undefined || life === undefined) {
      return this.#report('foreign-child-untouched', `${what} was made`);
    }
    if (isGone && !this.#isRemoved(object)) {
      return this.#report('foreign-child-untouched', `${what} was changed`);
    }
    const monitors = this.#history.monitorsOf(life, this.#sinceMs);
    if (monitors.length === 0)
      return this.#report('foreign-child-untouched', `${what} is not selected`);
    this.#judgeCause(life, monitors, what);
    this.#judgeDisruption(object, before, { life, monitors });
  }

  #judgeCause(life: PodLife, monitors: readonly MonitorSince[], what: string): void {
    if (monitors.some((monitor) => this.#isConcerned(monitor, life))) return;
    this.#report('restarts-users', `${what} goes, and nothing has changed that it uses`);
  }

  /**
   * Whether data has changed for which the monitor restarts the pod, since before the operator may have learned of
   * the pod. Of pods that an edit selects in the middle of a change nobody knows what they were started with, and an
   * edit of the sources in the middle of a restart begins it again for all. New data while a change still waits counts
   * as one change with it, for all pods that there are; so does what changes while another source is missing, or while
   * the monitor rests (docs/configmonitor.md).
   */
  #isConcerned(monitor: MonitorSince, life: PodLife): boolean {
    const { uid, config, spec } = monitor;
    if (this.#history.forged.has(config) || !this.#history.hasOneForm(uid)) return true;
    const waitsMs = 1000 * (spec.minIntervalSeconds + spec.debounceSeconds);
    const missingMs = Math.min(
      this.#history.missingSinceMs(config, life.bornMs),
      this.#history.unwatchedSinceMs(monitor, config, life),
    );
    const hasNewer = this.#history.changedMs(config) > life.bornMs;
    const rest = hasNewer ? this.#history.restAt(uid, life.bornMs) : undefined;
    const unseenMs = this.#findUnseenMs(uid);
    const sinceMs = Math.min(missingMs - waitsMs, (rest?.sinceMs ?? missingMs) - unseenMs);
    return this.#history.hasChanged(monitor, life, sinceMs);
  }

  #judgeDisruption(
    object: StoredObject,
    before: StoredObject,
    { life, monitors }: { readonly life: PodLife; readonly monitors: readonly MonitorSince[] },
  ): void {
    const what = `Pod ${keyOfStored(object)}`;
    if (monitors.every(({ isResting }) => isResting)) {
      this.#report('rests', `${what} goes, and every monitor of it rests`);
    }
    if (!isEvicted(object) && monitors.every(({ spec }) => spec.strategy !== 'Delete')) {
      this.#report('evicts', `${what} was deleted, not evicted`);
    }
    const wasOver = !isActive(before) && (life.othersMs ?? 0) < this.#sinceMs;
    if (controllerOf(before, 'Job') !== undefined || wasOver) {
      this.#report('spares-pods', `${what} is of a Job, over or going`);
    }
    const onRecord = monitors.filter(({ uid }) => this.#hasOnRecord(uid, life));
    if (onRecord.length === 0) this.#report('restart-on-record', `${what} is in no stored rollout`);
    this.#judgeOnce(life, onRecord);
    if (isReady(before)) this.#judgeLoss(before, life, { monitors, onRecord });
  }

  /** Monitors of other sources do not share the limit. */
  #judgeLoss(
    before: StoredObject,
    life: PodLife,
    { monitors, onRecord }: Readonly<Record<'monitors' | 'onRecord', readonly MonitorSince[]>>,
  ): void {
    if (onRecord.length > 0) this.#judgeBatch(life, onRecord);
    if (setOf(before) !== undefined) this.#judgeOrder(life, monitors);
  }

  /** Pods of one StatefulSet with older data go from the highest ordinal down; who has read what came back stays. */
  #judgeOrder(life: PodLife, monitors: readonly MonitorSince[]): void {
    const changes = this.#listChanges(monitors, life);
    // Its pods are older again, and the operator may not know yet.
    if (changes.some((changedMs) => changedMs + UNNOTICED_MS >= this.#nowMs)) return;
    const isSettled = ({ readyMs = Infinity }: PodLife): boolean => readyMs < this.#sinceMs;
    const hasNewest = (one: PodLife): boolean =>
      monitors.some((monitor) => this.#history.hasReadNewest(monitor, one));
    const higher = [...this.#history.pods.values()].filter((one) => {
      const isOlder = changes.every((changedMs) => one.bornMs < changedMs);
      const isNext = one.deployment === life.deployment && ordinalOf(one.key) > ordinalOf(life.key);
      return isNext && isOlder && this.#isThere(one) && isSettled(one) && !hasNewest(one);
    });
    if (higher.length === 0) return;
    this.#report('stateful-order', `Pod ${life.key} goes before ${higher[0]?.key}`);
  }

  /** What would be continued by another process if this one died now; a deleted monitor is continued by none. */
  #hasOnRecord(uid: string, life: PodLife): boolean {
    return this.#history.isOnRecord(uid, life.uid, this.#sinceMs);
  }

  /**
   * Whoever was born after the first pod had gone for this content has it already. Not judged: an edit of the sources
   * in the middle of a restart begins it again for all (docs/configmonitor.md).
   */
  #judgeOnce(life: PodLife, monitors: readonly MonitorSince[]): void {
    const judged = monitors.filter(
      (one) => this.#isUpToDate(one) && this.#history.hasOneForm(one.uid),
    );
    const configs = new Set(judged.map((one) => one.config));
    const fresh = [...configs].filter((config) => {
      const key = this.#contentKey(config);
      const begunMs = this.#begun.get(key);
      if (begunMs === undefined) this.#begun.set(key, this.#nowMs);
      return begunMs !== undefined && life.bornMs > begunMs;
    });
    if (fresh.length === 0) return;
    this.#report('restarts-once', `Pod ${life.key} was started with the newest data already`);
  }

  /** What others have done lately the operator may not have seen. */
  #judgeBatch({ deployment }: PodLife, monitors: readonly MonitorSince[]): void {
    if (deployment === undefined) return;
    const wanted = this.#history.mostReplicas(deployment, this.#sinceMs);
    const lives = [...this.#history.pods.values()].filter((one) => one.deployment === deployment);
    const table = this.#stage.model.table;
    const serving = lives.filter((one) => {
      const pod = table.get(PODS, one.key);
      const isThere = pod?.metadata.uid === one.uid && isReady(pod);
      return isThere && this.#isAvailable(one, monitors);
    });
    const byOthers = lives.filter(({ othersMs = -1 }) => othersMs >= this.#sinceMs).length;
    const grown = this.#history.grownBy(deployment, this.#sinceMs);
    const unready = wanted - serving.length - byOthers - grown;
    const isSet = this.#stage.model.table.get(STATEFUL_SETS, deployment) !== undefined;
    const most = Math.max(...monitors.map(({ spec }) => limitOf(spec, wanted, isSet)));
    if (unready <= most) return;
    this.#report(
      'max-unavailable',
      `${unready} of ${wanted} pods of ${deployment}, at most ${most} may`,
    );
  }

  /**
   * A pod with newer data than some monitor began with must have proved that it can stay ready; one that was there
   * before the operator may have seen the change counts as an old one. Of a monitor that was edited lately the
   * operator may know either form.
   */
  #isAvailable(life: PodLife, monitors: readonly MonitorSince[]): boolean {
    const isOlder = (changedMs: number): boolean =>
      life.bornMs < changedMs + UNNOTICED_MS || this.#stage.isCutOff(changedMs, life.bornMs);
    const formsOf = Map.groupBy(monitors, ({ uid }) => uid);
    const isOld = (forms: readonly MonitorSince[]): boolean =>
      this.#listChanges(forms, life).some(isOlder);
    if ([...formsOf.values()].every(isOld)) return true;
    const readyForMs = this.#nowMs - (life.readyMs ?? this.#nowMs);
    return readyForMs >= (life.hasRestarted ? SOUND_AFTER_MS : MIN_READY_MS);
  }

  #listChanges(monitors: readonly MonitorSince[], life: PodLife): readonly number[] {
    return monitors.map((one) => this.#history.changedMs(this.#history.dataFor(one, life)));
  }

  #judgeRollout(commit: Commit): void {
    const { kind, object, before } = commit;
    const key = keyOfStored(object);
    const what = `${kind.kind} ${key}`;
    const isOnlyRestart =
      before !== undefined && isDeepStrictEqual(withoutRestart(object), withoutRestart(before));
    if (!isOnlyRestart) return this.#report('others-fields-stay', `${what} beyond its restart`);
    this.#stage.met(`restarted ${kind.kind}`);
    const own = [...this.#history.pods.values()].filter((life) => life.deployment === key);
    const known = own.filter(
      (life) => this.#isThere(life) || (life.othersMs ?? Infinity) >= this.#sinceMs,
    );
    const monitors = known.flatMap((life) => this.#history.monitorsOf(life, this.#sinceMs));
    const rolling = monitors.filter(({ spec }) => isByTemplate(spec));
    if (rolling.length === 0)
      return this.#report('foreign-child-untouched', `${what} is restarted`);
    this.#judgeBystanders(own, rolling, what);
    const recorded = own.filter((life) => rolling.some(({ uid }) => this.#hasOnRecord(uid, life)));
    if (isReplacing(commit, recorded)) {
      this.#report('restarts-once', `${what} was replacing these pods already`);
    }
    const upToDate = rolling.filter((one) => this.#isUpToDate(one));
    const contents = [...new Set(upToDate.map(({ config }) => this.#contentKey(config)))];
    // One that is behind, whose data was taken back, or whose sources were edited may have to restart it again.
    const isBehind = rolling.some((one) => {
      if (!this.#history.hasOneForm(one.uid)) return true;
      return this.#history.rolloutOf(one.uid) !== undefined && !upToDate.includes(one);
    });
    const wasRolled = contents.every((one) => this.#rolled.has(`${one} ${key}`));
    const isLate = rolling.some((one) => this.#hasNotedLate(one, { contents, key }));
    if (!isBehind && !isLate && contents.length > 0 && wasRolled) {
      this.#report('restarts-once', `${what} was restarted for this data already`);
    }
    for (const one of contents) this.#rolled.set(`${one} ${key}`, this.#nowMs);
  }

  /**
   * One that could not note the change before another one restarted the workload: of several sources the other one
   * vouches for no pod, unless it selects by labels. It waits for one whose reads are slow for a while.
   */
  #hasNotedLate({ uid, config, spec }: MonitorSince, rolled: Rolled): boolean {
    const { untilMs: stalledMs = 0 } = this.#stalls.get(uid) ?? {};
    const notedMs = this.#notedMs.get(uid) ?? 0;
    const isSlow = notedMs - this.#history.changedMs(config) >= NOTING_MS;
    const isLate = rolled.contents.some((one) => {
      const rolledMs = this.#rolled.get(`${one} ${rolled.key}`) ?? Infinity;
      return stalledMs >= rolledMs || (isSlow && notedMs >= rolledMs);
    });
    return isLate && sourcesOf(spec).length > 1;
  }

  #noteStatus({ object, before }: Commit): void {
    const hash = noteOf(object);
    if (hash !== undefined && hash !== noteOf(before)) {
      this.#notedMs.set(object.metadata.uid, this.#nowMs);
    }
    const isStalled = conditionsOf(object).some((one) => one.type === 'Stalled');
    const { uid } = object.metadata;
    const last = this.#stalls.get(uid);
    if (isStalled && last?.untilMs !== Infinity) {
      this.#stalls.set(uid, { sinceMs: this.#nowMs, untilMs: Infinity });
    } else if (!isStalled && last?.untilMs === Infinity) {
      this.#stalls.set(uid, { ...last, untilMs: this.#nowMs });
    }
  }

  /** A template is restarted only if all of its pods use what has changed. */
  #judgeBystanders(own: readonly PodLife[], rolling: readonly MonitorSince[], what: string): void {
    if (rolling.some(({ spec }) => !selectsUsers(spec))) return;
    const bystander = own.find((life) => {
      const isKnown = this.#isThere(life) && life.bornMs < this.#sinceMs;
      const isMeant = (monitor: MonitorSince): boolean =>
        this.#isConcerned(monitor, life) || this.#beganMeanwhile(monitor, life);
      return isKnown && !rolling.some(isMeant);
    });
    if (bystander === undefined) return;
    this.#report('restarts-users', `${what} is restarted, and ${bystander.key} uses nothing new`);
  }

  /**
   * The data that it uses changed in the same rest, or its restart was under way: where one pod is older than that,
   * the template restarts them all.
   */
  #beganMeanwhile(monitor: MonitorSince, life: PodLife): boolean {
    const rest = this.#history.restAt(monitor.uid, life.bornMs);
    const rollout = this.#history.rolloutOf(monitor.uid);
    const { sinceMs = Infinity } = rest ?? rollout ?? {};
    const { debounceSeconds, minIntervalSeconds } = monitor.spec;
    const waitsMs = rest ? 0 : 1000 * (debounceSeconds + minIntervalSeconds);
    // One that fails, as for a Secret that it may not read, notes no change of its other sources meanwhile.
    const { sinceMs: blindMs, untilMs } = this.#stalls.get(monitor.uid) ?? { sinceMs, untilMs: 0 };
    const firstMs = untilMs >= life.bornMs ? Math.min(sinceMs, blindMs) : sinceMs;
    const unseenMs = this.#findUnseenMs(monitor.uid);
    return this.#history.hasChanged(monitor, life, firstMs - waitsMs - unseenMs);
  }

  /**
   * Its rollout is for the data that is there now, and not for older data, of which it may know alone:
   * where other data came and went meanwhile, that has to be seen first; a rollout of before may be for the
   * same data when it was there the last time.
   */
  #isUpToDate({ uid, config }: MonitorSince): boolean {
    const rollout = this.#history.rolloutOf(uid);
    if (rollout === undefined) return false;
    const changedMs = this.#history.changedMs(config);
    const isNew = !this.#wasTakenBack(config);
    const isSeen = (isNew && rollout.sinceMs >= changedMs) || changedMs < this.#sinceMs;
    return isSeen && this.#hashes.of(config).includes(rollout.hash);
  }

  /** Lately, by one of its sources: each has a watch of its own, which may show that late. */
  #wasTakenBack(config: DataKey): boolean {
    const { namespace, sources } = parseData(config);
    return sources.some((source) => {
      const lately = this.#history.contentsSince(nameData(namespace, [source]), this.#sinceMs);
      return lately.indexOf(lately.at(-1) ?? '') < lately.length - 1;
    });
  }

  /** Also one that serves nobody just now. */
  #isThere({ key, uid }: PodLife): boolean {
    const pod = this.#stage.model.table.get(PODS, key);
    return pod?.metadata.uid === uid && isActive(pod);
  }

  #isRemoved({ metadata }: StoredObject): boolean {
    return (
      this.#stage.model.table.get(PODS, `${metadata.namespace}/${metadata.name}`) === undefined
    );
  }

  #contentKey(config: string): string {
    return `${config} since ${this.#history.changedMs(config)}`;
  }

  get #nowMs(): number {
    return this.#stage.clock.monotonicMs();
  }

  /** A pod that goes late in a rollout was put on record when that began, by what was known then. */
  #findUnseenMs(monitor: string): number {
    const { sinceMs = this.#nowMs } = this.#history.rolloutOf(monitor) ?? {};
    return Math.max(this.#unseenMsAt(sinceMs), this.#unseenMsAt(this.#nowMs));
  }

  /** Of two that believe to hold the Lease one may be behind, and nobody looks until a killed one has a successor. */
  #unseenMsAt(atMs: number): number {
    const { isDisturbed, isLeaseDoubtful } = this.#stage;
    const isBetween = isDisturbed(atMs - TAKEOVER_MS, atMs);
    if (isBetween || isLeaseDoubtful(atMs)) return UNSEEN_MS;
    return findUnseenMs(this.#stage, INFORMED_MS, atMs);
  }

  get #sinceMs(): number {
    return this.#nowMs - this.#unseenMsAt(this.#nowMs);
  }

  #report(invariant: string, detail: string): void {
    this.#stage.report(invariant, detail);
  }
}

/** One whose pods there are. */
function isWorkload({ kind, object, before }: Commit): boolean {
  if (kind === DEPLOYMENTS) return hasPods(before ?? object);
  return kind === STATEFUL_SETS || kind === DAEMON_SETS;
}

/** Its template has changed since they were made, and its controller had observed that. A DaemonSet does not show it. */
function isReplacing({ kind, before }: Commit, pods: readonly PodLife[]): boolean {
  const { metadata, spec, status } = before as unknown as Observed;
  const isObserved = status?.observedGeneration === metadata.generation;
  if (kind === DAEMON_SETS || !isObserved || pods.length === 0) return false;
  const label = kind === DEPLOYMENTS ? TEMPLATE_HASH : REVISION;
  return pods.every(({ labels }) => labels[label] !== hashTemplate(spec.template));
}

/** The hash of the change that waits. */
function noteOf(object: StoredObject | undefined): string | undefined {
  return (object?.['status'] as ConfigMonitorStatus | undefined)?.change?.hash;
}

function isByTemplate({ strategy }: ConfigMonitorSpec): boolean {
  return strategy === 'Rollout' || strategy === 'Auto';
}

/** Pods of other kinds, and those whose gates are opened. */
function isJudgedElsewhere(pod: StoredObject): boolean {
  return isGated(pod) || isOfOwnKind(pod);
}

function isOfOwnKind(pod: StoredObject): boolean {
  const kind = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.kind;
  return DEFINED_KINDS.some((one) => one.kind === kind);
}

function isEvicted(pod: StoredObject): boolean {
  return conditionsOf(pod).some(({ type }) => type === EVICTED);
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#max-unavailable, but rounded up. */
function limitOf({ maxUnavailable }: ConfigMonitorSpec, wanted: number, isSet: boolean): number {
  if (isSet && maxUnavailable === '25%') return 1;
  const percent = /^(\d+)%$/.exec(`${maxUnavailable}`)?.[1];
  const limit = percent === undefined ? Number(maxUnavailable) : (wanted * Number(percent)) / 100;
  return Math.max(1, Math.ceil(limit));
}

function withoutRestart({ metadata: _metadata, status: _status, ...rest }: StoredObject): unknown {
  const { spec } = structuredClone(rest) as {
    spec?: { template?: { metadata?: { annotations?: Record<string, string> } } };
  };
  const template = spec?.template?.metadata;
  delete template?.annotations?.[RESTARTED_AT];
  if (template?.annotations && Object.keys(template.annotations).length === 0) {
    delete template.annotations;
  }
  return spec;
}

function rolloutOf(object: StoredObject | undefined): unknown {
  return (object?.['status'] as Partial<ConfigMonitorStatus> | undefined)?.rollout;
}
