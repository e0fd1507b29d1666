import type { Manifest } from './helm.ts';

/** What Helm adds: it keeps an object at `helm uninstall`, and restarts pods whose settings change. */
const OF_HELM = ['helm.sh/resource-policy', 'checksum/settings'];

/** `helm install --create-namespace` makes it, without labels: docs/install.md labels it. */
const NOT_OF_THE_CHART = 'Namespace//albridge-system';

/** The objects by kind, namespace and name, without what may differ between Helm and kustomize. */
export function comparable(objects: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const rows = objects.map((object) => [nameOf(object), normalise(object)] as const);
  const names = rows.map(([name]) => name);
  const doubles = names.filter((name, index) => names.indexOf(name) !== index);
  if (doubles.length > 0) throw new Error(`rendered twice: ${doubles.join(', ')}`);
  return Object.fromEntries(rows.filter(([name]) => name !== NOT_OF_THE_CHART));
}

function nameOf({ kind, metadata: { name, namespace = '' } }: Manifest): string {
  return `${kind}/${namespace}/${withoutHash(name)}`;
}

/** kustomize ends the name of a ConfigMap that it generates with a hash of its data. */
function withoutHash(name: string): string {
  return name.replace(/^(albridge-settings)-[a-z0-9]{10}$/, '$1');
}

function normalise(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return withoutHash(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => normalise(item));
    return key === 'env' ? items.toSorted(byName) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !OF_HELM.includes(name))
    .map(([name, one]) => [name, normalise(one, name)] as const)
    .filter(([name, one]) => !(name === 'annotations' && isEmpty(one)));
  return Object.fromEntries(entries);
}

function byName(one: unknown, other: unknown): number {
  const [first, second] = [one, other].map((entry) => (entry as { readonly name: string }).name);
  return (first ?? '').localeCompare(second ?? '');
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
