import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from '../../../deploy/bundle.ts';
import manifest from '../../../package.json' with { type: 'json' };

const run = promisify(execFile);

it('the bundle has every part of a dependency that the source asks for, and starts', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'albridge-bundle-'));
  try {
    const entry = await bundle(directory);
    const { stdout } = await run(process.execPath, [entry, '--version']);
    expect(stdout).toContain(manifest.version);
  } finally {
    await rm(directory, { recursive: true });
  }
});
