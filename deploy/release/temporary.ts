import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';

const temporary = new Set<string>();
const programs = new Set<ChildProcess>();

/** A program that may write into a temporary directory, and ends with this process. */
export function endWithProcess(program: ChildProcess): void {
  programs.add(program);
  program.once('close', () => programs.delete(program));
}

/** The directory is removed in the end, also where a signal ends the process. */
export async function withTemporary<T>(
  directory: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  if (temporary.size === 0) removeAtSignals();
  temporary.add(directory);
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
    temporary.delete(directory);
  }
}

function removeAtSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      for (const program of programs) program.kill('SIGKILL');
      // One of them may have been writing into it.
      for (const directory of temporary) {
        rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
      }
      process.exit(128 + constants.signals[signal]);
    });
  }
}
