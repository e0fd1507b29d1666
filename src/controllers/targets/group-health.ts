import { isDeepStrictEqual } from 'node:util';
import { STALENESS_BOUND_MS } from '../../aws/elbv2/load-balancers.ts';
import { describeTargetHealth } from '../../aws/elbv2/target-health.ts';
import type { HealthCheck, TargetHealth } from '../../aws/elbv2/traffic.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { nameTarget } from './desired-targets.ts';
import type { TargetReport } from './gates/target-report.ts';

/** A read of a group's health that is under way. */
export interface HealthRead {
  readonly isQuiet: boolean;
  readonly startedMs: number;
  readonly writes: number;
}

/** The health check of a group. */
export interface Checks {
  /** As AWS has it; undefined: not known. */
  readonly healthCheck?: HealthCheck;
  /** As AWS had it before the pass that publishes it, which may have restored it. */
  readonly observedCheck?: HealthCheck;
}

/** `awaited`: AWS has not answered yet, or checks it for the first time. */
export type Check = 'awaited' | 'healthy' | 'failed';

/** Decides what AWS's answers are about. */
interface Checked extends Checks {
  readonly isUnused?: boolean;
}

/** Between two reads of a group that is not settled: a quarter of its age since the last change, */
const PACE = 1 / 4;
/** but no less than this, */
const FIRST_POLL_MS = 5_000;
/** and no more. */
const SLOWEST_POLL_MS = 60_000;
/** Pods that become Ready by an answer are not slowed down for so long after the last change. */
const AWAITED_MS = 600_000;

/**
 * The answers of AWS about the targets of one group, and when this process has written to it. An answer
 * may be older than a write of the last ten seconds: then it shows health, but not what is registered.
 */
