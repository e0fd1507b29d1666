import { parseArgs } from 'node:util';
import { type Command, commonOptions, type OptionDoc, type Options } from './command.ts';
import { UsageError } from './errors.ts';
import { isNamespaceName } from './objects/names.ts';
import { Flags } from './surroundings.ts';

/** The arguments as a command to run, or as a question for help. */
export type Invocation =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly command?: Command }
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly flags: Flags;
      readonly operands: readonly string[];
    };

/** Options may come before and after the command. Throws UsageError. */
export function readArguments(args: readonly string[], commands: readonly Command[]): Invocation {
  if (args[0] === '--version') return readVersion(args.slice(1));
  const first = findCommandName(args);
  if (first === undefined) return readWithoutCommand(args);
  const name = args[first];
  const rest = args.filter((_, index) => index !== first);
  if (name === 'help') {
    const topic = rest.filter((arg) => arg !== '--help');
    return { kind: 'help', ...findHelpTopic(topic, commands) };
  }
  return readInvocation(findCommand(name ?? '', commands), rest);
}

function readVersion([more]: readonly string[]): Invocation {
  if (more === undefined) return { kind: 'version' };
  throw new UsageError(`"${more}" is one argument too many: albridge --version`);
}

/** The index of the first argument that is neither an option nor an option's value. */
function findCommandName(args: readonly string[]): number | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: toParseOptions(commonOptions),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.find(({ kind }) => kind === 'positional')?.index;
}

function readWithoutCommand(args: readonly string[]): Invocation {
  const version = { type: 'boolean' } as const;
  const { values } = parseStrictly(args, { ...commonOptions, version: { ...version, help: '' } });
  if (values['version'] === true) return { kind: 'version' };
  if (args.length === 0 || values['help'] === true) return { kind: 'help' };
  throw new UsageError('there is no command: albridge --help lists them');
}

function findHelpTopic(
  [name]: readonly string[],
  commands: readonly Command[],
): { readonly command?: Command } {
  return name === undefined ? {} : { command: findCommand(name, commands) };
}

function findCommand(name: string, commands: readonly Command[]): Command {
  const command = commands.find((one) => one.name === name);
  if (command) return command;
  throw new UsageError(`there is no command "${name}": albridge --help lists them`);
}

function readInvocation(command: Command, args: readonly string[]): Invocation {
  const { values, positionals } = parseStrictly(
    args,
    { ...commonOptions, ...command.options },
    command,
  );
  if (values['help'] === true) return { kind: 'help', command };
  checkOperands(command, positionals);
  return { kind: 'run', command, flags: new Flags(values), operands: positionals };
}

function parseStrictly(
  args: readonly string[],
  options: Options,
  command?: Command,
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] } {
  try {
    const parsed = parseArgs({
      args: [...args],
      options: toParseOptions(options),
      strict: true,
      allowPositionals: true,
      tokens: true,
    });
    refuseRepeated(parsed.tokens, command);
    checkValues(parsed.values, options, command);
    return parsed;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${firstSentence(error)}: ${adviseHelp(command)}`, error);
  }
}

/** The last one would count, and the others be forgotten. */
function refuseRepeated(
  tokens: readonly { readonly kind: string; readonly name?: string }[],
  command?: Command,
): void {
  const names = tokens.flatMap(({ kind, name }) => (kind === 'option' && name ? [name] : []));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new UsageError(`--${twice} is given twice: ${adviseHelp(command)}`);
}

function checkValues(
  values: Readonly<Record<string, unknown>>,
  options: Options,
  command?: Command,
): void {
  for (const [name, { choices, value: word }] of Object.entries(options)) {
    const value = values[name];
    if (typeof value !== 'string') continue;
    if (value === '')
      throw new UsageError(`--${name} takes ${word ?? 'a value'}: ${adviseHelp(command)}`);
    if (!choices || choices.includes(value)) continue;
    throw new UsageError(`--${name} takes ${choices.join(', ')}, not "${value}"`);
  }
  checkNamespace(values);
}

function checkNamespace({ namespace, ...others }: Readonly<Record<string, unknown>>): void {
  if (typeof namespace !== 'string') return;
  if (others['all-namespaces'] === true)
    throw new UsageError('give either --namespace or --all-namespaces');
  if (!isNamespaceName(namespace))
    throw new UsageError(`--namespace takes the name of a namespace, not "${namespace}"`);
}

function checkOperands({ name, operands }: Command, given: readonly string[]): void {
  const usage = `albridge ${name} ${operands.usage}`.trim();
  if (given.length < operands.min) throw new UsageError(`an argument is missing: ${usage}`);
  if (given.length > operands.max)
    throw new UsageError(`"${given[operands.max]}" is one argument too many: ${usage}`);
  const { choices } = operands;
  const wrong = choices && given.find((word) => !choices.includes(word));
  if (wrong !== undefined)
    throw new UsageError(`"${wrong}" is not one of ${choices?.join(', ')}: ${usage}`);
}

type ParseOption = Pick<OptionDoc, 'type' | 'short'>;

function toParseOptions(options: Options): Record<string, ParseOption> {
  const entries = Object.entries(options).map(([name, { type, short }]) => {
    return [name, { type, ...(short && { short }) }] as const;
  });
  return Object.fromEntries(entries);
}

function adviseHelp(command: Command | undefined): string {
  return `albridge ${command ? `${command.name} ` : ''}--help has the options`;
}

/** The rest of what `parseArgs` says is about arguments that begin with a hyphen. */
function firstSentence({ message }: Error): string {
  const [, option] = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message) ?? [];
  if (option !== undefined)
    return `${option} takes a value; one that begins with a hyphen follows an equals sign (${option}=-1)`;
  const sentence = message.split(/\.\s/, 1)[0] ?? message;
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
