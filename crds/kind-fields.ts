import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type FieldSchema, listFields } from '../src/kube/client/served-fields.ts';

/** `npm run gen`: src/setup/definitions/kind-fields.ts, the fields of each kind, which the operator compares at its start. */

const ROOT = join(import.meta.dirname, '..');
export const KIND_FIELDS_PATH = 'src/setup/definitions/kind-fields.ts';

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly [
      { readonly name: string; readonly schema: { readonly openAPIV3Schema: FieldSchema } },
    ];
  };
}

/** The text of src/setup/definitions/kind-fields.ts. */
export function renderKindFields(): string {
  const rows = readDefinitions().map(({ spec: { group, names, versions } }) => {
    const [{ name, schema }] = versions;
    const fields = listFields(schema.openAPIV3Schema).join(' ');
    return `  {
    group: '${group}',
    version: '${name}',
    kind: '${names.kind}',
    fields:
      '${fields}',
  },
`;
  });
  return `// Written by crds/kind-fields.ts from the CRDs; edit those, then run \`npm run gen\`.

/** The fields of each kind under spec and status, with spaces between them. */
export const KIND_FIELDS = [
${rows.join('')}] as const;
`;
}

function readDefinitions(): readonly Definition[] {
  const entries = readdirSync(join(ROOT, 'crds'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return folders
    .toSorted()
    .map((name) => parse(readFileSync(join(ROOT, 'crds', name, 'crd.yaml'), 'utf8')));
}

if (import.meta.main) writeFileSync(join(ROOT, KIND_FIELDS_PATH), renderKindFields());
