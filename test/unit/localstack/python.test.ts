import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPython, PythonMissing } from '../../../localstack/backends/python.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-python-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** A program of this name that answers as a Python of this version; without one, that refuses. */
async function plant(name: string, version?: string): Promise<void> {
  const path = join(directory, name);
  const [major, minor] = (version ?? '').split('.');
  const body = version === undefined ? 'exit 127' : `echo ${major} ${minor} ${path}`;
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
}

interface Case {
  readonly planted: Readonly<Record<string, string | undefined>>;
  /** The name that is chosen; undefined: none. */
  readonly chosen: string | undefined;
  readonly why: string;
}

const cases: Readonly<Record<string, Case>> = {
  'a good one': { planted: { python3: '3.11' }, chosen: 'python3', why: 'it is new enough' },
  'the oldest that will do': { planted: { python3: '3.10' }, chosen: 'python3', why: 'the bound' },
  'an old one beside a new one': {
    planted: { python3: '3.9', 'python3.12': '3.12' },
    chosen: 'python3.12',
    why: 'distributions keep an old python3 and offer new ones by their number',
  },
  'a shim that refuses': {
    planted: { python3: undefined, 'python3.11': '3.11' },
    chosen: 'python3.11',
    why: 'a version manager puts names on the PATH for versions that are not chosen',
  },
  'only an old one': { planted: { python3: '3.9', python: '2.7' }, chosen: undefined, why: '3.10' },
  none: { planted: {}, chosen: undefined, why: 'a machine without Python' },
};

describe('the search for Python', () => {
  it.each(Object.entries(cases))('with %s', async (_, { planted, chosen, why }) => {
    for (const [name, version] of Object.entries(planted)) await plant(name, version);
    const found = await findPython({ PATH: directory }).catch((error: unknown) => error);
    if (chosen === undefined) expect(found, why).toBeInstanceOf(PythonMissing);
    else expect(found, why).toMatchObject({ path: join(directory, chosen) });
  });

  it('ends in one sentence where there is none', async () => {
    await expect(findPython({ PATH: directory })).rejects.toThrow(
      /^LocalStack's open runtime and moto need Python 3\.10 or newer, and there is none on the PATH; [^.]+$/,
    );
  });
});
