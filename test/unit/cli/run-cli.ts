import type { Command } from '../../../src/cli/command.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import type { Environment } from '../../../src/cli/surroundings.ts';
import { systemClock } from '../../../src/system-clock.ts';

export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CliOptions {
  readonly env?: Environment;
  readonly commands?: readonly Command[];
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
  /** Called after each text on stderr, for a command that goes on until it is interrupted. */
  readonly onStderr?: () => void;
}

/** Runs one command line in this process, without the caller's environment. */
export async function runCli(
  args: readonly string[],
  { env = {}, commands, isTerminal = false, signal, onStderr }: CliOptions = {},
): Promise<CliRun> {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts): { isTTY: boolean; write(text: string): void } => ({
    isTTY: isTerminal,
    write: (text) => {
      texts[name] += text;
      if (name === 'stderr') onStderr?.();
    },
  });
  const exitCode = await runCommandLine(
    args,
    {
      env,
      homeDirectory: '/nonexistent',
      stdin: process.stdin,
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      clock: systemClock,
      signal: signal ?? new AbortController().signal,
    },
    commands,
  );
  return { exitCode, ...texts };
}
