import type { Clock } from '../core/ports/clock.ts';
import type { TextStream } from './surroundings.ts';

const QUIET_MS = 2_000;

/** Runs `work`; where it takes over two seconds, says on stderr what is being done. */
export async function withProgress<T>(
  what: string,
  { stderr, clock }: { readonly stderr: TextStream; readonly clock: Clock },
  work: () => Promise<T>,
): Promise<T> {
  const cancel = clock.setTimer(QUIET_MS, () => void stderr.write(`${what} ...\n`));
  try {
    return await work();
  } finally {
    cancel();
  }
}
