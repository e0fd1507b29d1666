import type { MyApp } from '../../apis/my-app.ts';
import type { Pod } from '../../apis/pod.ts';
import { endedAtMs, podStateKind } from '../../apis/pod-state.ts';
import type { Clock } from '../../core/clock.ts';
import { type Key, keyOf } from '../../core/kube-object.ts';
import { containerNameOf } from './desired-pods.ts';

/**
 * Our wall clock, put forward as far as the end of a pod that was seen lies in our future: times of
 * pods come from the clocks of nodes, and a wait must not last as long as two clocks are apart.
 */
export class NodeTime {
  readonly #clock: Clock;
  readonly #aheadMs = new Map<Key, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Epoch milliseconds, not before the end of any of the pods of this object. */
  nowMs(object: MyApp, pods: readonly Pod[]): number {
    const [key, container] = [keyOf(object), containerNameOf(object)];
    const nowMs = this.#clock.now();
    const ends = pods.filter((pod) => podStateKind(pod) === 'ended');
    const aheadMs = Math.max(
      ends.length === 0 ? 0 : (this.#aheadMs.get(key) ?? 0),
      ...ends.map((pod) => (endedAtMs(pod, container) ?? nowMs) - nowMs),
    );
    if (aheadMs > 0) this.#aheadMs.set(key, aheadMs);
    else this.#aheadMs.delete(key);
    return nowMs + Math.max(0, aheadMs);
  }

  forget(key: Key): void {
    this.#aheadMs.delete(key);
  }
}
