import type { Clock } from '../core/clock.ts';

/** No byte came for too long: the connection is dead although nobody closed it. */
export class WatchSilent extends Error {
  constructor(idleMs: number) {
    super(`no byte of the watch in ${idleMs} ms`);
    this.name = 'WatchSilent';
  }
}

export interface Watchdog {
  /** Aborts with WatchSilent after the silence, and together with the parent signal. */
  readonly signal: AbortSignal;
  /** The same bytes; each chunk proves that the connection lives. */
  guard(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  release(): void;
}

/**
 * A half-open connection looks like a quiet one, but a quiet watch still gets a bookmark about
 * every minute (https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks).
 * One timer is armed anew only when it fires, so a chunk costs no timer.
 */
export function startWatchdog(options: {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly signal: AbortSignal;
}): Watchdog {
  const { clock, idleMs, signal: parent } = options;
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  let lastByteAtMs = clock.monotonicMs();
  let cancel = (): void => {};
  const arm = (delayMs: number): void => {
    cancel = clock.setTimer(delayMs, () => {
      const silentMs = clock.monotonicMs() - lastByteAtMs;
      if (silentMs >= idleMs) controller.abort(new WatchSilent(idleMs));
      else arm(idleMs - silentMs);
    });
  };
  arm(idleMs);
  if (parent.aborted) follow();
  parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    async *guard(body) {
      for await (const chunk of body) {
        lastByteAtMs = clock.monotonicMs();
        yield chunk;
      }
    },
    release: () => {
      cancel();
      parent.removeEventListener('abort', follow);
    },
  };
}
