import type { Clock } from '../../core/clock.ts';
import type { Key } from '../../core/kube-object.ts';

/** For how long the rollouts have got on no further. */
export class Progress {
  readonly #clock: Clock;
  readonly #seen = new Map<Key, { readonly progressTime: string; readonly sinceMs: number }>();

  readonly #shrunk = new Map<Key, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * By the time on record, in ms, or by how long this process has seen it there: another process may
   * have written it by a clock that is ahead of this one's.
   */
  idleMs(key: Key, progressTime: string): number {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#seen.get(key);
    const seen = known?.progressTime === progressTime ? known : { progressTime, sinceMs: nowMs };
    this.#seen.set(key, seen);
    return Math.max(nowMs - seen.sinceMs, this.#clock.now() - Date.parse(progressTime));
  }

  /** Whether this owner is taken for scaled down for the first time since a rollout was last over. */
  isFirstShrink(key: Key, owner: string): boolean {
    const owners = this.#shrunk.get(key) ?? new Set<string>();
    const isFirst = !owners.has(owner);
    this.#shrunk.set(key, owners.add(owner));
    return isFirst;
  }

  forget(key: Key): void {
    this.#seen.delete(key);
    this.#shrunk.delete(key);
  }
}
