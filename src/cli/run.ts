import manifest from '../../package.json' with { type: 'json' };
import { raceAbort } from '../core/ports/clock.ts';
import { type Invocation, readArguments } from './arguments.ts';
import { type ClusterAccess, openCluster } from './cluster.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands/commands.ts';
import { describeError, exitCodes, UsageError } from './errors.ts';
import { formatCommandHelp, formatOverview } from './help.ts';
import { escapeText } from './output/escape.ts';
import { type Format, Output } from './output/output.ts';
import type { Surroundings } from './surroundings.ts';

type Run = Extract<Invocation, { readonly kind: 'run' }>;

/** Runs one command line. Resolves with the exit code and never rejects. */
export async function runCommandLine(
  args: readonly string[],
  surroundings: Surroundings,
  commands: readonly Command[] = COMMANDS,
): Promise<number> {
  const { stdout, stderr, signal } = surroundings;
  try {
    const invocation = readArguments(args, commands);
    if (invocation.kind === 'run') return await runCommand(invocation, surroundings, commands);
    stdout.write(answerQuestion(invocation, commands));
    return exitCodes.done;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    stderr.write(`albridge: ${escapeText(describeError(error))}\n`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
  }
}

function answerQuestion(
  invocation: Exclude<Invocation, Run>,
  commands: readonly Command[],
): string {
  if (invocation.kind === 'version') return `${manifest.version}\n`;
  if (invocation.command) return formatCommandHelp(invocation.command);
  return formatOverview(commands, manifest.version);
}

async function runCommand(
  { command, flags, operands }: Run,
  surroundings: Surroundings,
  commands: readonly Command[],
): Promise<number> {
  const { stdout, env, clock, signal } = surroundings;
  const format = (flags.text('output') ?? 'table') as Format;
  const output = new Output(format, stdout, env);
  let access: ClusterAccess | undefined;
  const cluster = (): ClusterAccess => (access ??= openCluster(flags, surroundings));
  const context = { operands, flags, surroundings, output, signal, clock, commands, cluster };
  try {
    return await raceAbort(command.run(context), signal);
  } finally {
    await access?.close();
  }
}
