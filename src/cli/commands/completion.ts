import {
  type Command,
  commonOptions,
  type OperandDoc,
  type OptionDoc,
  type Options,
} from '../command.ts';
import { exitCodes } from '../errors.ts';

/** `completion bash|zsh`: a script for the shell, from the table of commands. */

const shells = { bash: formatBash, zsh: formatZsh } as const;

export const completion: Command = {
  name: 'completion',
  summary: 'print a script that completes commands and options in your shell',
  operands: { usage: 'bash|zsh', min: 1, max: 1, choices: Object.keys(shells) },
  examples: [
    {
      line: 'completion bash > ~/.local/share/bash-completion/completions/albridge',
      what: 'for bash, where it looks for completions, if you have made that directory',
    },
    {
      line: 'completion zsh > "${fpath[1]}/_albridge"',
      what: 'for zsh, in the first directory of $fpath',
    },
  ],
  options: {},
  run: async ({ operands: [shell], commands, output }) => {
    const script = shells[shell as keyof typeof shells](commands);
    output.print({ shell, script }, () => script);
    return exitCodes.done;
  },
};

/** https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html */
function formatBash(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  const cases = commands.map(({ name, operands, options }) => {
    const flags = listFlags({ ...commonOptions, ...options });
    return `    ${name}) words='${[...offerWords(operands), ...flags].join(' ')}' ;;`;
  });
  const values = listChoices(commands).map(({ patterns, choices }) => {
    return `    ${patterns.join('|')}) words='${choices.join(' ')}' ;;`;
  });
  const free = listFreeValues(commands).join('|');
  return `# bash completion of albridge; source it or put it where bash-completion finds it.
_albridge() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command='' words='' prefix='' i
  # --output=json is three words, or one if COMP_WORDBREAKS lacks the equals sign.
  if [[ $word == = ]]; then word=''
  elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $word == --*=* ]]; then before=\${word%%=*} prefix=\${word%%=*}= word=\${word#*=}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${listFlagsWithValue(commonOptions).join('|')}) ((i++)); [[ \${COMP_WORDS[i]} != = ]] || ((i++)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
    '') words='${[...names, ...listFlags(commonOptions)].join(' ')}' ;;
${cases.join('\n')}
  esac
  case "$command $before" in
${values.join('\n')}
    ${free}) words='' ;;
  esac
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$word"))
  # The name follows at once.
  [[ \${COMPREPLY[0]-} != */ ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _albridge albridge
`;
}

/** https://zsh.sourceforge.io/Doc/Release/Completion-System.html */
function formatZsh(commands: readonly Command[]): string {
  const list = commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, operands, options }) => {
    const { usage } = operands;
    const specs = Object.entries({ ...commonOptions, ...options }).map(formatZshOption);
    if (usage !== '') specs.push(quote(`*:${escapeColon(usage)}:${formatZshWords(operands)}`));
    return `      ${name}) _arguments -S ${specs.join(' ')} ;;`;
  });
  const common = Object.entries(commonOptions).map(formatZshOption);
  return `#compdef albridge
# zsh completion of albridge; put it into a directory of $fpath as _albridge.
_albridge() {
  local -a commands=(
${list.join('\n')}
  )
  local curcontext=$curcontext state
  local -a line
  _arguments -C -S -A '-*' ${common.join(' ')} '1:command:->command' '*:::argument:->argument' && return
  case $state in
    command) _describe command commands ;;
    argument)
      words=($line[1] "\${words[@]}")
      (( CURRENT++ ))
      case $line[1] in
${cases.join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == _albridge ]]; then _albridge "$@"; else compdef _albridge albridge; fi
`;
}

/** After a hint, such as `myingress/`, the name follows at once. */
function formatZshWords({ choices = [], hints = [] }: OperandDoc): string {
  return hints.length > 0 ? `{compadd -S "" -- ${hints.join(' ')}}` : `(${choices.join(' ')})`;
}

function formatZshOption([name, { short, help, value, choices }]: [string, OptionDoc]): string {
  const argument = value ? `:${value}:${choices ? `(${choices.join(' ')})` : '_files'}` : '';
  const text = `[${help.replaceAll(/[[\]]/g, '')}]${argument}`;
  // The value may be a word of its own, or follow at once.
  const [flag, letter] = value ? [`--${name}=`, `-${short}+`] : [`--${name}`, `-${short}`];
  if (short === undefined) return quote(`${flag}${text}`);
  return `'(-${short} --${name})'{${letter},${flag}}${quote(text)}`;
}

interface Choices {
  /** Of bash's case, for the command, a space, and the option. */
  readonly patterns: readonly string[];
  readonly choices: readonly string[];
}

/** Options with fixed values, those of one command first: status takes one more --output than the others. */
function listChoices(commands: readonly Command[]): readonly Choices[] {
  const own = commands.flatMap(({ name, options }) => listChoicesOf(`'${name} '`, options));
  return [...own, ...listChoicesOf("*' '", commonOptions)];
}

function listChoicesOf(prefix: string, options: Options): readonly Choices[] {
  return Object.entries(options).flatMap(([name, doc]) => {
    const { choices } = doc;
    return choices ? [{ patterns: matchFlags(prefix, listSpellings(name, doc)), choices }] : [];
  });
}

function matchFlags(prefix: string, flags: readonly string[]): readonly string[] {
  return flags.map((flag) => `${prefix}${flag}`);
}

/** Options with a value that only the caller knows: file names are offered. */
function listFreeValues(commands: readonly Command[]): readonly string[] {
  const all: Options = Object.assign({}, ...commands.map(({ options }) => options), commonOptions);
  return Object.entries(all).flatMap(([name, doc]) =>
    doc.type === 'string' && !doc.choices ? matchFlags("*' '", listSpellings(name, doc)) : [],
  );
}

function listFlagsWithValue(options: Options): readonly string[] {
  const taking = Object.entries(options).filter(([, { type }]) => type === 'string');
  return taking.flatMap(([name, doc]) => listSpellings(name, doc));
}

function offerWords({ choices = [], hints = [] }: OperandDoc): readonly string[] {
  return [...choices, ...hints];
}

function listFlags(options: Options): readonly string[] {
  return Object.keys(options).map((name) => `--${name}`);
}

function listSpellings(name: string, { short }: OptionDoc): string[] {
  return short ? [`--${name}`, `-${short}`] : [`--${name}`];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function escapeColon(text: string): string {
  return text.replaceAll(':', String.raw`\:`);
}
