import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { blocksOf } from '../../deploy/commands.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const directory = mkdtempSync(join(tmpdir(), 'install-page-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('docs/install.md writes the policy for every cluster id that albridge accepts', async () => {
  const blocks = await blocksOf('docs/install.md');
  const { text } = blocks.find((one) => one.text.includes('> albridge-policy.json')) ?? {
    text: '',
  };
  // What ALBRIDGE_CLUSTER_ID takes, and words that the page replaces.
  const id = 'Team_a.b:c/d=e+f-g@REGION-ACCOUNT_ID';
  const commands = text
    .replace(/CLUSTER_ID=\$\(.*\)/, `CLUSTER_ID='${id}'`)
    .replace('> albridge-policy.json', `> ${directory}/policy.json`);
  const { status, stderr } = spawnSync('sh', ['-ec', commands], { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const shipped = readFileSync(resolve(ROOT, 'deploy/iam/policy.json'), 'utf8');
  const written = readFileSync(join(directory, 'policy.json'), 'utf8');
  expect(written).toBe(
    shipped
      .replaceAll('ACCOUNT_ID', '111122223333')
      .replaceAll('REGION', 'eu-central-1')
      .replaceAll('CLUSTER_ID', id),
  );
});
