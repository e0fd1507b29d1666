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
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: composeEnvironment({ kubeconfigPath, awsEnvironment, environment }),
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

/** Runs `albridge ARGS` on a terminal, and types `input` after what `prompt` matches; returns what the terminal shows. */
export async function typeAlbridge(
  args: readonly string[],
  { prompt, input = '', ...user }: CommandLineUser & { readonly prompt: RegExp },
): Promise<Pick<CommandLineRun, 'exitCode' | 'stdout'>> {
  const line = [process.execPath, ENTRY, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...composeEnvironment(user), TERM: 'xterm', NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let stdout = '';
  let isTyped = false;
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece;
    if (isTyped || !prompt.test(stdout)) return;
    isTyped = true;
    child.stdin.write(`${input}\n`);
  });
  const exitCode = await new Promise<number | null>((ended) => child.once('close', ended));
  return { exitCode, stdout: stdout.replaceAll('\r\n', '\n') };
}

function composeEnvironment({
  kubeconfigPath,
  awsEnvironment,
  environment,
}: CommandLineUser): Readonly<Record<string, string>> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return {
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...{ PATH, HOME: '/nonexistent', KUBECONFIG: kubeconfigPath },
    ...awsEnvironment,
    AWS_ACCESS_KEY_ID: ADMINISTRATOR.accessKeyId,
    ...environment,
  };
}
