import type { Clock } from '../core/clock.ts';

/** The server was to end the watch and did not: the connection is dead although nobody closed it. */
export class WatchSilent extends Error {
  constructor(silentMs: number) {
    super(`the watch did not end in time and was silent for ${silentMs} ms`);
    this.name = 'WatchSilent';
  }
}

export interface Watchdog {
  /** Aborts with WatchSilent, and together with the parent signal. */
  readonly signal: AbortSignal;
  /** The same bytes; each chunk proves that the connection lives. */
  guard(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  release(): void;
}

/** Silence for so long after a watch was to end. */
const GRACE_MS = 5_000;

/**
 * A half-open connection looks like a quiet one. Bookmarks come only about every minute
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks), so a watch is asked
 * to end after a shorter time, and one that does not end then is dead.
 */
export function startWatchdog(options: {
  readonly clock: Clock;
  /** How long the server lets the watch live. */
  readonly lifetimeMs: number;
  readonly signal: AbortSignal;
}): Watchdog {
  const { clock, lifetimeMs, signal: parent } = options;
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  let lastByteAtMs = clock.monotonicMs();
  let cancel = (): void => {};
  const arm = (delayMs: number): void => {
    cancel = clock.setTimer(delayMs, () => {
      const silentMs = clock.monotonicMs() - lastByteAtMs;
      if (silentMs >= GRACE_MS) controller.abort(new WatchSilent(silentMs));
      else arm(GRACE_MS - silentMs);
    });
  };
  arm(lifetimeMs + GRACE_MS);
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
