import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BinaryName, binaries } from './binaries.ts';
import { isExecutable } from './cache-directory.ts';
import { buildEnvironment, type Environment } from './environment.ts';
import { type Platform, platformName } from './platform.ts';
import { runCommand } from './run-command.ts';
import { versions } from './versions.ts';
import { startWatchdog } from './watchdog.ts';

export interface GoBuildOptions {
  readonly env: Environment;
  readonly report: (line: string) => void;
  /** Interval of the progress lines; default 10 s. */
  readonly progressMs?: number;
}

const modulesDirectory = fileURLToPath(new URL('modules/', import.meta.url));

/**
 * The linker flags of a build. Unstamped, the API server would call itself `v0.0.0-master` and
 * every version gate of its clients would misjudge it; upstream stamps the same two packages:
 * https://github.com/kubernetes/kubernetes/blob/master/hack/lib/version.sh. helm would omit its patch
 * version: https://github.com/helm/helm/blob/main/Makefile
 */
export function linkerFlags(name: BinaryName): string {
  const { product, version } = binaries[name];
  if (product === 'helm') {
    return `-s -w -X helm.sh/helm/v4/internal/version.version=v${version}`;
  }
  if (!product.startsWith('kubernetes')) return '-s -w';
  const [major, minor] = version.split('.');
  const stamps = {
    gitVersion: `v${version}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const flags = packages.flatMap((path) =>
    Object.entries(stamps).map(([variable, value]) => `-X ${path}.${variable}=${value}`),
  );
  return ['-s -w', ...flags].join(' ');
}

/** The cache directory of builds: it changes with whatever goes into the binary. */
export async function buildCacheKey(name: BinaryName, platform: Platform): Promise<string> {
  const { product, version } = binaries[name];
  const hash = createHash('sha256').update(linkerFlags(name));
  for (const file of (await readdir(join(modulesDirectory, product))).toSorted()) {
    hash.update(await readFile(join(modulesDirectory, product, file)));
  }
  const digest = hash.digest('hex').slice(0, 12);
  return `${product}-v${version}-${platformName(platform)}-go-${digest}`;
}

/**
 * Finds a Go that can build the modules: new enough, or (since 1.21) free to fetch the toolchain
 * that go.mod names, https://go.dev/doc/toolchain. Throws a sentence that says what to install.
 */
export async function findGo(env: Environment): Promise<string> {
  const go = await findOnPath('go', env);
  if (go === undefined) throw new Error('there is no go on PATH');
  // Asked outside the modules and with a fixed toolchain, an old Go answers for itself.
  const local = { ...buildEnvironment(env), GOTOOLCHAIN: 'local' };
  const version = parseGoVersion(
    (await runCommand(go, ['version'], { env: local, cwd: '/' })).stdout,
  );
  if (version === undefined) throw new Error(`${go} does not tell its version`);
  if (isAtLeast(version, versions.go)) return go;
  const setting = await runCommand(go, ['env', 'GOTOOLCHAIN'], {
    env: buildEnvironment(env),
    cwd: '/',
  });
  const mayFetchToolchain = isAtLeast(version, '1.21') && /auto|path/.test(setting.stdout);
  if (mayFetchToolchain) return go;
  throw new Error(`${go} is ${version}, the build needs ${versions.go} or later`);
}

/** `go version go1.26.8 linux/amd64` -> `1.26.8`. */
export function parseGoVersion(output: string): string | undefined {
  return /\bgo(\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1];
}

/** Compares major and minor. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = minimum.split('.').map(Number);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

/** Looks a command up as a shell would. */
export async function findOnPath(command: string, env: Environment): Promise<string | undefined> {
  for (const directory of (env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const candidate = join(directory, command);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/** Builds one binary into the file `target`. Throws with the end of what `go` printed. */
export async function goBuild(
  go: string,
  name: BinaryName,
  {
    target,
    platform,
    ...options
  }: GoBuildOptions & {
    readonly target: string;
    readonly platform: Platform;
  },
): Promise<void> {
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags(name)];
  const build = spawn(go, [...args, '-o', target, binaries[name].goPackage], {
    cwd: join(modulesDirectory, binaries[name].product),
    env: { ...buildEnvironment(options.env), GOOS: platform.os, GOARCH: platform.arch },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const watchdog = startWatchdog([]);
  if (build.pid !== undefined) watchdog.watch(build.pid);
  const startedAt = performance.now();
  const elapsed = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  let output = '';
  build.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const progress = setInterval(
    () => options.report(`building ${name}: ${elapsed()}${moduleCount(output)}`),
    options.progressMs ?? 10_000,
  );
  try {
    await succeeded(build, () => lastLines(output, 5));
  } finally {
    clearInterval(progress);
    watchdog.finish();
  }
  options.report(`built ${name} in ${elapsed()}`);
}

function succeeded(child: ReturnType<typeof spawn>, reason: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go build ended with ${code ?? signal}: ${reason()}`));
    });
  });
}

function moduleCount(output: string): string {
  const downloads = output.split('\n').filter((line) => line.startsWith('go: downloading')).length;
  return downloads === 0 ? '' : `, ${downloads} modules downloaded`;
}

function lastLines(output: string, count: number): string {
  return output.trim().split('\n').slice(-count).join(' | ');
}
