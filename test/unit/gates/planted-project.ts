import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** The parts of the project that the gates themselves are made of. */
const GATES = [
  '.gitignore',
  '.oxlintrc.json',
  'biome.json',
  'knip.json',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'deploy/no-arguments.ts',
  'test/gates',
  'test/run.ts',
];

/** A small project with the gates of this one, in a directory of its own. */
export interface PlantedProject extends Disposable {
  readonly directory: string;
  /** What `node test/gates/lint.ts` says there. */
  lint(): { readonly code: number | null; readonly lines: readonly string[] };
}

/** `files`: path from the project's root -> content. */
export function plantProject(files: Readonly<Record<string, string>>): PlantedProject {
  const directory = mkdtempSync(join(tmpdir(), 'albridge-planted-'));
  for (const gate of GATES) cpSync(join(root, gate), join(directory, gate), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return {
    directory,
    lint: () => {
      const run = spawnSync(process.execPath, ['test/gates/lint.ts'], {
        cwd: directory,
        encoding: 'utf8',
      });
      return { code: run.status, lines: `${run.stdout}${run.stderr}`.trim().split('\n') };
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}
