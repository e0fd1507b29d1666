/** For a command without options: false where it was given any, of which it says so. */
export function isCalledPlainly(script: string, what: string): boolean {
  const [argument] = process.argv.slice(2);
  if (argument === undefined) return true;
  const isHelp = argument === '--help';
  if (isHelp) process.stdout.write(`npm run ${script}: ${what}; takes no options\n`);
  else
    process.stderr.write(
      `${script}: takes no options, not ${argument}; run with --help for usage\n`,
    );
  process.exitCode = isHelp ? 0 : 2;
  return false;
}

/** The first sentence of what `parseArgs` throws; what follows is about positional arguments, or values that begin with a hyphen. */
export function firstSentence(error: unknown): string {
  const { message } = error as Error;
  return message.replace(/\.\s(To specify a positional argument|Did you forget) .*$/s, '');
}
