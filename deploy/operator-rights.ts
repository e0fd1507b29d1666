import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { KINDS } from '../src/setup/kinds.ts';

/** `npm run gen`: src/cli/doctor/operator-rights.ts, the rights of the operator by kind, which `albridge doctor` checks. */

const ROOT = resolve(import.meta.dirname, '..');
export const OPERATOR_RIGHTS = 'src/cli/doctor/operator-rights.ts';

interface Role {
  readonly kind: string;
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** The text of operator-rights.ts. */
export function renderOperatorRights(): string {
  const names = Object.keys(KINDS).filter((name) => name !== 'configmap-annotation');
  const entries = names.map((name) => {
    const rights = listRights(name).map((right) => `    '${right}',\n`);
    return `  ${name}: [\n${rights.join('')}  ],\n`;
  });
  return `// Written by deploy/operator-rights.ts from deploy/components; run \`npm run gen\` after a change there.

/** By kind: verb, resource and API group. */
export const OPERATOR_RIGHTS: Readonly<Record<string, readonly string[]>> = {
${entries.join('')}};
`;
}

function listRights(name: string): readonly string[] {
  const path = resolve(ROOT, 'deploy/components', name, 'rights.yaml');
  const documents = parseAllDocuments(readFileSync(path, 'utf8'));
  const roles = documents.map((document) => document.toJS() as Role);
  return roles
    .filter(({ kind }) => kind === 'ClusterRole')
    .flatMap(({ rules }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} ${group}`.trim())),
      ),
    );
}

if (import.meta.main) writeFileSync(resolve(ROOT, OPERATOR_RIGHTS), renderOperatorRights());
