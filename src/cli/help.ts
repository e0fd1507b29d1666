import type { Command, OptionDoc, Options } from './command.ts';
import { commonOptions } from './options.ts';
import { formatTable } from './output/table.ts';

/** The texts of `--help`, from the table of commands. */

export function formatOverview(commands: readonly Command[], version: string): string {
  const list = formatTable(commands.map(({ name, summary }) => [`  ${name}`, summary]));
  return `albridge ${version}: asks a cluster and an AWS account about the objects of albridge.

Usage: albridge COMMAND [options]

Commands:
${list}
albridge COMMAND --help has the options and examples of one. As kubectl-albridge on the PATH the same
program is "kubectl albridge". --version prints the version.

Options of every command:
${formatOptions(commonOptions)}
Exit codes: 0 done; 1 failed, or a check failed; 2 plan: something would change; 64 wrong arguments;
130 interrupted.
`;
}

export function formatCommandHelp(command: Command): string {
  const { name, summary, operands, details, examples, options } = command;
  const own = Object.keys(options).length === 0 ? '' : `\nOptions:\n${formatOptions(options)}`;
  const lines = examples.map(
    ({ line, what }) => `  # ${what}
  albridge ${line}
`,
  );
  return `${summary}

Usage: ${`albridge ${name} ${operands.usage}`.trim()} [options]
${details === undefined ? '' : `\n${details}\n`}
Examples:
${lines.join('')}${own}
Options of every command:
${formatOptions(commonOptions)}`;
}

function formatOptions(options: Options): string {
  return formatTable(
    Object.entries(options).map(([name, doc]) => [`  ${formatOption(name, doc)}`, doc.help]),
  );
}

function formatOption(name: string, { short, value }: OptionDoc): string {
  const long = `--${name}${value ? ` ${value}` : ''}`;
  return short ? `-${short}, ${long}` : `    ${long}`;
}
