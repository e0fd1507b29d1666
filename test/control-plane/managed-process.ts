import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Watchdog } from './watchdog.ts';

export interface ProcessSpec {
  /** Names the log file, and the process in messages. */
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  /** Working directory; the log `<name>.log` lies in it. */
  readonly directory: string;
  readonly env: Record<string, string>;
  readonly watchdog: Watchdog;
}

/** A process with flags of the caller's behind ours. */
export interface WorkerSpec extends Omit<ProcessSpec, 'name' | 'args'> {
  readonly extraArgs: readonly string[];
}

/** A child process with a log file, in a watchdog's care. */
export interface ManagedProcess {
  readonly pid: number;
  readonly hasExited: () => boolean;
  /** SIGTERM, then SIGKILL after `graceMs`; returns when it is gone. */
  readonly stop: (graceMs: number) => Promise<void>;
  /** SIGKILL; returns when it is gone. */
  readonly kill: () => Promise<void>;
  /** The last lines of its log, each cut to a readable length. */
  readonly logTail: (lines?: number) => Promise<string>;
}

/**
 * Starts a process whose output goes to its log. It runs in a session of its own, so that Ctrl-C
 * in a terminal reaches only the owner, who stops things in order; and it does not keep the owner
 * running. Rejects if the program cannot be started.
 */
export async function startProcess(spec: ProcessSpec): Promise<ManagedProcess> {
  const logPath = join(spec.directory, `${spec.name}.log`);
  const log = openSync(logPath, 'a');
  const child = spawn(spec.path, spec.args, {
    cwd: spec.directory,
    env: spec.env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await started(child);
  const pid = child.pid as number;
  spec.watchdog.watch(pid);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void exited.then(() => spec.watchdog.forget(pid));
  child.unref();
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals, graceMs?: number): Promise<void> => {
    if (hasExited()) return;
    child.ref();
    child.kill(signal);
    if (graceMs !== undefined) await killAfter(child, exited, graceMs);
    await exited;
  };
  return {
    pid,
    hasExited,
    stop: (graceMs) => end('SIGTERM', graceMs),
    kill: () => end('SIGKILL'),
    logTail: (lines = 15) => readTail(logPath, lines),
  };
}

async function started(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

async function killAfter(child: ChildProcess, exited: Promise<void>, ms: number): Promise<void> {
  const patience = new AbortController();
  const timer = sleep(ms, 'late', { signal: patience.signal }).catch(() => 'ended');
  if ((await Promise.race([exited, timer])) === 'late') child.kill('SIGKILL');
  patience.abort();
}

async function readTail(path: string, lines: number): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const tail = text.trimEnd().split('\n').slice(-lines);
  return tail.map((line) => line.slice(0, 400)).join('\n');
}
