import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { cacheRoot } from '../control-plane/cache-directory.ts';

/** The steps of the workflow that publishes, by bash as the runner starts it. */

const WORKFLOW = resolve(import.meta.dirname, '../../.github/workflows/release.yaml');

interface Step {
  readonly name?: string;
  readonly run?: string;
}

/** Where steps run, and with which programs before those of the system. */
export interface StepPlace {
  /** The clone. */
  readonly cwd: string;
  /** Holds `bin`, and the files by which steps give settings to later ones. */
  readonly home: string;
  readonly tag: string;
  /** Of the steps; without it all of them run. */
  readonly names?: readonly string[];
}

/** A program in `bin` that notes its arguments in `calls`, reads a password to its end, and then does this. */
export async function writeProgram(home: string, name: string, does: string): Promise<void> {
  await mkdir(join(home, 'bin'), { recursive: true });
  const path = join(home, 'bin', name);
  const reads = 'case "$*" in *--password-stdin) cat > "$BIN/../password" ;; esac';
  await writeFile(path, `#!/bin/sh\necho "${name} $*" >> "$BIN/../calls"\n${reads}\n${does}\n`);
  await chmod(path, 0o755);
}

/** Runs the steps in their order; returns the calls of the programs in `bin`. */
export async function runSteps({ cwd, home, tag, names }: StepPlace): Promise<readonly string[]> {
  const bin = join(home, 'bin');
  const flags = await readFlags();
  for (const { run = '' } of await readSteps(names)) {
    const env = {
      ...{ BIN: bin, PATH: `${bin}:${process.env['PATH']}`, HOME: home },
      ...{ GITHUB_ENV: join(home, 'env'), GITHUB_PATH: join(home, 'path') },
      ...{ IMAGE: 'ghcr.io/Example/albridge', TAG: tag, ACTOR: 'someone', GH_TOKEN: 'secret' },
      ...{ REPOSITORY: 'https://github.com/Example/albridge' },
      // Programs that are fetched stay in the caller's cache.
      ...{ COSIGN: 'cosign@v3', XDG_CACHE_HOME: resolve(cacheRoot(process.env), '../..') },
      ...(await readSettings(home)),
    };
    await promisify(execFile)('bash', [...flags, run], { cwd, env });
  }
  return (await readIfAny(join(home, 'calls'))).trim().split('\n');
}

export async function readIfAny(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/**
 * Only a shell that is named has pipefail:
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#defaultsrunshell
 */
async function readFlags(): Promise<readonly string[]> {
  const workflow = parse(await readFile(WORKFLOW, 'utf8')) as {
    readonly defaults?: { readonly run?: { readonly shell?: string } };
  };
  const isNamed = workflow.defaults?.run?.shell === 'bash';
  return isNamed ? ['--noprofile', '--norc', '-eo', 'pipefail', '-c'] : ['-e', '-c'];
}

async function readSteps(names: readonly string[] | undefined): Promise<readonly Step[]> {
  const { jobs } = parse(await readFile(WORKFLOW, 'utf8')) as {
    readonly jobs: { readonly publish: { readonly steps: readonly Step[] } };
  };
  return jobs.publish.steps.filter(
    ({ name = '', run }) => run !== undefined && names?.includes(name) !== false,
  );
}

/** https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#environment-files */
async function readSettings(home: string): Promise<Readonly<Record<string, string>>> {
  const lines = (await readIfAny(join(home, 'env'))).split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}
