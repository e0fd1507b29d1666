import { compareVersions } from '../core/kube-object.ts';

interface Waiter {
  readonly resourceVersion: string;
  readonly settle: (hasReached: boolean) => void;
}

/** How far a cache has seen its collection change, and who waits for it to get further. */
export class SeenVersion {
  readonly #waiters = new Set<Waiter>();
  #seen: string | undefined;
  #rewinds = 0;

  /** How often `jump` has gone back. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** Number of callers that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Moves forward, never back. */
  advance(resourceVersion: string): void {
    if (this.#hasSeen(resourceVersion)) return;
    this.jump(resourceVersion);
  }

  /** Moves to where a fresh list says that the world is, back as well: after etcd was restored. */
  jump(resourceVersion: string): void {
    if (this.#seen !== undefined && compareVersions(resourceVersion, this.#seen) < 0)
      this.#rewinds++;
    this.#seen = resourceVersion;
    for (const waiter of this.#waiters) {
      if (this.#hasSeen(waiter.resourceVersion)) waiter.settle(true);
    }
  }

  /** True once `resourceVersion` was seen, false when the signal aborts first. */
  reach(resourceVersion: string, signal: AbortSignal): Promise<boolean> {
    if (this.#hasSeen(resourceVersion)) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onAbort = (): void => waiter.settle(false);
      const waiter: Waiter = {
        resourceVersion,
        settle: (hasReached) => {
          this.#waiters.delete(waiter);
          signal.removeEventListener('abort', onAbort);
          resolve(hasReached);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #hasSeen(resourceVersion: string): boolean {
    return this.#seen !== undefined && compareVersions(this.#seen, resourceVersion) >= 0;
  }
}
