import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandError } from '../errors.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * Resolves if the caller has typed `count`: on the terminal, or as `--yes-delete` (`typed`) where there is
 * none; nothing is asked where there is nothing to delete. Throws CommandError otherwise.
 */
export async function confirmDeletion(
  count: number,
  typed: string | undefined,
  { stdin, stderr, signal }: Pick<Surroundings, 'stdin' | 'stderr' | 'signal'>,
): Promise<void> {
  if (typed !== undefined) return checkTyped(count, typed);
  if (count === 0) return;
  if (stdin.isTTY !== true) {
    throw new CommandError(
      `nothing was deleted: without a terminal give the number of resources too, --delete --yes-delete ${count}`,
    );
  }
  stderr.write(`Type ${count} to delete ${count === 1 ? 'this resource' : 'these resources'}: `);
  checkTyped(count, await readLine(stdin, signal));
}

/** Empty at the end of the input. */
async function readLine(stdin: Surroundings['stdin'], signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: stdin });
  try {
    const ended = once(lines, 'close').then(() => '');
    return await Promise.race([lines.question('', { signal }), ended]);
  } finally {
    lines.close();
  }
}

/** Throws CommandError where it is not the count. */
function checkTyped(count: number, typed: string): void {
  if (typed.trim() === String(count)) return;
  const next =
    count === 0
      ? 'check that cluster and account are those that you mean'
      : 'compare the list, then give its number';
  throw new CommandError(
    `nothing was deleted: ${count} ${count === 1 ? 'resource' : 'resources'} can be deleted and "${typed.trim()}" was given; ${next}`,
  );
}
