import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readIfAny, runSteps, writeProgram } from '../../deploy/publish-steps.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** With programs in place of all: what each of them is given. test/helm builds the files for real. */

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

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-steps-'));
  await mkdir(join(directory, 'release'), { recursive: true });
  for (const [name, does] of Object.entries(PROGRAMS)) await writeProgram(directory, name, does);
});

afterEach(() => rm(directory, { recursive: true }));

function run(tag = 'v1.2.3'): Promise<readonly string[]> {
  return runSteps({ cwd: directory, home: directory, tag });
}

describe('the steps that publish', () => {
  it('build, push and sign by digest what the release page then names', async () => {
    const calls = await run();
    const image = 'ghcr.io/example/albridge';
    expect(calls).toContain(
      `npm run release -- --version 1.2.3 --image ${image} --app dist/image/app --repository https://github.com/Example/albridge`,
    );
    const builds = calls.filter((call) => call.startsWith('docker buildx build'));
    const [commandLine, build] = builds;
    expect(commandLine).toMatch(/--output type=local,dest=dist\/image$/);
    expect(builds).toHaveLength(2);
    expect(build).toContain(`--push --platform linux/amd64,linux/arm64 --tag ${image}:1.2.3`);
    expect(build).toContain('--sbom=true --provenance=mode=max');
    expect(calls).toContain(`helm push release/albridge-1.2.3.tgz oci://${image}/charts`);
    expect(calls).toContain('jq --raw-output ."containerimage.digest" image.json');
    expect(calls.filter((call) => call.startsWith('cosign'))).toEqual([
      `cosign sign --yes ${image}@${IMAGE_DIGEST}`,
      `cosign sign --yes ${image}/charts/albridge@${CHART_DIGEST}`,
      'cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS',
    ]);
    expect(calls.at(-1)).toContain('gh release create v1.2.3 --verify-tag');
    expect(calls.at(-1)).not.toContain('--prerelease');
    expect(calls.join('\n')).not.toContain('secret');
  });

  it('publish a release candidate as a prerelease', async () => {
    const calls = await run('v1.2.3-rc.1');
    expect(calls.at(-1)).toMatch(/^gh release create v1\.2\.3-rc\.1 .* --prerelease /);
  });

  it('stop where the registry refuses the chart: it is not signed, and there is no release page', async () => {
    await writeProgram(
      directory,
      'helm',
      '[ "$1" != push ] || { echo "Error: denied" >&2; exit 1; }',
    );
    await expect(run()).rejects.toThrow('Command failed');
    const calls = await readIfAny(join(directory, 'calls'));
    expect(calls).toContain('docker buildx build');
    expect(calls).not.toMatch(/cosign sign --yes \S+charts|gh release/);
  });
});

/** Each key of it is one that decides who may publish what: a new one is added here with its reason. */
describe('the workflow', () => {
  interface Step {
    readonly uses?: string;
    readonly with?: unknown;
  }
  type Job = Readonly<Record<string, unknown>> & { readonly steps: readonly Step[] };
  const workflow = parse(readFileSync(resolve(ROOT, '.github/workflows/release.yaml'), 'utf8'));
  const { jobs, ...head } = workflow as { readonly jobs: Readonly<Record<string, Job>> };

  it('starts by a tag alone, with the right to read', () => {
    expect(head).toEqual({
      name: 'release',
      on: { push: { tags: ['v[0-9]*'] } },
      permissions: { contents: 'read' },
      concurrency: { group: 'release-${{ github.ref }}', 'cancel-in-progress': false },
      defaults: { run: { shell: 'bash' } },
      env: { COSIGN: expect.stringMatching(/@v\d/) },
    });
  });

  it('publishes only after the gates, by rights for what it publishes', () => {
    const [gates, publish] = Object.values(jobs).map((job) => {
      const others = Object.entries(job).filter(([key]) => !['env', 'steps'].includes(key));
      return Object.fromEntries(others);
    });
    const machine = { 'runs-on': 'ubuntu-24.04', 'timeout-minutes': 60 };
    expect(Object.keys(jobs)).toEqual(['gates', 'publish']);
    expect(gates).toEqual(machine);
    expect(publish).toEqual({
      ...{ ...machine, needs: 'gates' },
      permissions: { contents: 'write', packages: 'write', 'id-token': 'write' },
    });
  });

  it('leaves no token in the checkout, and has no step that may fail or be left out', () => {
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const checkouts = steps.filter(({ uses }) => uses !== undefined);
    expect(checkouts).toHaveLength(2);
    for (const checkout of checkouts)
      expect(checkout.with).toEqual({ 'fetch-depth': 0, 'persist-credentials': false });
    const keys = steps.flatMap((step) => Object.keys(step));
    expect([...new Set(keys)].toSorted()).toEqual(['env', 'name', 'run', 'uses', 'with']);
  });
});
