import { type Container, listItems, type Variable } from '../src/cli/account/operators.ts';
import type { Manifest, Reach } from './custom-objects.ts';

/** The namespaces whose objects an installation serves: what its rights and its setting both include. */

export interface Workload extends Manifest {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName?: string;
        readonly containers: readonly (Container & { readonly envFrom?: readonly unknown[] })[];
      };
    };
  };
}

export interface ConfigMap extends Manifest {
  readonly data?: Readonly<Record<string, string>>;
}

const SETTING = 'ALBRIDGE_NAMESPACES';

/** It cannot be known which objects are those of the installation. */
export class UnknownReach extends Error {
  constructor() {
    super(
      `the Deployment takes ${SETTING} from neither its env nor a ConfigMap, so nothing was deleted; ` +
        `set ${SETTING} in its env, empty for all namespaces`,
    );
    this.name = 'UnknownReach';
  }
}

/** Where the operator's ServiceAccount has rights on a kind. Roles of others, such as those for users, do not count. */
export function findGrant(
  manifests: readonly Manifest[],
  operator: Workload,
  kind: { readonly group: string; readonly plural: string },
): Reach {
  const roles = manifests.filter((role) => isFor(role, kind));
  const bindings = manifests.filter(
    (binding) => isOf(binding, operator) && roles.some((role) => binds(binding, role)),
  );
  if (bindings.some((binding) => binding.kind === 'ClusterRoleBinding')) return 'everywhere';
  return [...new Set(bindings.map(namespaceOf))];
}

function isFor(
  { rules = [] }: Manifest,
  { group, plural }: { readonly group: string; readonly plural: string },
): boolean {
  return rules.some(
    ({ apiGroups = [], resources = [] }) => apiGroups.includes(group) && resources.includes(plural),
  );
}

function isOf({ subjects = [] }: Manifest, operator: Workload): boolean {
  const { serviceAccountName = 'default' } = operator.spec.template.spec;
  return subjects.some(
    ({ kind, name, namespace }) =>
      kind === 'ServiceAccount' &&
      name === serviceAccountName &&
      namespace === namespaceOf(operator),
  );
}

/** A Role is one of the namespace of its binding. */
function binds(binding: Manifest, role: Manifest): boolean {
  const { kind, name } = binding.roleRef ?? {};
  if (kind !== role.kind || name !== role.metadata.name) return false;
  return kind === 'ClusterRole' || namespaceOf(role) === namespaceOf(binding);
}

/** The namespaces that the operator was set to serve. `read` reads a ConfigMap of its namespace. */
export async function readServed(
  operator: Workload,
  read: (name: string) => Promise<ConfigMap | undefined>,
): Promise<Reach> {
  const { containers } = operator.spec.template.spec;
  const variable = containers
    .flatMap(({ env = [] }) => env)
    .findLast(({ name }) => name === SETTING);
  if (variable?.valueFrom?.fieldRef?.fieldPath === 'metadata.namespace') {
    return [namespaceOf(operator)];
  }
  const setting = variable && (await readSetting(variable, read));
  // It counts where env does not set the variable: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#environment-variables
  const canBeElsewhere = containers.some(({ envFrom = [] }) => envFrom.length > 0);
  if (setting === undefined && canBeElsewhere) throw new UnknownReach();
  return parseNamespaces(setting);
}

/** An empty value is left out of what the API server answers. */
async function readSetting(
  { value = '', valueFrom }: Variable,
  read: (name: string) => Promise<ConfigMap | undefined>,
): Promise<string | undefined> {
  if (valueFrom === undefined) return value;
  const { configMapKeyRef: ref } = valueFrom;
  if (ref === undefined) throw new UnknownReach();
  return (await read(ref.name))?.data?.[ref.key];
}

/** The operator takes a blank setting for none, and does not start with one that names no namespace. */
function parseNamespaces(setting = ''): Reach {
  if (setting.trim() === '') return 'everywhere';
  return [...new Set(listItems(setting))];
}

export function intersect(one: Reach, other: Reach): Reach {
  if (one === 'everywhere') return other;
  return other === 'everywhere' ? one : one.filter((namespace) => other.includes(namespace));
}

export function unite(reaches: readonly Reach[]): Reach {
  if (reaches.includes('everywhere')) return 'everywhere';
  return [...new Set(reaches.flat())];
}

function namespaceOf({ metadata }: Manifest): string {
  return metadata.namespace ?? 'default';
}
