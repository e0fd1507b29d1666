import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = 'src/controllers/targets';

it('the guided tour of an endpoint names every file of its folder, once, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const [, way = ''] = /^## The way of an endpoint$([^]*?)(?:^## |$(?![^]))/m.exec(page) ?? [];
  const named = [...way.matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map(([, path]) => path);
  const files = readdirSync(join(ROOT, FOLDER))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${FOLDER}/${file}`);
  expect(new Set(named)).toEqual(new Set(files));
  expect(named).toHaveLength(files.length);
});
