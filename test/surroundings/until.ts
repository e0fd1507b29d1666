import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again until `look` gives something; throws a sentence with what was seen last when
 * `timeoutMs` is over. The time is for a machine that is busy with everything else, not for a quiet
 * one, and ends before that of a test, whose own words would tell nothing.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  timeoutMs = 120_000,
): Promise<T> {
  const startedMs = performance.now();
  let lastError: unknown;
  while (performance.now() - startedMs < timeoutMs) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
    } catch (error) {
      lastError = error;
    }
    await sleep(100);
  }
  throw new Error(`${what}: not within ${timeoutMs / 1000} s`, { cause: lastError });
}

/** For counting what happens in a while: there is nothing to wait for but the time. */
export function quietFor(ms: number): Promise<void> {
  return sleep(ms);
}
