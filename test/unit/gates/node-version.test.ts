import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** Runs the guard in a process that claims to be of another version. */
function guard(version: string): { readonly code: number | null; readonly says: string } {
  const claim = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  const script = `${claim} await import('${root}/test/node-version.mjs'); process.stdout.write('ran');`;
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return { code: run.status, says: `${run.stdout}${run.stderr}` };
}

describe('the guard against an old Node', () => {
  it.each(['18.19.0', '20.20.2', '22.22.0', '24.11.9'])('refuses %s in one sentence', (version) => {
    const { code, says } = guard(version);
    expect(code).toBe(1);
    expect(says).toMatch(
      new RegExp(`^albridge needs Node 24.12 or newer, and this is ${version}\\.`),
    );
    expect(says).not.toContain('ran');
  });

  it.each(['24.12.0', '24.21.0', '26.0.0'])('lets %s pass', (version) => {
    expect(guard(version)).toEqual({ code: 0, says: 'ran' });
  });

  it('stands before every script that runs TypeScript', () => {
    const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    for (const [name, script] of Object.entries(manifest.scripts)) {
      if (!script.includes('.ts')) continue;
      expect(script, name).toMatch(
        /^node --import \.\/test\/node-version\.mjs [\w/-]+\.ts( && node [\w/-]+\.ts)*$/,
      );
    }
    expect(Object.keys(manifest.scripts)).toContain('test');
  });
});
