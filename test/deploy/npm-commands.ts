import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pages } from './commands.ts';
import { ROOT } from './place.ts';

/** What becomes of a script of package.json in the tests. */
export type Fate =
  /** Pasted into a shell in a fresh clone; a run that takes long is told to be short. */
  | { readonly paste: string }
  /** The file that runs it. */
  | { readonly by: string };

/** Every script that a page for users names. */
export const npmCommands: Readonly<Record<string, Fate>> = {
  ci: { by: '.ci/run' },
  test: { by: '.ci/run' },
  demo: { by: 'test/demo/demo.test.ts' },
  sandbox: { by: 'test/sandbox/sandbox.test.ts' },
  start: { paste: 'npm start -- --help' },
  check: { by: '.ci/run' },
  bench: { paste: 'npm run bench -- --only startTime --runs 1' },
  // In two steps, for another setting of the second.
  'test:all': { by: '.ci/run' },
  'test:aws': { by: '.ci/run' },
  docs: { by: 'test/unit/docs/site.test.ts' },
  gen: { by: 'test/unit/docs/mirror.test.ts' },
  simulate: { paste: 'npm run simulate -- --seeds 2' },
  albridge: { paste: 'npm run albridge -- --help' },
  build: { paste: 'npm run build' },
  release: { by: 'test/unit/deploy/release.test.ts' },
  undeploy: { by: 'test/deploy/undeploy.test.ts' },
};

/** The scripts that the pages name, each once. */
export async function namedCommands(): Promise<readonly string[]> {
  const texts = await Promise.all(
    (await pages()).map((page) => readFile(resolve(ROOT, page), 'utf8')),
  );
  const found = [...texts.join('\n').matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)];
  return [...new Set(found.map(([, name = '']) => name))].sort();
}
