import { type Clock, raceAbort, startDeadline } from '../../../core/ports/clock.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { LONGEST_SILENCE_MS } from './decide-gate.ts';

const REPORTED_EACH_MS = 30_000;

interface WaitOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** How many pods wait with it. */
  readonly countPods: () => number;
  readonly signal: AbortSignal;
}

/**
 * Waits until all backends are known, as long as for an answer of AWS at most: on the word of a part of them a pod would
 * be taken for one without a backend. Rollouts stand still meanwhile, so the log says why.
 */
export async function awaitKnown(known: Promise<unknown>, options: WaitOptions): Promise<void> {
  const { clock, countPods, log, signal } = options;
  const limit = startDeadline(clock, LONGEST_SILENCE_MS, signal);
  let cancel = (): void => {};
  const report = (): void => {
    const pods = countPods();
    if (pods > 0) log.info('readiness gates wait for the first drift scan', { pods });
    cancel = clock.setTimer(REPORTED_EACH_MS, report);
  };
  cancel = clock.setTimer(REPORTED_EACH_MS, report);
  await raceAbort(known, limit.signal).catch(() => undefined);
  cancel();
  limit.release();
}
