import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../unit/cli/run-cli.ts';
import { locateZsh } from './debian-zsh.ts';
import { TypedShell } from './typed-shell.ts';

/** What the tabulator key does in a real shell on a real terminal. */

let directory: string;
let shell: TypedShell;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-shell-'));
});

afterEach(async () => {
  await shell.close();
  await rm(directory, { recursive: true });
});

async function writeScript(name: 'bash' | 'zsh', file: string): Promise<void> {
  const { stdout } = await runCli(['completion', name]);
  await writeFile(join(directory, file), stdout);
}

async function startBash(): Promise<TypedShell> {
  await writeScript('bash', 'completion');
  const lines = join(directory, 'lines');
  const startup = `. '${directory}/completion'
show() { printf '%s\\n' "$READLINE_LINE" >> '${lines}'; READLINE_LINE= READLINE_POINT=0; }
bind -x '"\\C-g": show'
bind 'set bell-style none'
cd '${directory}'
`;
  await writeFile(join(directory, 'startup'), startup);
  return TypedShell.start(`bash --noprofile --rcfile '${directory}/startup' -i`, lines, {});
}

async function startZsh(): Promise<TypedShell> {
  const { path, startup } = await locateZsh();
  await writeScript('zsh', '_albridge');
  const lines = join(directory, 'lines');
  await writeFile(join(directory, '.zshenv'), `${startup}fpath+=('${directory}')\n`);
  const interactive = `autoload -Uz compinit && compinit -u -D
show() { print -r -- "$BUFFER" >> '${lines}'; BUFFER= }
zle -N show && bindkey '^G' show
setopt no_beep
cd '${directory}'
`;
  await writeFile(join(directory, '.zshrc'), interactive);
  return TypedShell.start(`'${path}' -d -i`, lines, { ZDOTDIR: directory });
}

/** What is typed, and the line after the tabulator key. */
const LINES: Readonly<Record<string, string>> = {
  'albridge stat': 'albridge status ',
  'albridge -n shop stat': 'albridge -n shop status ',
  'albridge --namespace=shop -A stat': 'albridge --namespace=shop -A status ',
  // What looks like a command is the name of a namespace.
  'albridge -n status wh': 'albridge -n status why ',
  'albridge -o js': 'albridge -o json ',
  'albridge --output=js': 'albridge --output=json ',
  'albridge status -o sv': 'albridge status -o svg ',
  'albridge status --output sv': 'albridge status --output svg ',
  'albridge status --output=sv': 'albridge status --output=svg ',
  'albridge -n shop status --output=sv': 'albridge -n shop status --output=svg ',
  // Only status draws.
  'albridge why --output=sv': 'albridge why --output=sv',
  // The name follows.
  'albridge why myi': 'albridge why myingress/',
  'albridge status -n shop conf': 'albridge status -n shop configmonitor/',
  'albridge orphans --dele': 'albridge orphans --delete ',
  'albridge completion ba': 'albridge completion bash ',
  'albridge -n shop completion zs': 'albridge -n shop completion zsh ',
  'albridge completion zsh --all': 'albridge completion zsh --all-namespaces ',
};

describe.each([
  { name: 'bash', start: startBash },
  { name: 'zsh', start: startZsh },
])('the tabulator key in $name', ({ start }) => {
  it('completes commands, options and values, wherever options stand', async () => {
    shell = await start();
    const completed: Record<string, string> = {};
    for (const typed of Object.keys(LINES)) completed[typed] = await shell.complete(typed);
    expect(completed).toEqual(LINES);
  });
});
