import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

/**
 * The steps of the workflow that publishes, by bash as the runner starts it, with programs in place of those that
 * need a registry or an identity: what each of them is given.
 */

const WORKFLOW = resolve(import.meta.dirname, '../../../.github/workflows/release.yaml');
const IMAGE_DIGEST = `sha256:${'1'.repeat(64)}`;
const CHART_DIGEST = `sha256:${'2'.repeat(64)}`;

/** What each program does besides the record of its arguments. */
const PROGRAMS: Readonly<Record<string, string>> = {
  npm: 'case "$*" in *"fetch helm") printf "helm\\tcache\\t%s/helm\\n" "$BIN" ;; esac',
  go: '',
  docker: `case "$1 $2" in "buildx build") echo '{}' > image.json ;; esac`,
  jq: `echo ${IMAGE_DIGEST}`,
  helm: `case "$1" in push) echo "Pushed: ghcr.io/example/albridge/charts/albridge:1.2.3"; echo "Digest: ${CHART_DIGEST}" ;; esac`,
  cosign: '',
  gh: '',
};

/** It reads a password to its end, as the real ones do. */
async function writeProgram(name: string, does: string): Promise<void> {
  const path = join(directory, 'bin', name);
  const reads = 'case "$*" in *--password-stdin) cat > "$BIN/../password" ;; esac';
  await writeFile(path, `#!/bin/sh\necho "${name} $*" >> "$BIN/../calls"\n${reads}\n${does}\n`);
  await chmod(path, 0o755);
}

interface Step {
  readonly name?: string;
  readonly run?: string;
}

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-steps-'));
  await mkdir(join(directory, 'bin'));
  await mkdir(join(directory, 'dist/release'), { recursive: true });
  for (const [name, does] of Object.entries(PROGRAMS)) await writeProgram(name, does);
});

afterEach(() => rm(directory, { recursive: true }));

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

async function readSteps(): Promise<readonly Step[]> {
  const { jobs } = parse(await readFile(WORKFLOW, 'utf8')) as {
    readonly jobs: { readonly publish: { readonly steps: readonly Step[] } };
  };
  return jobs.publish.steps.filter(({ run }) => run !== undefined);
}

async function readIfAny(name: string): Promise<string> {
  return readFile(join(directory, name), 'utf8').catch(() => '');
}

/** https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#environment-files */
async function readSettings(): Promise<Readonly<Record<string, string>>> {
  const lines = (await readIfAny('env')).split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

/** Runs every step in its order; returns the calls of programs. */
async function runSteps(): Promise<readonly string[]> {
  const bin = join(directory, 'bin');
  const flags = await readFlags();
  for (const { run = '' } of await readSteps()) {
    const env = {
      ...{ BIN: bin, PATH: `${bin}:${process.env['PATH']}`, HOME: directory },
      ...{ GITHUB_ENV: join(directory, 'env'), GITHUB_PATH: join(directory, 'path') },
      ...{ IMAGE: 'ghcr.io/Example/albridge', TAG: 'v1.2.3', ACTOR: 'someone', GH_TOKEN: 'secret' },
      ...{ COSIGN: 'cosign@v3' },
      ...(await readSettings()),
    };
    await promisify(execFile)('bash', [...flags, run], { cwd: directory, env });
  }
  return (await readIfAny('calls')).trim().split('\n');
}

describe('the steps that publish', () => {
  it('build, push and sign by digest what the release page then names', async () => {
    const calls = await runSteps();
    const image = 'ghcr.io/example/albridge';
    expect(calls).toContain(
      `npm run release -- --version 1.2.3 --image ${image} --app dist/image/app`,
    );
    const builds = calls.filter((call) => call.startsWith('docker buildx build'));
    const [commandLine, build] = builds;
    expect(commandLine).toMatch(/--output type=local,dest=dist\/image$/);
    expect(builds).toHaveLength(2);
    expect(build).toContain(`--push --platform linux/amd64,linux/arm64 --tag ${image}:1.2.3`);
    expect(calls).toContain(`helm push dist/release/albridge-1.2.3.tgz oci://${image}/charts`);
    expect(calls).toContain('jq --raw-output ."containerimage.digest" image.json');
    expect(calls.filter((call) => call.startsWith('cosign'))).toEqual([
      `cosign sign --yes ${image}@${IMAGE_DIGEST}`,
      `cosign sign --yes ${image}/charts/albridge@${CHART_DIGEST}`,
      'cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS',
    ]);
    expect(calls.at(-1)).toContain('gh release create v1.2.3 --verify-tag');
    expect(calls.join('\n')).not.toContain('secret');
  });

  it('stop where the registry refuses the chart: it is not signed, and there is no release page', async () => {
    await writeProgram('helm', '[ "$1" != push ] || { echo "Error: denied" >&2; exit 1; }');
    await expect(runSteps()).rejects.toThrow('Command failed');
    const calls = await readIfAny('calls');
    expect(calls).toContain('docker buildx build');
    expect(calls).not.toMatch(/cosign sign --yes \S+charts|gh release/);
  });
});
