import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { startWatchdog } from '../control-plane/watchdog.ts';

/** One line of the operator's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A real operator process and its log. */
export interface OperatorProcess {
  readonly pid: number;
  readonly log: readonly LogLine[];
  /**
   * The first line, past or to come, for which `isIt` holds. Rejects when the process ends first. The
   * time is enough for a Lease that its holder did not give away.
   */
  waitForLine(isIt: (line: LogLine) => boolean, timeoutMs?: number): Promise<LogLine>;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and resolves with the exit code; SIGKILL after 30 s. */
  stop(): Promise<number | null>;
  /** The exit code, once it has ended and `log` has its last line. */
  readonly exited: Promise<number | null>;
}

export interface OperatorProcessOptions {
  /** The whole environment: nothing is inherited but a cache of compiled sources. */
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
  /** What node runs; default the sources. */
  readonly entry?: string;
  readonly args?: readonly string[];
  /** Gets the log's lines too, for readers in other processes. */
  readonly logFile?: string;
  /** A descriptor that gets the log instead: `log` stays empty. */
  readonly stdout?: number;
}

const ROOT = resolve(import.meta.dirname, '../..');
const STOP_GRACE_MS = 30_000;

export function startOperatorProcess(options: OperatorProcessOptions): OperatorProcess {
  const entry = options.entry ?? resolve(ROOT, 'src/main.ts');
  const { nodeFlags = [], args = [] } = options;
  const child = spawn(process.execPath, [...nodeFlags, entry, ...args], {
    cwd: ROOT,
    env: { ...(options.entry === undefined && findCompileCache()), ...options.environment },
    stdio: ['ignore', options.stdout ?? 'pipe', 'pipe'],
    // A session of its own: Ctrl-C reaches only the owner, who stops things in order.
    detached: true,
  });
  const operator = new RunningOperator(child, options.logFile);
  endTogether(operator);
  return operator;
}

/** The one thing that is inherited: what test/run.ts has chosen for the sources. */
function findCompileCache(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

/** However this process dies, SIGKILL included, the operator does not outlive it. */
function endTogether(operator: OperatorProcess): void {
  const watchdog = startWatchdog([]);
  watchdog.watch(operator.pid);
  void operator.exited.then(() => watchdog.finish());
}

class RunningOperator implements OperatorProcess {
  readonly log: LogLine[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #logFile: string | undefined;
  readonly #onLine = new Set<(line: LogLine) => void>();

  constructor(child: ChildProcess, logFile: string | undefined) {
    this.#child = child;
    this.#logFile = logFile;
    // What a process printed last may be read later than its end is seen.
    this.exited = once(child, 'close').then(([code]) => code as number | null);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface(stream).on('line', (text) => this.#take(text));
    }
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async waitForLine(isIt: (line: LogLine) => boolean, timeoutMs = 120_000): Promise<LogLine> {
    const past = this.log.find(isIt);
    if (past !== undefined) return past;
    const { promise, resolve: found, reject } = Promise.withResolvers<LogLine>();
    const timer = setTimeout(() => reject(this.#missed(`within ${timeoutMs} ms`)), timeoutMs);
    const listener = (line: LogLine): void => {
      if (isIt(line)) found(line);
    };
    this.#onLine.add(listener);
    void this.exited.then((code) => reject(this.#missed(`before it ended with ${code}`)));
    return promise.finally(() => {
      clearTimeout(timer);
      this.#onLine.delete(listener);
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_GRACE_MS);
    const code = await this.exited;
    clearTimeout(timer);
    return code;
  }

  #take(text: string): void {
    const line = parseLine(text);
    this.log.push(line);
    if (this.#logFile !== undefined) appendFileSync(this.#logFile, `${JSON.stringify(line)}\n`);
    for (const listener of this.#onLine) listener(line);
  }

  #missed(when: string): Error {
    const tail = this.log.slice(-10).map((line) => `  ${JSON.stringify(line)}`);
    return new Error(
      [`the operator did not log that ${when}; its last lines:`, ...tail].join('\n'),
    );
  }
}

/** What is no JSON (a crash's stack, a warning of Node) is kept as it is. */
function parseLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 'raw', msg: text };
  }
}
