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
  /** For kubectl: the kind, the name and the namespace of its role. */
  readonly role: readonly string[];
  /** JSON pointer to the verb in the role. */
  readonly verbPath: string;
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** Every right of deploy/install.yaml, as `patch demo.rtfm.co.ua/myingresses/status`. */
export async function shippedRights(): Promise<Readonly<Record<string, ShippedRight>>> {
  const text = await readFile(resolve(ROOT, 'deploy/install.yaml'), 'utf8');
  const roles = parseAllDocuments(text)
    .map((document) => document.toJS() as Role)
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
  const rights = roles.flatMap(rightsOf);
  return Object.fromEntries(rights.map((right) => [nameOf(right), right]));
}

function rightsOf({ kind, metadata, rules }: Role): readonly ShippedRight[] {
  const { name, namespace } = metadata;
  const role = [kind.toLowerCase(), name, ...(namespace === undefined ? [] : ['-n', namespace])];
  return rules.flatMap(({ apiGroups, resources, verbs }, rule) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb, at) => {
          const verbPath = `/rules/${rule}/verbs/${at}`;
          return { verb, group, resource, role, verbPath };
        }),
      ),
    ),
  );
}

function nameOf({ verb, group, resource }: ShippedRight): string {
  return `${verb} ${group === '' ? 'core' : group}/${resource}`;
}
