import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** kubectl failed; the message is its own. */
export class KubectlError extends Error {
  constructor(args: readonly string[], said: string) {
    super(`kubectl ${args.join(' ')}: ${said.trim()}`);
    this.name = 'KubectlError';
  }
}

/**
 * Runs the kubectl that KUBECTL names, or the one on the PATH, as the caller and in the caller's
 * cluster. Returns what it printed; throws KubectlError if it fails or is not there.
 */
export async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const child = spawn(process.env['KUBECTL'] ?? 'kubectl', args);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  child.stdin.on('error', () => {}); // it ended without reading: its exit code says why
  child.stdin.end(input);
  const [code] = (await once(child, 'close').catch((error: Error) => {
    throw new KubectlError(args, `${error.message}; install kubectl, or set KUBECTL to its path`);
  })) as [number | null];
  if (code === 0) return printed.stdout;
  throw new KubectlError(args, printed.stderr);
}
