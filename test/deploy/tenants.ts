import { copyFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { until } from '../surroundings/until.ts';
import { type DeployPlace, ROOT } from './place.ts';

export const DRY_RUN = '--dry-run=server';

/** As docs/security.md shows it, with the two tenants of the example; returns the kustomization's directory. */
export async function installGuardrails(place: DeployPlace): Promise<string> {
  const directory = await place.openDirectory();
  const deploy = relative(directory, resolve(ROOT, 'deploy'));
  const kustomization = `
resources: [${deploy}/base]
components: [${deploy}/components, ${deploy}/components/guardrails]
patches: [{ path: tenants.yaml }]
`;
  const example = resolve(ROOT, 'examples/guardrails-01-two-tenants.yaml');
  await copyFile(example, join(directory, 'tenants.yaml'));
  await writeFile(join(directory, 'kustomization.yaml'), kustomization);
  await place.kubectl(['apply', '--server-side', '-k', directory]);
  await place.established();
  return directory;
}

export function patch(
  what: string,
  change: object,
  more: readonly string[] = [],
): readonly string[] {
  return ['patch', ...what.split(' '), '--type=merge', '-p', JSON.stringify(change), ...more];
}

/** `tenant` may write our kinds and ConfigMaps; `trusted` has the rights of the guardrails too. */
export async function createTenant(place: DeployPlace, namespace: string): Promise<void> {
  await place.createNamespace(namespace);
  const role = (name: string, rules: readonly object[]): object => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name },
    rules,
  });
  const groups = ['demo.rtfm.co.ua', 'apps.example.com', ''];
  const own = { apiGroups: groups, resources: ['*'], verbs: ['*'] };
  const more = { apiGroups: ['guardrails.albridge.io'], resources: ['*'], verbs: ['use'] };
  const roles = [role('own', [own]), role('more', [more])];
  for (const one of roles)
    await place.kubectl(['-n', namespace, 'create', '-f', '-'], JSON.stringify(one));
  const bind = ['-n', namespace, 'create', 'rolebinding'];
  await place.kubectl([...bind, 'own', '--role=own', '--user=tenant', '--user=trusted']);
  await place.kubectl([...bind, 'more', '--role=more', '--user=trusted']);
}

interface Checked {
  readonly status?: { readonly typeChecking?: { readonly expressionWarnings?: readonly object[] } };
}

/** What the API server finds in the expressions of these policies, once it has checked them. */
export async function readTypeWarnings(
  place: DeployPlace,
  policies: readonly string[],
): Promise<readonly object[]> {
  const checked = await until('the types are checked', async () => {
    const get = ['get', 'validatingadmissionpolicies', ...policies, '-o', 'json'];
    const { items } = JSON.parse(await place.kubectl(get)) as {
      readonly items: readonly Checked[];
    };
    return items.every(({ status }) => status?.typeChecking !== undefined) && items;
  });
  return checked.flatMap(({ status }) => status?.typeChecking?.expressionWarnings ?? []);
}
