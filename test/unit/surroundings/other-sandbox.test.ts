import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTarget } from '../../fakes/http-target.ts';
import { refuseOtherSandbox } from '../../sandbox/other-sandbox.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-sandbox-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a second sandbox with the directory of another', () => {
  it('is refused while the first one runs, and allowed once it is gone', async () => {
    await refuseOtherSandbox(directory);
    const first = await startTarget('control plane');
    await writeFile(join(directory, 'kubeconfig'), `    server: https://${first.address}\n`);
    await expect(refuseOtherSandbox(directory)).rejects.toThrow(
      `another sandbox runs with --dir ${directory}: stop it, or give another directory`,
    );
    await first.stop();
    await refuseOtherSandbox(directory);
  });
});
