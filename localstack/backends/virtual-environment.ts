import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { withCacheLock } from '../../test/control-plane/cache-lock.ts';
import { cleanEnvironment } from '../../test/gates/clean-environment.ts';
import { findPython, type Python } from './python.ts';
import type { PythonRecipe } from './python-recipe.ts';

export interface VirtualEnvironmentOptions {
  /** The caller's: PATH, proxies and pip's own settings count; AWS_* and KUBECONFIG are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
}

export interface VirtualEnvironment {
  readonly directory: string;
  readonly python: string;
}

/** Written last: an environment without it is half made. */
const COMPLETE = 'complete';
const PROGRESS_MS = 3000;

/** `$XDG_CACHE_HOME/albridge/backends`, by default under ~/.cache. */
export function backendCache(env: VirtualEnvironmentOptions['env']): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'albridge', 'backends');
}

/**
 * Makes sure that the recipe's packages are installed, in a directory named after everything that
 * goes into it: a changed pin, provider or Python gives a new one. Throws PythonMissing, or an Error
 * with pip's last words.
 */
export async function ensureVirtualEnvironment(
  recipe: PythonRecipe,
  options: VirtualEnvironmentOptions,
): Promise<VirtualEnvironment> {
  const python = await findPython(options.env);
  const name = `${recipe.name}-${await fingerprint(recipe, python)}`;
  const directory = join(backendCache(options.env), name);
  const made = { directory, python: join(directory, 'bin', 'python') };
  if (existsSync(join(directory, COMPLETE))) return made;
  const onWait = (pid: number): void =>
    options.say(`${recipe.title}: process ${pid} is installing it, waiting`);
  await withCacheLock(`${directory}.lock`, { onWait }, async () => {
    if (!existsSync(join(directory, COMPLETE))) await install(recipe, made, { python, options });
  });
  return made;
}

async function install(
  recipe: PythonRecipe,
  { directory, python }: VirtualEnvironment,
  base: { readonly python: Python; readonly options: VirtualEnvironmentOptions },
): Promise<void> {
  const { env, say } = base.options;
  const { download, disk } = recipe.megabytes;
  say(
    `${recipe.title}: installing with Python ${base.python.version}, once: about ${download} MB to fetch, ${disk} MB in ${directory}, a minute`,
  );
  const startedMs = performance.now();
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const tell = (line: string): void => say(`${recipe.title}: ${line}`);
  await run(base.python.path, ['-m', 'venv', directory], { env, tell });
  const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check'];
  const [requirements, constraints] = pinFiles(recipe);
  await run(python, [...pip, '-r', requirements, '-c', constraints], { env, tell });
  for (const source of recipe.packages) {
    // Building leaves files beside the sources, so it is done on a copy.
    const copy = join(directory, 'src', basename(source));
    await cp(source, copy, { recursive: true });
    await run(python, [...pip, '--no-deps', copy], { env, tell });
  }
  await writeFile(join(directory, COMPLETE), '');
  tell(`installed in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
}

interface StepOptions {
  readonly env: VirtualEnvironmentOptions['env'];
  readonly tell: (line: string) => void;
}

/** Runs one step of the installation; what it prints is shown every few seconds, and if it fails. */
async function run(path: string, args: readonly string[], options: StepOptions): Promise<void> {
  const env = { ...cleanEnvironment(options.env), PYTHONNOUSERSITE: '1' };
  const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: string[] = [];
  let toldMs = performance.now();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      printed.push(line);
      if (performance.now() - toldMs < PROGRESS_MS || !/^\s*(Coll|Down|Inst|Build)/.test(line))
        return;
      toldMs = performance.now();
      options.tell(line.trim().replace(/ \(from .*/, ''));
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  const said = printed.slice(-15).join('\n');
  throw new Error(
    `${[basename(path), ...args].join(' ')} ended with ${code}; check the way to PyPI (PIP_INDEX_URL, HTTPS_PROXY):\n${said}`,
  );
}

function pinFiles({ pins }: PythonRecipe): readonly [string, string] {
  return [join(pins, 'requirements.txt'), join(pins, 'constraints.txt')];
}

async function fingerprint(recipe: PythonRecipe, python: Python): Promise<string> {
  const hash = createHash('sha256').update(`${python.path}\n${python.version}\n`);
  for (const path of pinFiles(recipe)) hash.update(await readFile(path));
  for (const source of recipe.packages) {
    const files: string[] = [];
    for await (const file of glob('{*.toml,albridge*/**/*.py}', { cwd: source })) files.push(file);
    for (const file of files.sort()) {
      hash.update(`${file}\n`).update(await readFile(join(source, file)));
    }
  }
  return hash.digest('hex').slice(0, 12);
}
