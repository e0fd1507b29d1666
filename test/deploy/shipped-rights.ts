import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './place.ts';

/** One verb on one resource, and where in the manifests it stands. */
export interface ShippedRight {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `myingresses/status`. */
  readonly resource: string;
  /** More than one where several kinds need the same. */
  readonly grants: readonly Grant[];
}

export interface Grant {
  /** The name of the role. */
  readonly name: string;
  /** For kubectl: the kind, the name and the namespace of the role. */
  readonly role: readonly string[];
  /** JSON pointer to the verb in the role. */
  readonly verbPath: string;
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Every right of deploy/install.yaml, as `patch demo.rtfm.co.ua/myingresses/status`. */
export async function shippedRights(): Promise<Readonly<Record<string, ShippedRight>>> {
  const text = await readFile(resolve(ROOT, 'deploy/install.yaml'), 'utf8');
  const roles = parseAllDocuments(text)
    .map((document) => document.toJS() as Role)
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
  const rights = Map.groupBy(roles.flatMap(rightsOf), nameOf);
  return Object.fromEntries(
    [...rights].map(([name, same]) => [name, { ...same[0], grants: same.flatMap(grantsOf) }]),
  ) as Readonly<Record<string, ShippedRight>>;
}

function grantsOf({ grants }: ShippedRight): readonly Grant[] {
  return grants;
}

function rightsOf(role: Role): readonly ShippedRight[] {
  return role.rules.flatMap((rule, at) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        rule.verbs.map((verb, index) => {
          const grant = { ...forKubectl(role), verbPath: `/rules/${at}/verbs/${index}` };
          return { verb, group, resource, grants: [grant] };
        }),
      ),
    ),
  );
}

function forKubectl({ kind, metadata }: Role): Omit<Grant, 'verbPath'> {
  const { name, namespace } = metadata;
  const where = namespace === undefined ? [] : ['-n', namespace];
  return { name, role: [kind.toLowerCase(), name, ...where] };
}

/** `create core/pods/eviction` */
export function nameOf(right: Omit<ShippedRight, 'grants'>): string {
  const { verb, group, resource } = right;
  return `${verb} ${group === '' ? 'core' : group}/${resource}`;
}
