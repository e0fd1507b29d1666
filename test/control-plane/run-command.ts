import { type ChildProcess, spawn } from 'node:child_process';

export interface CommandResult {
  /** Exit code; 128 + n is not used: a signal gives -1. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** The whole environment of the command: nothing is inherited. */
  readonly env: Record<string, string>;
  readonly cwd?: string;
  /** Written to stdin, which is then closed. */
  readonly input?: string;
  readonly timeoutMs?: number;
}

const running = new Set<ChildProcess>();

// A command that waits for something that this process has stopped, say an API server, would wait on.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Runs a command to its end and collects what it prints; the command is killed if this process exits before.
 * Rejects only if it cannot be started.
 */
export function runCommand(
  path: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      env: options.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
    });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    // A command that ends without reading its input breaks the pipe; its exit code tells more.
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    // Also of a command that could not be started.
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? -1, stdout, stderr });
    });
    child.stdin.end(options.input ?? '');
  });
}
