import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ENTRY = resolve(import.meta.dirname, '../../src/cli/main.ts');

export interface UiProcess {
  readonly url: string;
  readonly pid: number;
  /** All of stderr so far. */
  readonly stderr: () => string;
  /** Ctrl-C. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Runs `albridge ui ARGS` as a process of its own, until it has printed its URL. */
export async function startUi(
  kubeconfigPath: string,
  { args = [], entry = ENTRY }: { readonly args?: readonly string[]; readonly entry?: string } = {},
): Promise<UiProcess> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [entry, 'ui', ...args], {
    env: {
      ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
      ...{ PATH, HOME: '/nonexistent', KUBECONFIG: kubeconfigPath },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const url = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line)),
    exited.then(([code]) => {
      throw new Error(`albridge ui exited with ${code}: ${stderr}`);
    }),
  ]);
  return {
    ...{ url, pid: child.pid ?? 0, stderr: () => stderr },
    stop: async () => {
      child.kill('SIGINT');
      return (await exited)[0];
    },
  };
}
