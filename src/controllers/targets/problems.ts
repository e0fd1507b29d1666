import type { Target } from '../../aws/elbv2/traffic.ts';
import { abridge } from '../../core/objects/abridge.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { OperatorError } from '../../core/reconcile/operator-error.ts';
import { type DesireProblem, nameTarget, type TargetMap } from './desired-targets.ts';

interface Problem {
  readonly reason: string;
  readonly message: string;
  /** As `DesireProblem` has it. */
  readonly hasNoPods?: true;
}

export interface TargetsProblem extends Problem {
  /** Monotonic ms: since when there is a problem without interruption. */
  readonly sinceMs: number;
}

/** The two writes, and the read that comes before the first of them. */
export type Action = 'read' | 'register' | 'deregister';

interface Failure {
  /** undefined: nothing is wrong, and it waits. */
  readonly error?: OperatorError;
  /** Monotonic ms. */
  readonly notBeforeMs: number;
  /** Monotonic ms: of the first of the failures in a row. */
  readonly sinceMs: number;
}

/** Failures of one group, each with the time until which it is not tried again. */
export class Problems {
  readonly #clock: Clock;
  readonly #failures = new Map<Action, Failure>();
  /** By target. */
  readonly #refused = new Map<string, Failure>();
  #desire: (DesireProblem & TargetsProblem) | undefined;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notBeforeMs(action: Action): number {
    return this.#failures.get(action)?.notBeforeMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Why the last call of this kind failed; undefined: it did not. */
  findReason(action: Action): string | undefined {
    return this.#failures.get(action)?.error?.reason;
  }

  /** Of a target that AWS has refused. */
  refusedUntilMs(target: Target): number {
    return this.#refused.get(nameTarget(target))?.notBeforeMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Returns whether the failure is another than the one before. */
  recordFailure(action: Action, error: OperatorError, delayMs: number): boolean {
    const before = this.findReason(action);
    this.#failures.set(action, this.#failUntil(error, delayMs, this.#failures.get(action)));
    this.#settle();
    return before !== error.reason;
  }

  /** It has to wait for a turn that nobody waits for: no problem. */
  postpone(action: Action, delayMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#failures.set(action, { notBeforeMs: nowMs + delayMs, sinceMs: nowMs });
    this.#settle();
  }

  recordSuccess(action: Action): void {
    this.#failures.delete(action);
    this.#settle();
  }

  /** Returns whether one of them was not refused for this before. */
  recordRefused(targets: readonly Target[], error: OperatorError, delayMs: number): boolean {
    const before = targets.map((one) => this.#refused.get(nameTarget(one)));
    for (const [index, target] of targets.entries()) {
      this.#refused.set(nameTarget(target), this.#failUntil(error, delayMs, before[index]));
    }
    this.#settle();
    return before.some((one) => one?.error?.reason !== error.reason);
  }

  recordTaken(targets: readonly Target[]): void {
    for (const target of targets) this.#refused.delete(nameTarget(target));
    this.#settle();
  }

  recordDesire(targets: TargetMap, problem: DesireProblem | undefined): void {
    const sinceMs = this.#desire?.sinceMs ?? this.#clock.monotonicMs();
    this.#desire = problem && { ...problem, sinceMs };
    for (const name of this.#refused.keys()) {
      if (!targets.has(name)) this.#refused.delete(name);
    }
    this.#settle();
  }

  /** For a failure of the read that follows: the problem goes on, as one of before if that has failed already. */
  clearWrites(): void {
    this.#failures.delete('register');
    this.#failures.delete('deregister');
    this.#refused.clear();
  }

  /** The one to show: what the Service lacks comes before what AWS did not do. */
  get leading(): TargetsProblem | undefined {
    const problem = this.#find();
    return problem && { ...problem, sinceMs: this.#sinceMs ?? this.#clock.monotonicMs() };
  }

  /** Why the Service gives no targets. */
  get ofService(): TargetsProblem | undefined {
    return this.#desire;
  }

  /** A refusal that a person has to act on: of this target, or of the calls that register or read all of them. */
  findFor(name: string): TargetsProblem | undefined {
    const failures = [
      this.#refused.get(name),
      this.#failures.get('register'),
      this.#failures.get('read'),
    ];
    const [failed] = failures.filter((one) => one?.error?.healedBy === 'person');
    if (failed?.error === undefined) return undefined;
    const { reason, message } = failed.error;
    return { reason, message: `${name}: ${message}`, sinceMs: failed.sinceMs };
  }

  #find(): Problem | undefined {
    if (this.#desire !== undefined) return this.#desire;
    const [error] = [...this.#failures.values()].flatMap((failure) => failure.error ?? []);
    if (error !== undefined) return { reason: error.reason, message: error.message };
    const [refused] = this.#refused.values();
    if (refused?.error === undefined) return undefined;
    const { reason, message } = refused.error;
    return { reason, message: `${abridge([...this.#refused.keys()], 3).join(', ')}: ${message}` };
  }

  #failUntil(error: OperatorError, delayMs: number, before: Failure | undefined): Failure {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = before?.error === undefined ? nowMs : before.sinceMs;
    return { error, notBeforeMs: nowMs + delayMs, sinceMs };
  }

  #settle(): void {
    const hasProblem = this.#find() !== undefined;
    this.#sinceMs = hasProblem ? (this.#sinceMs ?? this.#clock.monotonicMs()) : undefined;
  }
}
