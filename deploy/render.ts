import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';

/**
 * `npm run gen`: deploy/install.yaml, the base and every kind in one file, comments kept. They are
 * resources alone, so that putting them one after the other is all that kustomize would do; it
 * refuses a kustomization that is more than that.
 */

const ROOT = resolve(import.meta.dirname, '..');
const INSTALL = resolve(ROOT, 'deploy/install.yaml');
const HEAD = `# Written by deploy/render.ts from deploy/base, deploy/components and crds; run \`npm run gen\` after a change there.
# kubectl apply --server-side -f deploy/install.yaml
`;

/** The text of install.yaml. */
export async function renderInstall(): Promise<string> {
  const files = await resourceFiles(resolve(ROOT, 'deploy/kustomization.yaml'));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return HEAD + texts.map((text) => `---\n${text.replace(/^---\n/, '').trimEnd()}\n`).join('');
}

async function resourceFiles(kustomization: string): Promise<readonly string[]> {
  const parsed = parse(await readFile(kustomization, 'utf8')) as {
    readonly [field: string]: unknown;
    readonly resources?: readonly string[];
    readonly components?: readonly string[];
  };
  const { resources = [], components = [], ...more } = parsed;
  const surplus = Object.keys(more).filter((field) => !['apiVersion', 'kind'].includes(field));
  if (surplus.length > 0) {
    throw new Error(`${kustomization} does more than list resources: ${surplus.join(', ')}`);
  }
  // The CRDs and rights first, so that they are there when the operator starts.
  const nested = [...components, ...resources].map(async (entry) => {
    const path = resolve(dirname(kustomization), entry);
    const isDirectory = (await stat(path)).isDirectory();
    return isDirectory ? resourceFiles(join(path, 'kustomization.yaml')) : [path];
  });
  return (await Promise.all(nested)).flat();
}

if (import.meta.main) await writeFile(INSTALL, await renderInstall());
