// Lives here: the ports of the core, and the functions that only need one: clock, cache, writers, events, leadership, logger, metrics.
// May import it: everyone. src/kube, src/telemetry and src/system-clock.ts implement it, test/fakes too.
// Start with: clock.ts, then cache.ts and writers.ts.

/**
 * Time and chance as a port. Nothing outside the implementation of this interface and the two
 * transport adapters may read a clock, arm a timer or draw a random number: that is what lets a
 * test run the whole operator under virtual time and one seed.
 */
export interface Clock {
  /** Wall clock in epoch milliseconds; for times that people see or that are stored. */
  now(): number;
  /** Milliseconds that never go backwards; for durations and deadlines inside this process. */
  monotonicMs(): number;
  /** Calls `fire` once after `delayMs` (clamped to 0..MAX_TIMER_MS). Returns the cancel function. */
  setTimer(delayMs: number, fire: () => void): () => void;
  /** A number in [0, 1). */
  random(): number;
}

/** Node fires a longer timer after 1 ms (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `delayMs`; rejects with the signal's reason as soon as the signal aborts. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.setTimer(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** `baseMs` plus a random share of up to `factor` of it: jitter(c, 1000, 0.2) is 1000..1200 ms. */
export function addJitter(clock: Clock, baseMs: number, factor: number): number {
  return baseMs * (1 + factor * clock.random());
}

/** Eight random hexadecimal digits. */
export function drawHex8(clock: Pick<Clock, 'random'>): string {
  return Math.floor(clock.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}

/** A random UUID: https://www.rfc-editor.org/rfc/rfc9562#section-5.4 */
export function drawUuid(clock: Pick<Clock, 'random'>): string {
  const hex = Array.from({ length: 4 }, () => drawHex8(clock)).join('');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20)].join('-');
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** It was met: from here on the signal follows its parent alone. */
  readonly meet: () => void;
  /** Frees the clock and the parent of it. */
  readonly release: () => void;
}

/** An AbortSignal that aborts after `delayMs` or together with `parent`. */
export function startDeadline(
  clock: Pick<Clock, 'setTimer'>,
  delayMs: number,
  parent?: AbortSignal,
): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) follow();
  parent?.addEventListener('abort', follow, { once: true });
  const meet = clock.setTimer(delayMs, () => controller.abort(new DeadlineExceeded(delayMs)));
  const release = (): void => {
    meet();
    parent?.removeEventListener('abort', follow);
  };
  return { signal: controller.signal, meet, release };
}

/** The reason of a signal made by `startDeadline` when its time ran out. */
export class DeadlineExceeded extends Error {
  constructor(afterMs: number) {
    super(`deadline of ${afterMs} ms exceeded`);
    this.name = 'DeadlineExceeded';
  }
}

/** Settles like `work`, or rejects with the signal's reason if it aborts first; `work` itself continues. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