export class GroupHealth {
  readonly #clock: Clock;
  #isUnused = false;
  #shown: ReadonlyMap<string, TargetHealth> = new Map();
  #asOfMs: number | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;
  #changedMs: number;
  /** Another process may have written until now. */
  #lastWriteMs: number;
  #confirmedMs = Number.NEGATIVE_INFINITY;
  /** Until then AWS may still show what was found before an edit (monotonic ms). */
  #settlesAtMs = Number.NEGATIVE_INFINITY;
  #writes = 0;
  #writing = 0;
  /** Targets that AWS showed before the call that registers them was sent. */
  #shownBefore: ReadonlySet<string> = new Set();
  /** From when on an answer is about the target as it is registered now (monotonic ms). */
  readonly #answersFromMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#changedMs = clock.monotonicMs();
    this.#lastWriteMs = clock.monotonicMs();
  }

  /** Wall time in ms of the last answer. */
  get asOfMs(): number | undefined {
    return this.#asOfMs;
  }

  /** When the read of the last answer began (monotonic ms). */
  get askedMs(): number {
    return this.#askedMs;
  }

  /** Reads again where AWS's check has changed, or where it begins or ends to check. */
  recordEdit(before: Checked, now: Checked): void {
    this.#isUnused = now.isUnused === true;
    const isJoining = before.isUnused === true && !now.isUnused;
    const isLeaving = now.isUnused === true && !before.isUnused;
    if (isJoining) {
      this.#shown = new Map();
      this.#asOfMs = undefined;
    }
    const edited = findEdited(before, now);
    if (!isJoining && !isLeaving && edited === undefined) return;
    this.#changedMs = this.#clock.monotonicMs();
    const settleMs = STALENESS_BOUND_MS + (edited === undefined ? 0 : measureCheck(edited));
    this.#settlesAtMs = Math.max(this.#settlesAtMs, this.#changedMs + settleMs);
  }

  beginWrite(): void {
    this.#writes++;
    this.#writing++;
  }

  endWrite(): void {
    this.#writing--;
    this.#lastWriteMs = this.#clock.monotonicMs();
    this.#changedMs = this.#lastWriteMs;
  }

  beginRegistering(names: readonly string[]): void {
    this.#shownBefore = new Set(names.filter((name) => this.#shown.has(name)));
  }

  /**
   * Within the staleness bound a read may show what was registered at the address before. What a read shows after
   * the call was sent is the new target, also before the call is answered.
   */
  recordRegistered(names: readonly string[]): void {
    const nowMs = this.#clock.monotonicMs();
    for (const name of names) {
      const staleMs = this.#shownBefore.has(name) ? STALENESS_BOUND_MS : 0;
      this.#answersFromMs.set(name, nowMs + staleMs);
    }
  }

  recordDeregistered(names: readonly string[]): void {
    for (const name of names) this.#answersFromMs.delete(name);
  }

  /** Reads AWS's word on a registered target of a pod, which has been up since then. */
  judge(name: string, upSinceMs: number): TargetReport {
    // An answer from before the pod was up, or before its target was registered, is about another pod.
    const shown = this.#askedMs < upSinceMs ? undefined : this.#findShown(name);
    return shown === undefined ? { health: 'waiting' } : judgeHealth(shown);
  }

  /** Reads AWS's last answer about the target as it is registered now. Of an unused group AWS checks none. */
  readCheck(name: string): Check {
    const state = this.#isUnused ? undefined : this.#findShown(name)?.state;
    if (state === undefined || state === 'initial') return 'awaited';
    return state === 'healthy' ? 'healthy' : 'failed';
  }

  beginRead(): HealthRead {
    const startedMs = this.#clock.monotonicMs();
    const isQuiet = this.#writing === 0 && startedMs - this.#lastWriteMs >= STALENESS_BOUND_MS;
    return { isQuiet, startedMs, writes: this.#writes };
  }

  /** Returns whether the answer shows what is registered. */
  record(answer: readonly TargetHealth[], read: HealthRead): boolean {
    const shown = new Map(answer.map((one) => [nameTarget(one), one]));
    const hasChanged = [...shown].some(
      ([name, { state }]) => this.#shown.get(name)?.state !== state,
    );
    if (hasChanged) this.#changedMs = this.#clock.monotonicMs();
    this.#shown = shown;
    this.#asOfMs = this.#clock.now();
    this.#askedMs = read.startedMs;
    const isEvidence = read.isQuiet && read.writes === this.#writes;
    if (isEvidence) this.#confirmedMs = read.startedMs;
    return isEvidence;
  }

  countHealthy(names: readonly string[]): number {
    return names.filter((name) => this.#isHealthy(name)).length;
  }

  /** Whether AWS has yet to say of one of them whether it is healthy. */
  isAwaited(names: readonly string[]): boolean {
    return names.some((name) => this.#findShown(name) === undefined);
  }

  /** The worst of those that are not healthy. */
  findUnhealthy(names: readonly string[]): TargetHealth | undefined {
    const found = names.flatMap((name) => this.#findShown(name) ?? []);
    const unhealthy = found.filter(({ state }) => state !== 'healthy');
    return unhealthy.toSorted((one, other) => rankState(one) - rankState(other))[0];
  }

  /**
   * When to read again while these targets are registered; undefined: they are healthy, as AWS has confirmed.
   * `isAwaited`: a pod becomes Ready by the answer.
   */
  nextPollInMs(names: readonly string[], isAwaited: boolean): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (isAwaited && nowMs - this.#changedMs < AWAITED_MS) return FIRST_POLL_MS;
    const isSettling = nowMs < this.#settlesAtMs;
    if (isAwaited || isSettling || !names.every((name) => this.#isHealthy(name))) {
      const paceMs = (nowMs - this.#changedMs) * PACE;
      return Math.min(SLOWEST_POLL_MS, Math.max(FIRST_POLL_MS, paceMs));
    }
    const quietFromMs = this.#lastWriteMs + STALENESS_BOUND_MS;
    if (this.#confirmedMs >= Math.max(quietFromMs, this.#settlesAtMs)) return undefined;
    return Math.max(FIRST_POLL_MS, quietFromMs - nowMs);
  }

  #isHealthy(name: string): boolean {
    return this.#findShown(name)?.state === 'healthy';
  }

  /** Of the target as it is registered now. */
  #findShown(name: string): TargetHealth | undefined {
    const fromMs = this.#answersFromMs.get(name) ?? Number.NEGATIVE_INFINITY;
    return this.#askedMs < fromMs ? undefined : this.#shown.get(name);
  }
}

function judgeHealth(shown: TargetHealth): TargetReport {
  const { state, reason } = shown;
  if (state === 'healthy') return { health: 'healthy' };
  if (state === 'unused' && reason === 'Target.NotInUse') return { health: 'unused' };
  const isRefused = ['unhealthy', 'unused'].includes(state);
  return { health: 'waiting', ...(isRefused && { why: describeTargetHealth(shown) }) };
}

/** Of what is not known nothing has changed. */
function findEdited(before: Checked, now: Checked): HealthCheck | undefined {
  const { healthCheck, observedCheck } = now;
  const known = [before.healthCheck, observedCheck].filter((one) => one !== undefined);
  return known.some((one) => !isDeepStrictEqual(one, healthCheck)) ? healthCheck : undefined;
}

/**
 * How long AWS needs to find a target healthy or unhealthy.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
function measureCheck(check: HealthCheck): number {
  const { intervalSeconds, timeoutSeconds, healthyThreshold, unhealthyThreshold } = check;
  const checks = Math.max(healthyThreshold, unhealthyThreshold);
  return (checks * intervalSeconds + timeoutSeconds) * 1_000;
}

/** From what a person can repair to what passes by itself. */
const STATES: readonly string[] = ['unhealthy', 'unused', 'unavailable', 'initial', 'draining'];

function rankState({ state }: TargetHealth): number {
  return STATES.includes(state) ? STATES.indexOf(state) : 0;
}

/** A draining target is none any more, and may be registered again. */
export function listRegistered(answer: readonly TargetHealth[]): readonly TargetHealth[] {
  return answer.filter(({ state }) => state !== 'draining');
}
