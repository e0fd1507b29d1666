import type { Target, TargetHealth } from '../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../core/objects/fields.ts';
import { type Key, splitKey } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { LOW_PRIORITY } from '../../core/queue/key-queue.ts';
import { type BackendService, type DesiredTargets, isSame, nameTarget } from './desired-targets.ts';
import { type FlushFacts, type FlushPlan, planFlush } from './flush-plan.ts';
import { reportPod, type TargetPod, type TargetReport } from './gates/target-report.ts';
import { Graces } from './graces.ts';
import { type Checks, GroupHealth, type HealthRead, listRegistered } from './group-health.ts';
import { type Action, Problems, type TargetsProblem } from './problems.ts';
import { Registrations } from './registrations.ts';
import { VpcBounds } from './target-batches.ts';

/** A target group that is proved ours, and the Service whose endpoints are its targets. */
export interface ServedGroup extends BackendService, Checks {
  readonly backend: string;
  readonly arn: string;
  /** Created by this process: nothing is registered yet, so that nothing has to be read. */
  readonly isNew: boolean;
  /** Requests still reach it, though the spec has another one in its place or none: its targets are followed, and not counted. */
  readonly isReplaced?: boolean;
  /** No action names it: what is registered in it may be of a Service that it had before, and the metrics leave it out. */
  readonly isUnused?: boolean;
  /** An action sends it requests, whatever the spec has: gates wait for it. By a snapshot, one that names it, but for a backend at rest. */
  readonly isReached?: boolean;
}

/** The state of the targets of one group, as far as this process knows. */
export interface TargetsState extends Pick<DesiredTargets, 'note' | 'isPartial'> {
  readonly backend: string;
  /** False: AWS was not asked yet what is registered in the group of an earlier process. */
  readonly isKnown: boolean;
  readonly desired: number;
  /** Of the desired ones. */
  readonly registered: number;
  /** Of the desired ones; undefined: AWS was not asked yet. */
  readonly healthy?: number;
  /** Wall time in ms of AWS's answer. */
  readonly healthAsOfMs?: number;
  /** One of the desired ones that is registered and not healthy, and why. */
  readonly unhealthy?: TargetHealth;
  /** AWS has not answered yet about one of the desired ones. */
  readonly isAwaited?: true;
  /** All desired targets, at least one, were registered at least once since the group was published. */
  readonly isFilled: boolean;
  /** Why there are no targets, or not those that there should be. */
  readonly problem?: TargetsProblem;
}

export type Write = Exclude<Action, 'read'>;
const WRITES: readonly Write[] = ['register', 'deregister'];

/** Changes after the first of a quiet group are collected for this long. */
const COLLECT_MS = 100;

/** As long as a pass waits for its groups. */
const WAIT_MS = 2_000;

/** Without targets the load balancer answers 503; a pod that goes soon answers nothing. */
const PRIORITIES = { empty: 20, removal: 10, growth: 0 } as const;

/** One published target group: what it should have, what it has, and what failed. */
export class Group {
  readonly key: Key;
  readonly owner: Key;
  readonly health: GroupHealth;
  readonly problems: Problems;
  /** Pods whose readiness gate waits for AWS's answer about this group. */
  readonly awaiting = new Set<Key>();
  readonly bounds = new VpcBounds();
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #registrations = new Registrations();
  readonly #graces: Graces;
  /** Since when each target is to be registered or deregistered (monotonic ms). */
  readonly #pendingSinceMs = new Map<string, number>();
  #served: ServedGroup;
  #desired: DesiredTargets = { targets: new Map(), live: new Set(), late: new Set() };
  #lastSentMs = Number.NEGATIVE_INFINITY;
  /** Targets that a call is about to take out. */
  #leaving: { readonly targets: readonly Target[]; readonly aborting: AbortController } | undefined;
  #isKnown: boolean;
  #isUrgent = false;
  #isFilled = false;

  constructor(owner: Key, served: ServedGroup, clock: Clock) {
    this.key = `${owner}/${served.arn}`;
    this.owner = owner;
    this.health = new GroupHealth(clock);
    this.problems = new Problems(clock);
    this.#graces = new Graces(clock);
    this.#clock = clock;
    this.#served = served;
    this.#isKnown = served.isNew;
    this.health.recordEdit({}, served);
  }

  /** May change while the ARN stays. */
  get served(): ServedGroup {
    return this.#served;
  }

