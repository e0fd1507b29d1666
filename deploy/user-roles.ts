import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, stringify } from 'yaml';

/**
 * `npm run gen`: deploy/components/user-roles/roles.yaml, by which the roles that Kubernetes gives to users include
 * our kinds. Aggregation is transitive: `edit` includes `view`, and `admin` includes `edit`.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#user-facing-roles
 */

const ROOT = resolve(import.meta.dirname, '..');
export const USER_ROLES = 'deploy/components/user-roles/roles.yaml';

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly [{ readonly subresources?: { readonly scale?: unknown } }];
  };
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/** The text of roles.yaml. */
export function renderUserRoles(): string {
  const definitions = readDefinitions();
  const rights = (verbs: readonly string[], subresources: readonly string[]): readonly object[] =>
    definitions.map(({ spec: { group, names, versions } }) => {
      const scale = versions[0].subresources?.scale === undefined ? [] : ['scale'];
      const more = [...subresources, ...scale].map((one) => `${names.plural}/${one}`);
      return { apiGroups: [group], resources: [names.plural, ...more], verbs };
    });
  const roles = [
    role('view', 'view', rights(READ, ['status'])),
    role('edit', 'edit', rights(WRITE, [])),
  ];
  return `# Written by deploy/user-roles.ts from crds; run \`npm run gen\` after a change there.
${roles.map((one) => stringify(one, { aliasDuplicateObjects: false })).join('---\n')}`;
}

function role(name: string, aggregate: string, rules: readonly object[]): object {
  const labels = {
    'app.kubernetes.io/name': 'albridge',
    [`rbac.authorization.k8s.io/aggregate-to-${aggregate}`]: 'true',
  };
  const metadata = { name: `albridge-users-${name}`, labels };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules };
}

function readDefinitions(): readonly Definition[] {
  const entries = readdirSync(resolve(ROOT, 'crds'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return folders
    .toSorted()
    .map((name) => parse(readFileSync(resolve(ROOT, 'crds', name, 'crd.yaml'), 'utf8')));
}

if (import.meta.main) {
  mkdirSync(dirname(resolve(ROOT, USER_ROLES)), { recursive: true });
  writeFileSync(resolve(ROOT, USER_ROLES), renderUserRoles());
}
