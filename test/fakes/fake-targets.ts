import type {
  ServedGroup,
  Targets,
  TargetsState,
} from '../../src/controllers/my-ingress/targets.ts';
import type { Key } from '../../src/core/objects/kube-object.ts';
import type { Enqueue } from '../../src/core/queue/key-queue.ts';

/** Targets without EndpointSlices: what a test says of a backend, else two healthy targets. */
export class FakeTargets implements Targets {
  readonly published = new Map<Key, readonly ServedGroup[]>();
  readonly #said = new Map<string, Partial<TargetsState>>();
  #enqueue: Enqueue = () => undefined;

  publish(key: Key, groups: readonly ServedGroup[]): void {
    this.published.set(key, groups);
  }

  withdraw(key: Key): void {
    this.published.delete(key);
  }

  read(key: Key): readonly TargetsState[] {
    const counted = (this.published.get(key) ?? []).filter((one) => one.isReplaced !== true);
    return counted.map(({ backend }) => ({
      ...{ backend, isKnown: true, desired: 2, registered: 2, healthy: 2, healthAsOfMs: 0 },
      isFilled: true,
      ...this.#said.get(backend),
    }));
  }

  readForStatus(key: Key): readonly TargetsState[] {
    return this.read(key);
  }

  /** A test may put another one in its place. */
  waitUntilFilled: Targets['waitUntilFilled'] = () => Promise.resolve();

  readonly changes = (enqueue: Enqueue): (() => void) => {
    this.#enqueue = enqueue;
    return () => undefined;
  };

  /** Nothing of what was said of the backend holds any more. */
  unsay(key: Key, backend: string): void {
    this.#said.delete(backend);
    this.#enqueue(key);
  }

  /** What is known of a backend from here on; the object is told. */
  say(key: Key, backend: string, state: Partial<TargetsState>): void {
    this.#said.set(backend, { ...this.#said.get(backend), ...state });
    this.#enqueue(key);
  }
}
