import { type Clock, sleep } from '../../core/ports/clock.ts';
import { hasReason, type OperatorError } from '../../core/reconcile/operator-error.ts';
import type { Budget } from '../budget/budget.ts';
import type { AwsCall } from './aws-call.ts';
import { isWrite } from './operations.ts';

export interface PatienceOptions {
  readonly clock: Clock;
  /** A longer outage fails what is asked. */
  readonly longestOutageMs: number;
  /**
   * How long throttles and a spent budget are waited for without an answer to any of these calls: of many that wait, each
   * is refused only now and then.
   */
  readonly longestThrottleMs: number;
}

/** Where the failure does not state its time. */
const PAUSE_MS = 2_000;

/** For calls that block nobody else: they outlast throttles, a spent budget and a short outage. */
export class Patience {
  readonly #options: PatienceOptions;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** Undefined: nothing was refused since the last answer. */
  #throttledSinceMs: number | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  async outlast<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock } = this.#options;
    let downSinceMs: number | undefined;
    for (;;) {
      const startedMs = clock.monotonicMs();
      try {
        const answer = await ask();
        this.#recordAnswer();
        return answer;
      } catch (error) {
        downSinceMs = isOutage(error) ? (downSinceMs ?? clock.monotonicMs()) : undefined;
        const waitMs = this.#chooseWaitMs(error, { startedMs, downSinceMs });
        if (waitMs === undefined) throw error;
        await sleep(clock, waitMs, signal);
      }
    }
  }

  #chooseWaitMs(error: unknown, since: Since): number | undefined {
    const isHeld = hasReason(error, 'BudgetExhausted', 'Throttled');
    if (!isHeld && !isOutage(error)) this.#recordAnswer();
    const isWaitedFor = isHeld ? this.#outlastsThrottle(since) : this.#outlastsOutage(error, since);
    return isWaitedFor ? ((error as OperatorError).retryAfterMs ?? PAUSE_MS) : undefined;
  }

  #recordAnswer(): void {
    this.#answeredAtMs = this.#options.clock.monotonicMs();
    this.#throttledSinceMs = undefined;
  }

  /** The attempt may have begun long before the last answer, and waited for its tokens. */
  #outlastsThrottle({ startedMs }: Since): boolean {
    const { clock, longestThrottleMs } = this.#options;
    this.#throttledSinceMs ??= Math.max(startedMs, this.#answeredAtMs);
    return clock.monotonicMs() - this.#throttledSinceMs < longestThrottleMs;
  }

  #outlastsOutage(error: unknown, { downSinceMs = 0 }: Since): boolean {
    const { clock, longestOutageMs } = this.#options;
    return isOutage(error) && clock.monotonicMs() - downSinceMs < longestOutageMs;
  }
}

/** When the attempt began, and the outage. */
interface Since {
  readonly startedMs: number;
  readonly downSinceMs: number | undefined;
}

function isOutage(error: unknown): error is OperatorError {
  return hasReason(error, 'AwsUnavailable', 'AwsUnreachable');
}

/** A write is sent while what was read for it holds, so it does not wait. */
export function waitForReads(call: AwsCall, patience: Patience): AwsCall {
  return (operation, input, options) => {
    const ask = () => call(operation, input, options);
    const { signal = new AbortController().signal } = options;
    return isWrite(operation) ? ask() : patience.outlast(ask, signal);
  };
}

/** For a process that makes plans and does not carry them out. */
export function waitForPlans(
  budget: Pick<Budget, 'reserve'>,
  patience: Patience,
): Pick<Budget, 'reserve'> {
  return {
    reserve: (operations, requester, signal) =>
      patience.outlast(() => budget.reserve(operations, requester, signal), signal),
  };
}
