import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kubectl } from './kubectl.ts';

/** The objects of albridge's kinds in the caller's cluster. */

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  /** Of a Role. */
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
  }[];
}

/** A kind of ours, as its CRD says. */
export interface CustomKind {
  readonly group: string;
  readonly plural: string;
  /** Whether its objects say what becomes of the load balancer. */
  readonly hasDeletionPolicy: boolean;
}

export interface CustomObject extends Manifest {
  readonly status?: {
    readonly alb?: { readonly arn?: string };
    readonly conditions?: readonly {
      readonly type: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

interface Definition extends Manifest {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

const CRDS = resolve(import.meta.dirname, '../crds');

/** The objects that a kustomization makes. */
export async function manifestsIn(directory: string): Promise<readonly Manifest[]> {
  const rendered = await kubectl(['kustomize', directory]);
  return parseAllDocuments(rendered).map((document) => document.toJS() as Manifest);
}

/** Our kinds that these Roles are for and that the cluster serves; the others have no objects of theirs. */
export async function installedKinds(
  operator: readonly Manifest[],
): Promise<readonly CustomKind[]> {
  const definitions = (await manifestsIn(CRDS)) as readonly Definition[];
  const kinds = definitions.map(({ spec: { group, names, versions } }) => ({
    group,
    plural: names.plural,
    hasDeletionPolicy: versions.some(({ schema }) => {
      const spec = schema.openAPIV3Schema.properties?.['spec'];
      return spec?.properties?.['deletionPolicy'] !== undefined;
    }),
  }));
  const granted = kinds.filter((kind) => operator.some((role) => isFor(role, kind)));
  const served = await Promise.all(granted.map(isServed));
  return granted.filter((_, index) => served[index]);
}

function isFor({ rules = [] }: Manifest, { group, plural }: CustomKind): boolean {
  return rules.some(
    ({ apiGroups, resources }) => apiGroups.includes(group) && resources.includes(plural),
  );
}

async function isServed(kind: CustomKind): Promise<boolean> {
  const names = await kubectl(['api-resources', `--api-group=${kind.group}`, '-o', 'name']);
  return names.split('\n').includes(nameOf(kind));
}

/** Every object of a kind, in one namespace or in all of them; none once its CRD is gone. */
export async function objectsOf(
  kind: CustomKind,
  namespace: string | undefined,
): Promise<readonly CustomObject[]> {
  const where = namespace === undefined ? ['--all-namespaces'] : ['--namespace', namespace];
  try {
    const list = await kubectl(['get', nameOf(kind), ...where, '-o', 'json']);
    return (JSON.parse(list) as { readonly items: readonly CustomObject[] }).items;
  } catch (error) {
    if (await isServed(kind)) throw error;
    return [];
  }
}

/** `MyIngress web/shop: DeletionBlocked: ...`, with what it waits for if it says so. */
export function describeObject({ kind, metadata, status }: CustomObject): string {
  const conditions = status?.conditions ?? [];
  const told = conditions.find(({ type }) => type === 'Stalled') ?? conditions[0];
  const why = told === undefined ? '' : `: ${told.reason}: ${told.message}`;
  return `${kind} ${metadata.namespace}/${metadata.name}${why}`;
}

/** `myingresses.demo.rtfm.co.ua` */
function nameOf({ plural, group }: CustomKind): string {
  return `${plural}.${group}`;
}
