import { access, readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../../..');

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

async function stepsOf(name: string): Promise<readonly Step[]> {
  const text = await readFile(resolve(ROOT, '.github/workflows', name), 'utf8');
  return Object.values((parse(text) as Workflow).jobs).flatMap((job) => job.steps);
}

it('continuous integration runs .ci/run, and every action is pinned by its commit', async () => {
  const names = await readdir(resolve(ROOT, '.github/workflows'));
  const steps = (await Promise.all(names.map(stepsOf))).flat();
  expect(steps.map((step) => step.run)).toContain('.ci/run');
  const used = steps.flatMap((step) => step.uses ?? []);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});

it.each(['CONTRIBUTING.md', 'docs/retries.md'])('%s names only paths that exist', async (page) => {
  const text = await readFile(resolve(ROOT, page), 'utf8');
  const words = [...text.matchAll(/[\w/.*-]+/g)].map(([word]) => word.replace(/\.$/, ''));
  const isPath = (word: string): boolean => /^(src|test|docs|crds|deploy)\/[\w/.-]+$/.test(word);
  const paths = words.filter(isPath);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) await access(resolve(ROOT, path));
});
