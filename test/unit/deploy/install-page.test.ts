import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { blocksOf } from '../../deploy/commands.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const directory = mkdtempSync(join(tmpdir(), 'install-page-'));
afterAll(() => rmSync(directory, { recursive: true }));

it.each(['aws', 'aws-us-gov'])(
  'docs/install.md writes the policy for every cluster id that albridge accepts, in the partition %s',
  async (partition) => {
    const blocks = await blocksOf('docs/install.md');
    const { text } = blocks.find((one) => one.text.includes('> albridge-policy.json')) ?? {
      text: '',
    };
    // What ALBRIDGE_CLUSTER_ID takes, and words that the page replaces.
    const id = 'Team_a.b:c/d=e+f-g@REGION-ACCOUNT_ID-arn:aws:';
    const commands = text
      .replace(/CLUSTER_ID=\$\(.*\)/, `CLUSTER_ID='${id}'`)
      .replace('PARTITION=aws', `PARTITION=${partition}`)
      .replace('> albridge-policy.json', `> ${directory}/policy.json`);
    const { status, stderr } = spawnSync('sh', ['-ec', commands], { cwd: ROOT, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const shipped = readFileSync(resolve(ROOT, 'deploy/iam/policy.json'), 'utf8');
    const written = readFileSync(join(directory, 'policy.json'), 'utf8');
    expect(written).toBe(
      shipped
        .replaceAll('arn:aws:', `arn:${partition}:`)
        .replaceAll('ACCOUNT_ID', '111122223333')
        .replaceAll('REGION', 'eu-central-1')
        .replaceAll('CLUSTER_ID', id),
    );
  },
);

it('docs/install.md has each ARN of its commands for EKS in the partition', async () => {
  const blocks = await blocksOf('docs/install.md');
  const commands = blocks.filter(({ text }) => text.includes('arn:'));
  const texts = commands.map(({ text }) => text.replace('s#arn:aws:#arn:$PARTITION:#', ''));
  expect(texts.filter((text) => text.includes('arn:aws:'))).toEqual([]);
  const filled = blocks.filter(({ text }) => /deploy\/iam\/(policy|trust-irsa)\.json/.test(text));
  expect(filled).toHaveLength(2);
  for (const { text } of filled) expect(text).toContain('-e "s#arn:aws:#arn:$PARTITION:#"');
});

describe('the published release of docs/install.md', () => {
  const workflow = readFileSync(resolve(ROOT, '.github/workflows/release.yaml'), 'utf8');
  const page = readFileSync(resolve(ROOT, 'docs/install.md'), 'utf8');
  const [, section = ''] = /^## A published release\n([^]*?)^## /m.exec(page) ?? [];

  it.each([
    ['image', 'IMAGE: ghcr.io/${{ github.repository }}', 'cosign verify ghcr.io/OWNER/albridge:'],
    ['tag of the image', '--tag "$IMAGE:$VERSION"', 'ghcr.io/OWNER/albridge:VERSION'],
    ['chart', '"oci://$IMAGE/charts"', 'oci://ghcr.io/OWNER/albridge/charts/albridge --version'],
    ['tag', 'tags: ["v[0-9]*"]', '.github/workflows/release.yaml@refs/tags/vVERSION'],
    [
      'signature of the image',
      'cosign sign --yes "$IMAGE@',
      'cosign verify ghcr.io/OWNER/albridge:',
    ],
    [
      'signature of the chart',
      'cosign sign --yes "$IMAGE/charts/albridge@',
      '/charts/albridge:VERSION',
    ],
    [
      'signature of the sums',
      'cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS',
      'cosign verify-blob SHA256SUMS --bundle SHA256SUMS.sigstore.json',
    ],
  ])('has the %s as .github/workflows/release.yaml makes it', (_name, made, documented) => {
    expect(workflow).toContain(made);
    expect(section).toContain(documented);
  });

  it('says that none exists, and names each file of its page', () => {
    expect(section).toContain('Nothing has been published yet');
    const [, files = ''] = /gh release create [^]*?\n([^]*)$/.exec(workflow) ?? [];
    const names = files.match(/[\w.$-]+\.\w+|SHA256SUMS(?=\s)/g) ?? [];
    expect(names.length).toBeGreaterThan(8);
    const unnamed = ['schema.json', 'albridge.mjs.LEGAL.txt', 'THIRD-PARTY-LICENSES.txt'];
    for (const name of names.filter((one) => !unnamed.some((known) => one.endsWith(known)))) {
      expect(section).toContain(`\`${name.replace('$VERSION', 'VERSION')}\``);
    }
  });
});

it('docs/install.md removes every cluster-wide object of the kind that it takes as an example', () => {
  const files = ['policy.yaml', 'rights.yaml'].map((name) =>
    readFileSync(resolve(ROOT, 'deploy/components/webapp', name), 'utf8'),
  );
  const objects = files.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS()));
  const names = new Set(objects.map(({ metadata }) => metadata.name));
  const page = readFileSync(resolve(ROOT, 'docs/install.md'), 'utf8');
  const [, commands = ''] = /For WebApp:\n\n([^]*?)\n\n/.exec(page) ?? [];
  const shown = [...commands.matchAll(/[` ](albridge-webapp[\w-]*)`/g)].map(([, name]) => name);
  expect(new Set(shown)).toEqual(names);
  const kinds = new Set(objects.map(({ kind }) => String(kind).toLowerCase()));
  for (const kind of kinds) expect(commands).toContain(kind.replace(/y$/, 'ie'));
});
