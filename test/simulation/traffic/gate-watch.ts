import {
  presentTargets,
  type TargetGroup,
} from '../../../localstack/embedded/target-groups/target-group.ts';
import { healthOf } from '../../../localstack/embedded/target-groups/target-health.ts';
import { type MyIngress, resourceTagKey } from '../../../src/apis/my-ingress.ts';
import { isPaused } from '../../../src/core/objects/annotations.ts';
import { PODS, SERVICES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import { isGateOpen } from '../services/gated-pods.ts';
import { addressesOf, isActive, isGated, isUp } from '../world/pod-facts.ts';
import { isOperator, type Stage } from '../world/stage.ts';
import type { Claims } from './claims.ts';
import { findNamedGroups, findReachedGroups } from './reached-groups.ts';
import { backendIn, resourceIdOf } from './resources.ts';
import { listAsked } from './spec-answers.ts';
import type { Surroundings } from './target-invariants.ts';

export interface GateWatchParts {
  readonly stage: Stage;
  readonly claims: Claims;
  readonly surroundings: Surroundings;
}

type OwnedBackend = NonNullable<MyIngress['spec']['backends']>[number] & { readonly owner: string };

/** `due`: nothing keeps the gate closed; `arguable`: not in each of the groups that it may be about. */
type Verdict = 'due' | 'arguable' | 'waits';

interface Waiting {
  readonly key: string;
  /** Another pod had its address before, or it was registered before itself. */
  isReused: boolean;
  /** ARNs of the groups that had its address when it came: the pod before it may never have been taken out. */
  readonly inherited: ReadonlySet<string>;
  /** Since when nothing keeps the gate closed. */
  dueSinceMs: number | undefined;
  upSinceMs: number | undefined;
  /** At some time something spoke for opening it. */
  hadCause: boolean;
}

/** One poll with its jitter, and the calls. */
const POLL_MS = 8_000;
/** For so long an answer may be about the pod that had the address before. */
const STALE_MS = 10_000;
/** A turn in the budget. */
const TURN_MS = 15_000;
/** Credentials may take 3 s, for the read and for the write. */
const SLOW_MS = 12_000;
/** Once no fault is left. */
const LONGEST_WAIT_MS = 60_000;
/** Without an answer of AWS, and the way to it. */
const SILENCE_MS = 600_000;
const LONGEST_SILENCE_MS = SILENCE_MS + 120_000;
const NOT_IN_USE = 'Target.NotInUse';
/** Watches of two kinds show what has changed one after the other. */
const UNSEEN_MS = 2_000;
/** A Service, or its port, that is away may be back for so long, and the write. */
const AWAY_MS = 12_000;

/** When readiness gates open: by AWS's own state and the specs, read without any code that opens them. */
export class GateWatch {
  readonly #parts: GateWatchParts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #addresses = new Set<string>();
  /** The backends of each namespace, and since when. */
  readonly #declared = new Map<string, { readonly text: string; readonly sinceMs: number }>();

  constructor(parts: GateWatchParts) {
    this.#parts = parts;
  }

  onCommit(commit: Commit): void {
    const { kind, object } = commit;
    if (kind === PODS && isGated(object)) return this.#onPod(commit);
    if (kind !== MY_INGRESSES && kind !== SERVICES) return;
    this.look();
    this.#noteDeclared(object.metadata.namespace ?? '');
  }

  /** Call after each change of AWS, of its health checks, of pods and of specs. */
  look(): void {
    for (const pod of this.#parts.stage.model.table.list(PODS)) {
      if (isGated(pod) && addressesOf(pod).length > 0) this.#lookAt(pod);
    }
  }

  /** No pod waits without a reason once everything has come to rest. */
  checkFinal(): void {
    const { clock, report } = this.#parts.stage;
    const nowMs = clock.monotonicMs();
    this.look();
    for (const { key, dueSinceMs = nowMs, upSinceMs = nowMs } of this.#waiting.values()) {
      const isLate = nowMs - dueSinceMs > LONGEST_WAIT_MS;
      const isSilent = nowMs - upSinceMs > LONGEST_SILENCE_MS && !this.#isUnhealthy(key);
      if (isLate || isSilent) report('gate-never-deadlocks', `Pod ${key} still waits at its gate`);
    }
  }

  #onPod({ type, object, before, by }: Commit): void {
    this.look();
    const isOpened = isOperator(by) && isGateOpen(object) && !isGateOpen(before);
    if (isOpened) this.#judgeOpening(object);
    if (type === 'DELETED') this.#waiting.delete(object.metadata.uid);
  }

  #lookAt(pod: StoredObject): void {
    const { uid } = pod.metadata;
    if (isGateOpen(pod) || !isActive(pod)) return this.#forget(pod);
    const nowMs = this.#parts.stage.clock.monotonicMs();
    const waiting = this.#waiting.get(uid) ?? this.#begin(pod);
    waiting.isReused ||= this.#drains(pod);
    const verdict = this.#judge(pod);
    if (verdict !== 'waits') waiting.hadCause = true;
    waiting.upSinceMs = isUp(pod) ? (waiting.upSinceMs ?? nowMs) : undefined;
    if (verdict !== 'due') waiting.dueSinceMs = undefined;
    else if (waiting.dueSinceMs === undefined) this.#beginDue(waiting, nowMs);
  }

  #begin(pod: StoredObject): Waiting {
    const addresses = addressesOf(pod);
    const groups = this.#parts.stage.aws.world.traffic.targetGroups.all();
    const having = groups.filter((group) => this.#listHealth(group, pod).length > 0);
    const waiting = {
      key: keyOfStored(pod),
      isReused: addresses.some((one) => this.#addresses.has(one)),
      inherited: new Set(having.map(({ arn }) => arn)),
      ...{ dueSinceMs: undefined, upSinceMs: undefined, hadCause: false },
    };
    this.#waiting.set(pod.metadata.uid, waiting);
    for (const one of addresses) this.#addresses.add(one);
    return waiting;
  }

  /** It keeps what it was until its opening is judged. */
  #forget(pod: StoredObject): void {
    const waiting = this.#waiting.get(pod.metadata.uid);
    if (waiting === undefined) return;
    waiting.dueSinceMs = undefined;
    if (!isActive(pod)) this.#waiting.delete(pod.metadata.uid);
  }

  #beginDue(waiting: Waiting, nowMs: number): void {
    const { surroundings, stage } = this.#parts;
    waiting.dueSinceMs = nowMs;
    if (!surroundings.isCalm) return;
    const ownMs = POLL_MS + (waiting.isReused ? STALE_MS : 0);
    const limitMs = ownMs + (surroundings.isFree ? 0 : TURN_MS);
    const isStill = (): boolean => waiting.dueSinceMs === nowMs;
    stage.clock.setTimer(limitMs, () => {
      const isSlow = stage.isDisturbed(nowMs - SLOW_MS, stage.clock.monotonicMs());
      if (isStill())
        stage.clock.setTimer(isSlow ? SLOW_MS : 0, () => this.#judgeDue(waiting, isStill));
    });
  }

  #judgeDue(waiting: Waiting, isStill: () => boolean): void {
    const [namespace = ''] = waiting.key.split('/');
    const mayBeBack =
      this.#lacksService(namespace) || this.#hasLeft(namespace) || this.#hasPaused(namespace);
    if (!mayBeBack) return this.#reportLate(waiting, isStill, UNSEEN_MS);
    this.#parts.stage.clock.setTimer(AWAY_MS, () => this.#reportLate(waiting, isStill, AWAY_MS));
  }

  #reportLate({ key }: Waiting, isStill: () => boolean, calmMs: number): void {
    const [namespace = ''] = key.split('/');
    if (!isStill() || this.#hasJustChanged(namespace, calmMs)) return;
    const what = `Pod ${key} waits at its gate although AWS has it as healthy in each group`;
    this.#parts.stage.report('gate-opens-in-time', what);
  }

  #judgeOpening(pod: StoredObject): void {
    const { surroundings, stage } = this.#parts;
    const waiting = this.#waiting.get(pod.metadata.uid);
    this.#waiting.delete(pod.metadata.uid);
    const nowMs = stage.clock.monotonicMs();
    if (!surroundings.isCalm || waiting === undefined) return;
    if (this.#hasJustChanged(pod.metadata.namespace ?? '', UNSEEN_MS)) return;
    const isSilent = nowMs - (waiting.upSinceMs ?? nowMs) >= SILENCE_MS;
    if (waiting.hadCause || isSilent) return;
    const what = `the gate of Pod ${waiting.key} opened before AWS had it as healthy`;
    stage.report('gate-opens-for-cause', what);
  }

  #hasJustChanged(namespace: string, calmMs: number): boolean {
    const { sinceMs = 0 } = this.#declared.get(namespace) ?? {};
    return this.#parts.stage.clock.monotonicMs() - sinceMs < calmMs;
  }

  #noteDeclared(namespace: string): void {
    const backends = this.#listBackends(namespace).map(({ owner, name, service }) => {
      return { owner, name, service, hasPort: this.#hasPort(namespace, service) };
    });
    const text = JSON.stringify(backends);
    if (this.#declared.get(namespace)?.text === text) return;
    this.#declared.set(namespace, { text, sinceMs: this.#parts.stage.clock.monotonicMs() });
    this.#restart(namespace);
  }

  /** Other groups count from now on, of which AWS is asked in turn. */
  #restart(namespace: string): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.key.startsWith(`${namespace}/`)) waiting.dueSinceMs = undefined;
    }
    this.look();
  }

  #judge(pod: StoredObject): Verdict {
    const verdict = this.#judgeDeclared(pod);
    if (verdict !== 'due') return verdict;
    const isArguable = this.#isLeft(pod) || this.#isAwaited(pod) || this.#isInherited(pod);
    return isArguable ? 'arguable' : 'due';
  }

  #judgeDeclared(pod: StoredObject): Verdict {
    const { namespace = '', labels = {} } = pod.metadata;
    const selecting = this.#listDeclared(namespace).filter(({ app }) => app === labels['app']);
    if (selecting.length === 0) return 'due';
    if (!isUp(pod)) return 'waits';
    const verdicts = selecting.map(({ owner, backend }) => {
      const groups = this.#listGroups(owner, backend);
      const closed = groups.filter((group) => !this.#isOpen(group, pod));
      if (closed.length === groups.length || closed.some((one) => this.#isReached(one, pod))) {
        return 'waits';
      }
      return closed.length > 0 || groups.some(isUntagged) ? 'arguable' : 'due';
    });
    if (verdicts.includes('waits')) return 'waits';
    return verdicts.includes('arguable') ? 'arguable' : 'due';
  }

  /** A rule still names a backend that no spec has any more, and its group keeps the gate closed. */
  #isLeft(pod: StoredObject): boolean {
    const { claims, stage } = this.#parts;
    const { world } = stage.aws;
    const named = findNamedGroups(world);
    const own = world.traffic.targetGroups.all().filter((group) => {
      return named.has(group.arn) && claims.ownerOf(group) !== undefined;
    });
    return own.some((group) => this.#isTarget(group, pod) && !this.#isOpen(group, pod));
  }

  /** It may be of a Service that has left the spec while an action names its group, which is to have the pod once it is up. */
  #isAwaited(pod: StoredObject): boolean {
    return !isUp(pod) && this.#hasLeft(pod.metadata.namespace ?? '');
  }

  /** An action names a group whose backend has left the spec, or which another one is to replace. */
  #hasLeft(namespace: string): boolean {
    const { claims, stage } = this.#parts;
    const nameOf = (group: TargetGroup): string =>
      `${claims.ownerOf(group)} ${backendIn(resourceIdOf(group))}`;
    const groups = stage.aws.world.traffic.targetGroups.all();
    const own = groups.filter((group) => claims.ownerOf(group)?.startsWith(`${namespace}/`));
    const declared = this.#listBackends(namespace).map(({ owner, name }) => `${owner} ${name}`);
    const isPlain = (group: TargetGroup): boolean =>
      declared.includes(nameOf(group)) &&
      own.filter((one) => nameOf(one) === nameOf(group)).length === 1;
    const named = findNamedGroups(stage.aws.world);
    return own.some((group) => named.has(group.arn) && !isPlain(group));
  }

  /** The operator follows its groups, and the Services that they had, whatever becomes of them meanwhile. */
  #hasPaused(namespace: string): boolean {
    const objects = this.#parts.stage.model.table.list(MY_INGRESSES);
    return objects.some((one) => one.metadata.namespace === namespace && isPaused(one));
  }

  /** Once it is registered again, an answer may be about the time before. */
  #drains(pod: StoredObject): boolean {
    const groups = this.#parts.stage.aws.world.traffic.targetGroups.all();
    const healths = groups.flatMap((one) => this.#listHealth(one, pod));
    return healths.some(({ state }) => state === 'draining');
  }

  /** A group that nobody uses says little by a target that the pod before has left. */
  #isInherited(pod: StoredObject): boolean {
    const { inherited } = this.#waiting.get(pod.metadata.uid) ?? {};
    const groups = this.#parts.stage.aws.world.traffic.targetGroups.all();
    return groups
      .filter(({ arn }) => inherited?.has(arn) === true)
      .some((group) => this.#listHealth(group, pod).some(({ reason }) => reason === NOT_IN_USE));
  }

  /** The group does not keep the gate closed. */
  #isOpen(group: TargetGroup, pod: StoredObject): boolean {
    return this.#listHealth(group, pod).some(
      ({ state, reason }) => state === 'healthy' || reason === NOT_IN_USE,
    );
  }

  #isReached(group: TargetGroup, pod: StoredObject): boolean {
    const { world } = this.#parts.stage.aws;
    return this.#isTarget(group, pod) && findReachedGroups(world).has(group.arn);
  }

  /** One that drains may be of the pod that had the address before. */
  #isTarget(group: TargetGroup, pod: StoredObject): boolean {
    return this.#listHealth(group, pod).some(({ state }) => state !== 'draining');
  }

  #isUnhealthy(key: string): boolean {
    const { world } = this.#parts.stage.aws;
    const pod = this.#parts.stage.model.table.get(PODS, key);
    const groups = world.traffic.targetGroups.all();
    const healths = pod === undefined ? [] : groups.flatMap((one) => this.#listHealth(one, pod));
    return healths.some(({ state }) => state === 'unhealthy' || state === 'initial');
  }

  #listHealth(group: TargetGroup, pod: StoredObject): readonly ReturnType<typeof healthOf>[] {
    const { world } = this.#parts.stage.aws;
    const addresses = addressesOf(pod);
    const present = presentTargets(group, world.clock.now());
    const own = [...present.values()].filter(({ id }) => addresses.includes(id));
    return own.map((target) => healthOf(world, group, target));
  }

  #listGroups(owner: string, backend: string): readonly TargetGroup[] {
    const { claims, stage } = this.#parts;
    return stage.aws.world.traffic.targetGroups.all().filter((group) => {
      const isOfBackend = isUntagged(group) || backendIn(resourceIdOf(group)) === backend;
      return isOfBackend && claims.ownerOf(group) === owner;
    });
  }

  /** Backends that get requests, each with the label of the pods that its Service selects. */
  #listDeclared(
    namespace: string,
  ): readonly { readonly owner: string; readonly backend: string; readonly app: string }[] {
    return this.#listBackends(namespace)
      .filter(({ service }) => this.#hasPort(namespace, service))
      .map(({ owner, name, service }) => ({ owner, backend: name, app: service?.name ?? '' }));
  }

  /** The gate stays closed for some seconds: the Service, or its port, may be back in a moment. */
  #lacksService(namespace: string): boolean {
    return this.#listBackends(namespace).some(({ service }) => !this.#hasPort(namespace, service));
  }

  #listBackends(namespace: string): readonly OwnedBackend[] {
    const { table } = this.#parts.stage.model;
    const objects = table.list(MY_INGRESSES) as unknown as readonly MyIngress[];
    const own = objects.filter(({ metadata }) => metadata.namespace === namespace);
    const serving = own.filter((one) => !isPaused(one) && !one.metadata.deletionTimestamp);
    return serving.flatMap(({ metadata, spec }) => {
      const asked = listAsked(spec);
      return (spec.backends ?? [])
        .filter(({ name, targetType = 'ip' }) => asked.has(name) && targetType === 'ip')
        .map((backend) => ({ ...backend, owner: `${namespace}/${metadata.name}` }));
    });
  }

  #hasPort(
    namespace: string,
    service: { readonly name: string; readonly port: string | number } | undefined,
  ): boolean {
    const found = this.#parts.stage.model.table.get(SERVICES, `${namespace}/${service?.name}`);
    const { ports = [] } = (found?.['spec'] ?? {}) as {
      readonly ports?: readonly { readonly name: string; readonly port: number }[];
    };
    return ports.some(({ name, port }) => name === service?.port || port === service?.port);
  }
}

/** Others have taken the tag off: the operator follows it for the backend that it had, until a scan reads its tags. */
function isUntagged({ tags }: TargetGroup): boolean {
  return !tags.has(resourceTagKey);
}
