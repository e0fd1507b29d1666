import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { until } from '../surroundings/until.ts';

/** The key to which the startup file of the shell binds: append the line to `lines`, and empty it. */
const SHOW = '\u0007';
const TAB = '\t';

/** An interactive shell on a terminal of its own. */
export class TypedShell {
  readonly #child: ChildProcess;
  readonly #lines: string;
  readonly #exited: Promise<unknown>;
  #shown = 0;

  private constructor(child: ChildProcess, lines: string) {
    this.#child = child;
    this.#lines = lines;
    this.#exited = once(child, 'exit');
    child.stdout?.resume();
  }

  /** `lines`: the file into which the startup file of the shell writes. */
  static async start(
    command: string,
    lines: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<TypedShell> {
    const { PATH = '' } = process.env;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH, TERM: 'xterm', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const shell = new TypedShell(child, lines);
    await shell.#show('');
    return shell;
  }

  /** The line after these words and the tabulator key. */
  complete(words: string): Promise<string> {
    return this.#show(`${words}${TAB}`);
  }

  async close(): Promise<void> {
    this.#child.stdin?.end('exit\n');
    await this.#exited;
  }

  async #show(keys: string): Promise<string> {
    this.#child.stdin?.write(`${keys}${SHOW}`);
    const index = this.#shown++;
    const read = async (): Promise<string | undefined> => {
      const text = await readFile(this.#lines, 'utf8').catch(() => '');
      // The last part has no end yet.
      const line = text.split('\n').slice(0, -1)[index];
      return line === undefined ? undefined : `:${line}`;
    };
    return (await until(`the shell shows line ${index}`, read)).slice(1);
  }
}
