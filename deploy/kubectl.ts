import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { escapeText } from '../src/cli/output/escape.ts';

/** kubectl failed; the message is its own, in one line, with the next step. */
export class KubectlError extends Error {
  constructor(args: readonly string[], said: string) {
    super(escapeText(`kubectl ${args.join(' ')}: ${said}`));
    this.name = 'KubectlError';
  }
}

/** klog's own lines, such as `E1124 03:08:05.019488 12062 memcache.go:265] ...`: kubectl mostly says the same once more below them. */
const KLOG = /^[IWEF]\d{4} /;

const NO_ACCESS =
  /was refused|connection refused|no such host|Unable to connect|i\/o timeout|TLS handshake|must be logged in|context .* does not exist|invalid character '<'|the server could not find the requested resource|: EOF$/;

const NO_KUSTOMIZATION =
  /^(error: )?(must build at directory|unable to find one of 'kustomization\.yaml')/;

/** Its messages begin so. */
const KUBECTL = /^(error: |Error from server|The |Unable |Warning: )/;

const TOO_LONG =
  'it did not end within --timeout; check the login and the network, or give it more seconds';

const OTHER_PROGRAM = 'set KUBECTL to the path of kubectl';

/** Turns kubectl's standard error into one line with the next step; pure. */
export function explainFailure(stderr: string): string {
  const all = stderr.split('\n').map((line) => line.trim());
  const lines = all.filter((line) => line !== '');
  const own = lines.filter((line) => !KLOG.test(line));
  // It logs the same error once for each attempt.
  const said = [...new Set(own.length > 0 ? own : lines.map(readKlog))].join('; ');
  if (said === '') return `it failed and said nothing; ${OTHER_PROGRAM}`;
  if (NO_KUSTOMIZATION.test(said)) return `${said}; name the directory that you applied`;
  if (NO_ACCESS.test(said)) {
    return `${said}; check the context (kubectl config current-context), the login and the network`;
  }
  if (said.includes('(Forbidden)')) return `${said}; run it as a cluster administrator`;
  return KUBECTL.test(said) ? said : `${said}; if that is not kubectl, ${OTHER_PROGRAM}`;
}

/** The sentence in a line of klog, which is a message or an error in quotes. */
function readKlog(line: string): string {
  const [, message = line] = /^[IWEF]\d{4} [^\]]*\] (.*)$/.exec(line) ?? [];
  const [, quoted] = / err=("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  return quoted === undefined ? message : unquote(quoted);
}

/** https://pkg.go.dev/strconv#Quote */
function unquote(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\\(["\\])/g, '$1')
    .replaceAll(/\\[nt]/g, ' ');
}

/** kubectl succeeded, but what it printed is not what it prints for these arguments. */
export function unlikeKubectl(args: readonly string[], missing: string): KubectlError {
  const other = args[0] === 'kustomize' ? 'name the directory that you applied, or ' : '';
  return new KubectlError(args, `it printed no ${missing}; ${other}${OTHER_PROGRAM}`);
}

/** Runs kubectl with these arguments and this input. Returns its output, or throws a KubectlError. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Within it `kubectl delete` ends by its own --timeout, and names the object that it waits for. */
const GRACE_MS = 10_000;

/**
 * The kubectl that KUBECTL names, or the one on the PATH, as the caller and in the caller's cluster.
 * A call that takes longer is ended.
 */
export function kubectlWithin(timeoutMs: number): Kubectl {
  return (args, input = '') => {
    const limitMs = args[0] === 'delete' ? timeoutMs + GRACE_MS : timeoutMs;
    return runKubectl(args, input, AbortSignal.timeout(limitMs));
  };
}

async function runKubectl(
  args: readonly string[],
  input: string,
  signal: AbortSignal,
): Promise<string> {
  const options = { signal, killSignal: 'SIGKILL' } as const;
  const child = spawn(process.env['KUBECTL'] || 'kubectl', args, options);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  child.stdin.on('error', () => {}); // it ended without reading: its exit code says why
  child.stdin.end(input);
  const [code] = (await once(child, 'close').catch((error: Error) => {
    // A credential plugin that it has started may hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
    if (signal.aborted) throw new KubectlError(args, TOO_LONG);
    throw new KubectlError(args, `${error.message}; install kubectl, or set KUBECTL to its path`);
  })) as [number | null];
  if (code === 0) return printed.stdout;
  throw new KubectlError(args, explainFailure(printed.stderr));
}
