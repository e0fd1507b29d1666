import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What a run left behind: processes by their command, and files in its temporary directory. */
export interface Remains {
  readonly processes: readonly string[];
  readonly files: readonly string[];
}

/**
 * A program of the repository as a person starts it, in a temporary directory of its own. Whatever
 * it starts, and whatever that starts, inherits the directory's name, and can be found by it.
 */
export class Program {
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #exited: Promise<number | string>;
  #output = '';

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child;
    this.#directory = directory;
    // What a program printed last may be read later than its end is seen.
    this.#exited = once(child, 'close').then(
      ([code, signal]) => (code ?? signal) as number | string,
    );
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** Runs `node <entry> <args>` with this environment and nothing else. */
  static async start(
    entry: string,
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Program> {
    const directory = await mkdtemp(join(tmpdir(), 'albridge-run-'));
    const child = spawn(process.execPath, [resolve(ROOT, entry), ...args], {
      cwd: ROOT,
      env: { ...basics(), ...environment, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Program(child, directory);
  }

  get output(): string {
    return this.#output;
  }

  /** The exit code, or the signal that ended it, once `output` has its last line. */
  get exited(): Promise<number | string> {
    return this.#exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** As `head` does once it has enough: nobody reads any more of the output. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** Waits until this was printed; throws with the output so far if the program ends before. */
  async printed(text: string, timeoutMs = 120_000): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      if (this.#output.includes(text)) return true;
      if (this.#child.exitCode === null && this.#child.signalCode === null) return false;
      throw new EndedEarly(`it ended without printing "${text}":\n${this.#output}`);
    };
    await until(`"${text}" in the output`, isThere, timeoutMs);
  }

  /** The commands that run on its behalf now. */
  async running(): Promise<readonly string[]> {
    // `e` shows the environment, in which the directory stands.
    const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command='], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout
      .split('\n')
      .filter((line) => line.includes(this.#directory) && !line.includes('ps axeww'))
      .map((line) => line.trim().slice(0, 120));
  }

  /** What is left once it has ended; its helpers get their time to see that. */
  async remains(): Promise<Remains> {
    await this.#exited;
    const look = async (): Promise<Remains> => ({
      processes: await this.running(),
      files: await readdir(this.#directory),
    });
    const isNothing = ({ processes, files }: Remains): boolean =>
      processes.length + files.length === 0;
    const nothing = until('nothing left', async () => isNothing(await look()), 30_000);
    await nothing.catch(() => {}); // what is left is the answer then
    return look();
  }

  /** Ends it however it can, and removes its directory. */
  async discard(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exited;
    await this.remains();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

class EndedEarly extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EndedEarly';
  }
}

/** Where the binaries of the control plane are found; nothing else of this process's environment. */
function basics(): Record<string, string> {
  const { KUBEBUILDER_ASSETS: assets, PATH: path = '', XDG_CACHE_HOME: cache } = process.env;
  const home = homedir();
  return {
    PATH: path,
    HOME: home,
    XDG_CACHE_HOME: cache ?? join(home, '.cache'),
    ...(assets !== undefined && { KUBEBUILDER_ASSETS: assets }),
  };
}
