import { STALENESS_BOUND_MS } from '../../aws/load-balancers.ts';
import type { Clock } from '../../core/clock.ts';
import type { Key } from '../../core/kube-object.ts';
import type { Drift } from './drift.ts';

interface NamedArn {
  readonly arn: string;
  readonly name: string;
}

/** Restores and recreations come one at a time; more than this many from one UID are a quarrel. */
const TAKEOVERS_IN_A_ROW = 3;
const QUARREL_MS = 3_600_000;

interface Mended {
  readonly arn: string;
  readonly step: Drift;
  readonly atMs: number;
}

/**
 * What the controller keeps in memory for each object. All of it may be lost at any time: a restart
 * costs a longer wait or one more read, never a wrong write.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #objects = new Map<Key, { readonly uid: string; readonly memory: ObjectMemory }>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Another UID is another object, of which an earlier one of the same name proves nothing. */
  of(key: Key, uid: string): ObjectMemory {
    const known = this.#objects.get(key);
    if (known?.uid === uid) return known.memory;
    const memory = new ObjectMemory(this.#clock, this.#startedMs);
    this.#objects.set(key, { uid, memory });
    return memory;
  }

  forget(key: Key): void {
    this.#objects.delete(key);
  }

  get size(): number {
    return this.#objects.size;
  }
}

/** What is remembered of one object. */
export class ObjectMemory {
  readonly #clock: Clock;
  readonly #startedMs: number;
  /** The last create of this process, when it ended (monotonic ms), and what it answered. */
  #created: { readonly arn: string | undefined; readonly atMs: number } | undefined;
  /** Since when every look found nothing of ours. */
  #absentSinceMs: number | undefined;
  /** What this process has lately changed on which balancer. */
  #mended: readonly Mended[] = [];
  /** From which UIDs this process has lately taken the balancer over, once for each time. */
  #takeovers: readonly { readonly uid: string; readonly atMs: number }[] = [];
  #provisioningSinceMs: number | undefined;
  #attributesDueAtMs: number | undefined;
  /** The balancer that this process deleted, or whose ownership tags it took off. */
  #released: (NamedArn & { readonly atMs: number }) | undefined;

  constructor(clock: Clock, startedMs: number) {
    this.#clock = clock;
    this.#startedMs = startedMs;
  }

  hasCreated(arn: string): void {
    const atMs = this.#clock.monotonicMs();
    this.#created = { arn, atMs };
    this.#provisioningSinceMs = atMs;
  }

  /** A create that failed may have been carried out all the same. */
  mayHaveCreated(): void {
    this.#created = { arn: undefined, atMs: this.#clock.monotonicMs() };
  }

  /** True while reads of this balancer may be older than its creation by this process. */
  isFresh(arn: string): boolean {
    const created = this.#created;
    if (created === undefined || (created.arn ?? arn) !== arn) return false;
    return this.#isRecent(created.atMs);
  }

  /**
   * As `isFresh`, and while an earlier process may have created it a moment before this one began, or
   * somebody else a moment before this one adopted it: AWS took our write, so a look that finds
   * nothing may be older than the balancer.
   */
  mayBeFresh(arn: string): boolean {
    const isWritten = this.mendedLately(arn).length > 0;
    return this.isFresh(arn) || isWritten || this.#isRecent(this.#startedMs);
  }

  /** True while a look that finds nothing may be older than what AWS has answered to our create. */
  awaitsOwnCreate(): boolean {
    return this.#created?.arn !== undefined && this.#isRecent(this.#created.atMs);
  }

  hasMended(arn: string, step: Drift): void {
    const mended = { arn, step, atMs: this.#clock.monotonicMs() };
    this.#mended = [...this.#mended.filter(({ atMs }) => this.#isRecent(atMs)), mended];
  }

  /** Changes to this balancer that a look may not show yet, oldest first. */
  mendedLately(arn: string): readonly Drift[] {
    const recent = this.#mended.filter((one) => one.arn === arn && this.#isRecent(one.atMs));
    return recent.map(({ step }) => step);
  }

  hasTakenOver(uid: string): void {
    const atMs = this.#clock.monotonicMs();
    this.#takeovers = [
      ...this.#takeovers.filter((one) => atMs - one.atMs < QUARREL_MS),
      { uid, atMs },
    ];
  }

  /** True when the object with this UID takes the balancer back as often as it is taken over. */
  quarrelsWith(uid: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const recent = this.#takeovers.filter(({ atMs }) => nowMs - atMs < QUARREL_MS);
    return recent.filter((one) => one.uid === uid).length >= TAKEOVERS_IN_A_ROW;
  }

  hasReleased({ arn, name }: NamedArn): void {
    this.#released = { arn, name, atMs: this.#clock.monotonicMs() };
  }

  released(): NamedArn | undefined {
    return this.#released;
  }

  /** True while a look that still finds the balancer ours may be older than its release. */
  hasJustReleased(arn: string): boolean {
    return this.#released?.arn === arn && this.#isRecent(this.#released.atMs);
  }

  /** Counts one look that found nothing of ours; returns how much longer to doubt it, in ms. */
  doubtAbsenceMs(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#absentSinceMs ??= nowMs;
    return Math.max(0, this.#absentSinceMs + STALENESS_BOUND_MS - nowMs);
  }

  /** A look found the balancer: earlier looks that did not were stale. */
  wasSeen(): void {
    this.#absentSinceMs = undefined;
  }

  provisioningForMs(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#provisioningSinceMs ??= nowMs;
    return nowMs - this.#provisioningSinceMs;
  }

  /** After a restart the first look is spread over one interval. */
  areAttributesDue(intervalMs: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#attributesDueAtMs ??= nowMs + this.#clock.random() * intervalMs;
    return this.#attributesDueAtMs <= nowMs;
  }

  sawAttributes(intervalMs: number): void {
    this.#attributesDueAtMs = this.#clock.monotonicMs() + intervalMs;
  }

  #isRecent(atMs: number): boolean {
    return this.#clock.monotonicMs() - atMs < STALENESS_BOUND_MS;
  }
}
