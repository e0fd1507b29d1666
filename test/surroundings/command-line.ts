import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ADMINISTRATOR } from './aws-stand-in.ts';

export interface CommandLineRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLineUser {
  readonly kubeconfigPath: string;
  readonly awsEnvironment: Readonly<Record<string, string>>;
  /** On top of the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

const ENTRY = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** Of what takes over two seconds, as on a busy machine. */
const PROGRESS = /^(?!albridge: ).* \.\.\.\n/gm;

/**
 * Runs `albridge ARGS` as a process of its own, by default with all rights in the cluster and in AWS; its progress is
 * left out.
 */
export async function runAlbridge(
  args: readonly string[],
  { kubeconfigPath, awsEnvironment, environment = {}, input = '' }: CommandLineUser,
): Promise<CommandLineRun> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: {
      ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
      ...{ PATH, HOME: '/nonexistent', KUBECONFIG: kubeconfigPath },
      ...awsEnvironment,
      AWS_ACCESS_KEY_ID: ADMINISTRATOR.accessKeyId,
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((ended) => child.once('close', ended));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [stdout, stderr, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    exited,
  ]);
  return { exitCode, stdout, stderr: stderr.replaceAll(PROGRESS, '') };
}
