import { COMMANDS } from '../src/cli/commands/commands.ts';
import { formatCommandHelp } from '../src/cli/help.ts';

const HELP = /(<!-- help (\w+) -->\n```text\n)[^]*?(```\n)/g;

/** Puts the help of each command into the block that names it. Throws where a command has no block, or a block no command. */
export function fillHelp(page: string): string {
  const named = new Set([...page.matchAll(HELP)].map(([, , name]) => name));
  const names = new Set(COMMANDS.map((command) => command.name));
  const odd = [...names, ...named].filter((name) => !names.has(name ?? '') || !named.has(name));
  if (odd.length > 0)
    throw new Error(
      `docs/command-line.md and the commands differ in ${odd.join(', ')}: each has one block <!-- help NAME -->`,
    );
  return page.replace(HELP, (...[, begin, name, end]: string[]) => {
    const command = COMMANDS.find((one) => one.name === name);
    return `${begin}${command ? formatOwnHelp(formatCommandHelp(command)) : ''}${end}`;
  });
}

/** Without the options of every command, which the page has once. */
function formatOwnHelp(help: string): string {
  return help.split('\nOptions of every command:\n')[0] ?? help;
}
