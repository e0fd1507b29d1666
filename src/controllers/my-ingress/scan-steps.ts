import { type Clock, sleep } from '../../core/ports/clock.ts';

/** Compared at once, in a millisecond or two; then other work runs. */
const AT_ONCE = 25;

/** For thousands of items: the event loop is never blocked for long. */
export async function forEachInTurns<T>(
  items: readonly T[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  act: (item: T) => void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await sleep(clock, 0, signal);
    act(item);
  }
}

/**
 * For one object of many: undefined where it cannot be read, such as one that an older CRD has admitted. Its pass reports
 * what is wrong.
 */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
