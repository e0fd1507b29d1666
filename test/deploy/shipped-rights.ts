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

interface Grant {
  /** The name of the role. */
  readonly name: string;
  /** For kubectl: the kind, the name and the namespace of the role. */
  readonly role: readonly string[];
  readonly rules: readonly Rule[];
  /** The same rules less this one right. */
  readonly without: readonly Rule[];
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
}

export interface Rule {
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
  const { kind, metadata, rules } = role;
  const { name, namespace } = metadata;
  const where = namespace === undefined ? [] : ['-n', namespace];
  const single = rules.flatMap(takenApart);
  return single.map((rule) => {
    const [[group = ''], [resource = ''], [verb = '']] = [
      rule.apiGroups,
      rule.resources,
      rule.verbs,
    ];
    const without = single.filter((other) => other !== rule);
    const grant = { name, role: [kind.toLowerCase(), name, ...where], rules, without };
    return { verb, group, resource, grants: [grant] };
  });
}

/** One rule for each verb on each resource; all else that a rule says, such as names, stays. */
function takenApart(rule: Rule): readonly Rule[] {
  return rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.map((verb) => ({
        ...rule,
        apiGroups: [group],
        resources: [resource],
        verbs: [verb],
      })),
    ),
  );
}

/** `create core/pods/eviction` */
export function nameOf(right: Omit<ShippedRight, 'grants'>): string {
  const { verb, group, resource } = right;
  return `${verb} ${group === '' ? 'core' : group}/${resource}`;
}
