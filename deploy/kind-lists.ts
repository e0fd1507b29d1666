import { readdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { KINDS } from '../src/setup/kinds.ts';

/**
 * `npm run gen`: the lists of kinds that settings and kustomize need, from src/setup/kinds.ts and from
 * the folders in crds. The settings do not import the registry: with it come all controllers.
 */

const ROOT = resolve(import.meta.dirname, '..');
const HEAD = 'Written by deploy/kind-lists.ts; run `npm run gen` after a change of';

/** The text of each file, by its path. */
export function renderKindLists(
  kinds: readonly string[] = Object.keys(KINDS),
  definitions: readonly string[] = definitionFolders(),
): Readonly<Record<string, string>> {
  return {
    'src/apis/kind-names.ts': renderNames(kinds),
    'deploy/components/kustomization.yaml': `# ${HEAD} src/setup/kinds.ts.
# Every kind. A name here is a name in ALBRIDGE_KINDS.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
components:
${kinds.map((kind) => `  - ${kind}\n`).join('')}`,
    'crds/kustomization.yaml': `# ${HEAD} the folders here.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
${definitions.map((name) => `  - ${name}\n`).join('')}`,
  };
}

function renderNames(kinds: readonly string[]): string {
  return `// ${HEAD} src/setup/kinds.ts.

/** The names in ALBRIDGE_KINDS. */
export const KIND_NAMES = [
${kinds.map((kind) => `  '${kind}',\n`).join('')}] as const;

export type KindName = (typeof KIND_NAMES)[number];
`;
}

function definitionFolders(): readonly string[] {
  const entries = readdirSync(resolve(ROOT, 'crds'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).toSorted();
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(renderKindLists())) {
    writeFileSync(resolve(ROOT, path), text);
  }
}
