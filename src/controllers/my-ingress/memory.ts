import { STALENESS_BOUND_MS } from '../../aws/load-balancers.ts';
import type { Clock } from '../../core/clock.ts';
import type { Key } from '../../core/kube-object.ts';

interface NamedArn {
  readonly arn: string;
  readonly name: string;
}

interface Remembered {
  /** The balancer that this process created, and when (monotonic ms). */
  created?: { readonly arn: string; readonly atMs: number };
  /** Since when every look found nothing of ours. */
  absentSinceMs?: number;
  provisioningSinceMs?: number;
  attributesDueAtMs?: number;
  /** The balancer that this process deleted, or whose ownership tags it took off. */
  released?: NamedArn;
}

/**
 * What the controller keeps in memory for each object. All of it may be lost at any time: a restart
 * costs a longer wait or one more read, never a wrong write.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #remembered = new Map<Key, Remembered>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  forget(key: Key): void {
    this.#remembered.delete(key);
  }

  hasCreated(key: Key, arn: string): void {
    const created = { arn, atMs: this.#clock.monotonicMs() };
    this.#of(key).created = created;
    this.#of(key).provisioningSinceMs = created.atMs;
  }

  /** True while reads of this balancer may be older than its creation by this process. */
  isFresh(key: Key, arn: string): boolean {
    const created = this.#remembered.get(key)?.created;
    if (created?.arn !== arn) return false;
    return this.#clock.monotonicMs() - created.atMs < STALENESS_BOUND_MS;
  }

  hasReleased(key: Key, { arn, name }: NamedArn): void {
    this.#of(key).released = { arn, name };
  }

  released(key: Key): NamedArn | undefined {
    return this.#remembered.get(key)?.released;
  }

  /** Counts one look that found nothing of ours; returns how much longer to doubt it, in ms. */
  doubtAbsenceMs(key: Key): number {
    const nowMs = this.#clock.monotonicMs();
    const remembered = this.#of(key);
    remembered.absentSinceMs ??= nowMs;
    return Math.max(0, remembered.absentSinceMs + STALENESS_BOUND_MS - nowMs);
  }

  /** A look found the balancer: earlier looks that did not were stale. */
  wasSeen(key: Key): void {
    delete this.#of(key).absentSinceMs;
  }

  provisioningForMs(key: Key): number {
    const nowMs = this.#clock.monotonicMs();
    const remembered = this.#of(key);
    remembered.provisioningSinceMs ??= nowMs;
    return nowMs - remembered.provisioningSinceMs;
  }

  /** After a restart the first look is spread over one interval. */
  areAttributesDue(key: Key, intervalMs: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    const remembered = this.#of(key);
    remembered.attributesDueAtMs ??= nowMs + this.#clock.random() * intervalMs;
    return remembered.attributesDueAtMs <= nowMs;
  }

  sawAttributes(key: Key, intervalMs: number): void {
    this.#of(key).attributesDueAtMs = this.#clock.monotonicMs() + intervalMs;
  }

  #of(key: Key): Remembered {
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const fresh: Remembered = {};
    this.#remembered.set(key, fresh);
    return fresh;
  }
}
