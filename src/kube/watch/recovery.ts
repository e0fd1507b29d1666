import { addJitter, type Clock } from '../../core/ports/clock.ts';
import { isConnectTimeout, KubeError } from '../client/kube-error.ts';
import { JsonLinesError } from './json-lines.ts';
import { WatchBroken, WatchErrorEvent, WatchSilent } from './watch.ts';

/** The next step of a reflector after a list or watch that failed. */
export interface Recovery {
  /** True: the position is lost, read the whole collection again. */
  readonly isRelist: boolean;
  /**
   * now: the failure has taken its time already. soon: the same, of an outage. backoff: growing delay. patient: a
   * right must be granted or a definition installed, so retry regularly. expiry: at once the first time.
   */
  readonly pace: 'now' | 'soon' | 'backoff' | 'patient' | 'expiry';
  readonly retryAfterMs?: number;
  /** The server does not know sendInitialEvents, or it did not work this time: list in pages. */
  readonly pages?: 'always' | 'once';
}

/** A watch that ended at once without an event: repeating it at once would be a hot loop. */
export class WatchTooShort extends Error {
  constructor() {
    super('the watch ended within a second without an event');
    this.name = 'WatchTooShort';
  }
}

/** The watch ended before the state it began with was complete. */
export class InitialStateIncomplete extends Error {
  constructor() {
    super('the watch ended before the initial state was complete');
    this.name = 'InitialStateIncomplete';
  }
}

/** A watch that lived so long was a healthy one, its end is no reason to wait. */
export const HEALTHY_WATCH_MS = 1000;

/**
 * The reflector's one decision table. `isInitial`: the failed request was a watch that was to send
 * the whole state first.
 */
export function decideRecovery(error: unknown, isInitial: boolean): Recovery {
  if (error instanceof KubeError) return decideAfterAnswer(error, isInitial);
  if (error instanceof WatchErrorEvent) return decideAfterEvent(error.status);
  if (isConnectTimeout(error)) return { isRelist: false, pace: 'soon' };
  if (error instanceof JsonLinesError) return { isRelist: true, pace: 'backoff' };
  if (isInitial && isStreamFailure(error))
    return { isRelist: true, pace: 'backoff', pages: 'once' };
  return { isRelist: false, pace: wasHealthy(error) ? 'now' : 'backoff' };
}

/** A stream that cannot carry the whole state to its end may still do for changes. */
function isStreamFailure(error: unknown): boolean {
  return (
    error instanceof InitialStateIncomplete ||
    error instanceof WatchBroken ||
    error instanceof WatchSilent
  );
}

function wasHealthy(error: unknown): boolean {
  if (error instanceof WatchSilent) return true;
  return error instanceof WatchBroken && error.livedMs >= HEALTHY_WATCH_MS;
}

/** The server refused the request; unless it names the position as the cause, that is still good. */
function decideAfterAnswer(error: KubeError, isInitial: boolean): Recovery {
  if (isPositionLost(error)) return { isRelist: true, pace: 'expiry' };
  switch (error.status) {
    case 401:
    case 403:
    case 404:
      return { isRelist: false, pace: 'patient' };
    case 400:
    case 422:
      return isInitial
        ? { isRelist: true, pace: 'now', pages: 'always' }
        : { isRelist: true, pace: 'backoff' };
    default:
      return { isRelist: false, pace: 'backoff', ...pickRetryAfter(error) };
  }
}

function decideAfterEvent(status: KubeError): Recovery {
  if (isPositionLost(status)) return { isRelist: true, pace: 'expiry' };
  return { isRelist: status.status !== 429, pace: 'backoff', ...pickRetryAfter(status) };
}

/** Too old: https://kubernetes.io/docs/reference/using-api/api-concepts/#410-gone-responses */
function isPositionLost(error: KubeError): boolean {
  return error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone';
}

function pickRetryAfter(error: KubeError): { readonly retryAfterMs?: number } {
  return error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };
}

const FIRST_MS = 800;
/** Of the delay drawn, with its jitter: after an outage every kind is back within 10 s, a refusal included. */
const CAP_MS = 8000;
const JITTER = 0.5;
const FORGIVEN_AFTER_MS = 120_000;

/**
 * The delays of one reflector. What fails in another way than before begins with short ones again:
 * an API server that comes up refuses at first, and what it refuses would wait as if it were still away.
 */
export class ReflectorDelays {
  readonly #clock: Clock;
  readonly #backoffs = new Map<string, ReflectorBackoff>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one more failure and draws the delay, in ms. */
  drawMs({ pace, retryAfterMs }: Recovery): number {
    switch (pace) {
      case 'now':
        return 0;
      case 'soon':
        return addJitter(this.#clock, FIRST_MS, JITTER);
      case 'expiry':
        return this.#select(pace).drawDelayMsAfterFree();
      case 'patient':
        return this.#select(pace).drawDelayMs();
      case 'backoff':
        if (retryAfterMs === undefined) return this.#select(pace).drawDelayMs();
        return Math.max(
          this.#select('asked to wait').drawDelayMs(),
          addJitter(this.#clock, retryAfterMs, 0.2),
        );
    }
  }

  #select(cause: string): ReflectorBackoff {
    const known = this.#backoffs.get(cause);
    if (known !== undefined) return known;
    const backoff = new ReflectorBackoff(this.#clock);
    this.#backoffs.set(cause, backoff);
    return backoff;
  }
}

/**
 * Delays of 0.8 s, doubled up to the cap, and reset only after two minutes without need:
 * a server that comes up for a moment and goes down again is not greeted by a hot loop.
 */
class ReflectorBackoff {
  readonly #clock: Clock;
  #failures = 0;
  #neededAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  drawDelayMs(): number {
    const failures = this.#count();
    const baseMs = Math.min(FIRST_MS * 2 ** failures, CAP_MS / (1 + JITTER));
    return addJitter(this.#clock, baseMs, JITTER);
  }

  /** The same, but the first failure is free. */
  drawDelayMsAfterFree(): number {
    if (this.#isForgiven()) {
      this.#failures = 0;
      this.#neededAtMs = this.#clock.monotonicMs();
      return 0;
    }
    return this.drawDelayMs();
  }

  #count(): number {
    if (this.#isForgiven()) this.#failures = 0;
    this.#neededAtMs = this.#clock.monotonicMs();
    return this.#failures++;
  }

  #isForgiven(): boolean {
    return this.#clock.monotonicMs() - this.#neededAtMs > FORGIVEN_AFTER_MS;
  }
}
