import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '../../..');

const files = Object.entries(manifest.scripts).flatMap(([script, command]) =>
  (command.match(/\S+\.(ts|mjs)\b/g) ?? []).map((file) => ({ script, file })),
);

it.each(files)('$file, which npm run $script starts, exists', ({ file }) => {
  expect(existsSync(resolve(ROOT, file))).toBe(true);
});

it('every script but those of tools starts a file', () => {
  const without = Object.keys(manifest.scripts).filter(
    (script) => !files.some((one) => one.script === script && one.file.endsWith('.ts')),
  );
  expect(without).toEqual(['format']);
});
