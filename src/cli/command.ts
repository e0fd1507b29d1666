// Lives here: the command line `albridge` (`kubectl albridge`): arguments, cluster access, errors; commands/ has a file for each command.
// May import it: src/cli.
// Start with: this file, the form of a command; then run.ts.

import type { Clock } from '../core/ports/clock.ts';
import type { ClusterAccess } from './cluster.ts';
import type { Output } from './output/output.ts';
import type { Flags, Surroundings } from './surroundings.ts';

/** A command as data, so that parsing, help, completion and the docs derive from one table. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** The arguments after the name, such as `[KIND/NAME]`; empty where there are none. */
  readonly operands: OperandDoc;
  /** More than the summary, for `--help`. */
  readonly details?: string;
  readonly examples: readonly ExampleDoc[];
  /** Besides `commonOptions`. */
  readonly options: Options;
  /** Resolves with the exit code. Throws CommandError or OperatorError for what went wrong. */
  run(context: CommandContext): Promise<number>;
}

export interface OperandDoc {
  readonly usage: string;
  readonly min: number;
  readonly max: number;
  /** The only words that it takes. */
  readonly choices?: readonly string[];
  /** Other words that completion offers. */
  readonly hints?: readonly string[];
}

interface ExampleDoc {
  /** Without the name of the program: `status myingress/web`. */
  readonly line: string;
  readonly what: string;
}

export interface OptionDoc {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** The word for its value in the help, such as `NAME`. */
  readonly value?: string;
  readonly help: string;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
}

export type Options = Readonly<Record<string, OptionDoc>>;

/** Everything that a command gets: arguments, environment, terminal, time. */
export interface CommandContext {
  readonly operands: readonly string[];
  readonly flags: Flags;
  readonly surroundings: Surroundings;
  readonly output: Output;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** All commands, for completion. */
  readonly commands: readonly Command[];
  /** Reads the kubeconfig at the first call; closed after the command. */
  readonly cluster: () => ClusterAccess;
}

/** The options of every command. */
export const commonOptions = {
  output: {
    type: 'string',
    short: 'o',
    value: 'FORMAT',
    choices: ['table', 'json', 'yaml'],
    help: 'table, json or yaml (default table)',
  },
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAMESPACE',
    help: 'the namespace (default that of the context)',
  },
  'all-namespaces': { type: 'boolean', short: 'A', help: 'all namespaces' },
  context: { type: 'string', value: 'NAME', help: 'another context of the kubeconfig' },
  kubeconfig: { type: 'string', value: 'PATH', help: 'another kubeconfig (default $KUBECONFIG)' },
  help: { type: 'boolean', short: 'h', help: 'this text' },
} as const satisfies Options;
