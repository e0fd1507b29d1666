import { type Command, commonOptions, type OptionDoc, type Options } from './command.ts';
import { wrapLine, wrapTable } from './output/wrap.ts';

/** The texts of `--help`, from the table of commands; no line is longer than a terminal of 80 columns. */

const COLUMNS = 80;

function wrapText(text: string): string {
  return wrapLine(text, { columns: COLUMNS, indent: '' });
}

export function formatOverview(commands: readonly Command[], version: string): string {
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary]);
  const list = wrapTable(rows, COLUMNS);
  return `${wrapText(`albridge ${version}: asks a cluster and an AWS account about the objects of albridge.`)}

Usage: albridge COMMAND [options]

Commands:
${list}
albridge COMMAND --help has the options and examples of one. --version prints
the version. As kubectl-albridge on the PATH the same program is "kubectl
albridge".

Options of every command:
${formatOptions(commonOptions)}
Exit codes: 0 done; 1 failed, or a check failed; 2 plan: something would change;
64 wrong arguments; 130 interrupted.
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
  return `${wrapText(summary)}

Usage: ${`albridge ${name} ${operands.usage}`.trim()} [options]
${details === undefined ? '' : `\n${wrapText(details)}\n`}
Examples:
${lines.join('')}${own}
Options of every command:
${formatOptions(commonOptions)}`;
}

function formatOptions(options: Options): string {
  const rows = Object.entries(options).map(([name, doc]) => {
    return [`  ${formatOption(name, doc)}`, doc.help];
  });
  return wrapTable(rows, COLUMNS);
}

function formatOption(name: string, { short, value }: OptionDoc): string {
  const long = `--${name}${value ? ` ${value}` : ''}`;
  return short ? `-${short}, ${long}` : `    ${long}`;
}
