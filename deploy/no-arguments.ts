/** For a command without options: false where it was given any, of which it says so. */
export function isCalledPlainly(
  script: string,
  what: string,
  command = `npm run ${script}`,
): boolean {
  const [argument] = process.argv.slice(2);
  if (argument === undefined) return true;
  const isHelp = argument === '--help';
  if (isHelp) process.stdout.write(`${command}: ${what}; takes no options\n`);
  else
    process.stderr.write(
      `${script}: takes no options, not ${argument}; run with --help for usage\n`,
    );
  process.exitCode = isHelp ? 0 : 2;
  return false;
}

/** One sentence of an error of `parseArgs`: those after the first are about arguments in general. */
export function firstSentence(error: unknown): string {
  const { message } = error as Error;
  const [, option] = /^Option '([^']+)' argument is ambiguous/.exec(message) ?? [];
  if (option !== undefined) {
    return `${option} takes a value; one that begins with a hyphen follows an equals sign (${option}=-1)`;
  }
  return message
    .replace(/\.\s(To specify a positional argument|This command does not take) .*$/s, '')
    .replace(/^(Unknown option|Unexpected argument|Option) /, (start) => start.toLowerCase());
}

/** A whole number from 0 that an option has; NaN for any other text. Of an empty one `Number` makes 0. */
export function wholeNumberIn(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** Of an option that names a directory: resolved, an empty text would be the current one. */
export function refuseEmpty(flag: string, text: string | undefined): void {
  if (text === '') throw new Error(`${flag} takes a directory, not an empty text`);
}