  set served(served: ServedGroup) {
    const before = this.#served;
    if (served.service.name !== before.service.name) this.#graces.rename();
    this.health.recordEdit(before, served);
    this.#served = served;
  }

  get namespace(): string {
    return splitKey(this.owner).namespace;
  }

  get serviceKey(): Key {
    return `${this.#served.service.namespace ?? this.namespace}/${this.#served.service.name}`;
  }

  /** Aborts when the group is withdrawn. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** False: what AWS has registered has to be read first. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** A change of its endpoints, or a pass, waits for it. */
  get isUrgent(): boolean {
    return this.#isUrgent;
  }

  /** Requests may be sent to it, from now on too. */
  get isPrepared(): boolean {
    const isClear = !this.#served.isUnused || this.#isCleared;
    return isClear && (this.#isFilled || this.problems.leading !== undefined);
  }

  /** The targets of a former Service are gone, or stay for longer than a pass waits, as where AWS denies the call. */
  get #isCleared(): boolean {
    if (this.#isKnown && this.listSurplus().length === 0) return true;
    // A read that is not urgent may be late only because nothing has waited for it yet.
    if (this.#desired.isUnknown || !(this.#isKnown || this.#isUrgent)) return false;
    return (this.flushDueMs ?? Number.POSITIVE_INFINITY) > this.#clock.monotonicMs() + WAIT_MS;
  }

  /** In the queue of flushes. */
  get priority(): number {
    if (!this.#isKnown && !this.#isUrgent) return LOW_PRIORITY;
    if (this.#registrations.size === 0) return PRIORITIES.empty;
    return this.listSurplus().length > 0 ? PRIORITIES.removal : PRIORITIES.growth;
  }

  /** When a flush has something to do (monotonic ms); undefined: not as things are. */
  get flushDueMs(): number | undefined {
    if (!this.#isKnown) return this.problems.notBeforeMs('read');
    const plan = this.#plan();
    const due = WRITES.filter((write) => plan[write].length > 0).map((write) =>
      Math.max(this.#lastSentMs + COLLECT_MS, this.problems.notBeforeMs(write)),
    );
    const dueMs = Math.min(plan.nextMs, ...due);
    return dueMs === Number.POSITIVE_INFINITY ? undefined : dueMs;
  }

  /** As `GroupHealth.nextPollInMs`. */
  get nextPollInMs(): number | undefined {
    // Of an unused group AWS checks no target.
    const names = this.#served.isUnused ? [] : this.#listRegistered();
    return this.health.nextPollInMs(names, this.awaiting.size > 0);
  }

  get state(): TargetsState {
    const names = this.#listRegistered();
    const { asOfMs } = this.health;
    const unhealthy = this.health.findUnhealthy(names);
    const { note, isPartial } = this.#desired;
    return {
      backend: this.#served.backend,
      isKnown: this.#isKnown,
      desired: this.#desired.targets.size,
      registered: names.length,
      ...(asOfMs !== undefined && {
        ...{ healthy: this.health.countHealthy(names), healthAsOfMs: asOfMs },
        ...(this.health.isAwaited([...this.#desired.targets.keys()]) && { isAwaited: true }),
      }),
      isFilled: this.#isFilled,
      ...omitUndefined({ unhealthy, problem: this.problems.leading, note, isPartial }),
    };
  }

  /** Returns whether other targets are desired than before. */
  desire(desired: DesiredTargets): boolean {
    const hasChanged = !isSame(this.#desired, desired);
    this.#graces.record(this.#desired, desired);
    this.#desired = desired;
    this.problems.recordDesire(desired.targets, desired.problem);
    if (!hasChanged) return false;
    if (this.#leaving?.targets.some((target) => desired.targets.has(nameTarget(target)))) {
      this.#leaving.aborting.abort(
        new Error('a target that was to be deregistered is desired again'),
      );
    }
    this.#settle();
    return true;
  }

  /** Its turn behind all that nobody waits for does not count any more. */
  hurry(): void {
    if (!this.#isKnown && !this.#isUrgent) this.problems.recordSuccess('read');
    this.#isUrgent = true;
  }

  stop(reason: Error): void {
    this.#stopping.abort(reason);
  }

  /** Plans the calls to send now. */
  listDue(write: Write): readonly Target[] {
    const isHeld = this.problems.notBeforeMs(write) > this.#clock.monotonicMs();
    return isHeld ? [] : this.#plan()[write];
  }

  /** All that is not desired and may be registered. */
  listSurplus(): readonly Target[] {
    return this.#registrations.listSurplus(this.#desired.targets);
  }

  /** Returns the signal of the call: what is wrong by now is not sent. */
  beginWrite(write: Write, targets: readonly Target[]): AbortSignal {
    this.#lastSentMs = this.#clock.monotonicMs();
    this.health.beginWrite();
    if (write === 'register') {
      this.health.beginRegistering(targets.map(nameTarget));
      this.#registrations.beginRegistering(targets);
      return this.signal;
    }
    this.#registrations.beginDeregistering(targets);
    const aborting = new AbortController();
    this.#leaving = { targets, aborting };
    return AbortSignal.any([this.signal, aborting.signal]);
  }

  /** Whatever became of it. */
  endWrite(): void {
    this.#leaving = undefined;
    this.health.endWrite();
    this.#settle();
  }

  /** AWS has carried it out. Returns how long each target has waited for it, in ms. */
  recordWritten(write: Write, targets: readonly Target[]): readonly number[] {
    const nowMs = this.#clock.monotonicMs();
    if (write === 'register') this.#recordRegistered(targets);
    else this.#recordDeregistered(targets);
    this.problems.recordTaken(targets);
    return targets.map((one) => nowMs - (this.#pendingSinceMs.get(nameTarget(one)) ?? nowMs));
  }

  /** AWS does not take these: it does not have them either. */
  recordRefused(targets: readonly Target[]): void {
    this.#registrations.recordDeregistered(targets);
    this.#settle();
  }

  /** AWS has no such group now: nothing is written before a read has found it again. */
  recordAbsence(): void {
    this.#isKnown = false;
    this.#isUrgent = true;
    this.#registrations.clear();
    this.problems.clearWrites();
    this.#settle();
  }

  /** Returns how many targets others have registered or deregistered. */
  recordHealth(answer: readonly TargetHealth[], read: HealthRead): number {
    const isFirst = !this.#isKnown;
    if (!this.health.record(answer, read) && !isFirst) return 0;
    const drifted = this.#registrations.replace(listRegistered(answer));
    this.#isKnown = true;
    if (isFirst && !this.#served.isUnused) this.#graces.recordShown(this.#desired, answer);
    this.#settle();
    return isFirst ? 0 : drifted;
  }

  /** Reads AWS's word on a pod, which has been up since then. */
  report(pod: TargetPod, upSinceMs: number): TargetReport {
    const { health, problems } = this;
    const { isUnused = false } = this.#served;
    const own = { desired: this.#desired, registrations: this.#registrations, isUnused };
    const times = { upSinceMs, nowMs: this.#clock.monotonicMs() };
    return reportPod(pod, { ...own, health, problems }, times);
  }

  #recordRegistered(targets: readonly Target[]): void {
    this.#registrations.recordRegistered(targets);
    this.health.recordRegistered(targets.map(nameTarget));
  }

  #recordDeregistered(targets: readonly Target[]): void {
    this.#registrations.recordDeregistered(targets);
    this.health.recordDeregistered(targets.map(nameTarget));
  }

  #plan(): FlushPlan {
    const nowMs = this.#clock.monotonicMs();
    const facts: FlushFacts = {
      ...this.#graces.describe(this.#desired),
      registrations: this.#registrations,
      readCheck: (name) => this.health.readCheck(name),
      refusedUntilMs: (target) => this.problems.refusedUntilMs(target),
      surplusSinceMs: (target) => this.#pendingSinceMs.get(nameTarget(target)) ?? nowMs,
    };
    return planFlush(facts, nowMs);
  }

  #listRegistered(): readonly string[] {
    return [...this.#desired.targets.keys()].filter((name) => this.#registrations.has(name));
  }

  /** Keeps what follows from desired and registered targets. */
  #settle(): void {
    const nowMs = this.#clock.monotonicMs();
    const missing = this.#registrations.listMissing(this.#desired.targets);
    this.#isFilled ||= this.#isKnown && this.#desired.targets.size > 0 && missing.length === 0;
    const before = new Map(this.#pendingSinceMs);
    this.#pendingSinceMs.clear();
    for (const name of [...missing, ...this.listSurplus()].map(nameTarget)) {
      this.#pendingSinceMs.set(name, before.get(name) ?? nowMs);
    }
  }
}
