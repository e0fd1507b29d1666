import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-no-python-'));
});
afterEach(() => rm(directory, { recursive: true }));

const ROOT = resolve(import.meta.dirname, '../../..');

/** The suite against LocalStack on a machine without Python. */
async function runSuite(extra: Readonly<Record<string, string>>): Promise<[number, string]> {
  const args = ['test/run.ts', '--project', 'aws-localstack', 'test/aws/operations.test.ts'];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: directory, HOME: directory, NO_COLOR: '1', ...extra },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return [code, output];
}

describe('the suite against LocalStack without Python', { timeout: 180_000 }, () => {
  it('says so in a sentence and counts its tests as skipped', async () => {
    const [, output] = await runSuite({});
    expect(output).toMatch(
      /the suite against localstack is skipped: .* need Python 3\.10 or newer/,
    );
    expect(output.trimEnd().split('\n').at(-1)).toMatch(/^0 passed, 0 failed, \d\d skipped$/);
  });

  it('fails where Python is required, as in continuous integration', async () => {
    const [code, output] = await runSuite({ ALBRIDGE_TEST_PYTHON: 'required' });
    expect(code).not.toBe(0);
    expect(output).toContain('Python 3.10 or newer');
    expect(output.trimEnd().split('\n').at(-1)).toMatch(/[1-9]\d* failed/);
  });
});
