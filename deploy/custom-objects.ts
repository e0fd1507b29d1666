import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kubectl, unlikeKubectl } from './kubectl.ts';

/** The objects of albridge's kinds in the caller's cluster. */

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
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
  /** Whether the installation has rights on its objects. */
  readonly isGranted: boolean;
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

interface Definition {
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
  // Else it would be an option.
  const args = ['kustomize', directory.startsWith('-') ? `./${directory}` : directory];
  const manifests = readDocuments(await kubectl(args)).filter(isManifest);
  if (manifests.length === 0) throw unlikeKubectl(args, 'manifests');
  return manifests;
}

/** None of what is no YAML. */
function readDocuments(text: string): readonly unknown[] {
  try {
    return parseAllDocuments(text).map((one) => one.toJS() as unknown);
  } catch {
    return [];
  }
}

function isManifest(document: unknown): document is Manifest {
  const { apiVersion, kind, metadata } = (document ?? {}) as Partial<Manifest>;
  return [apiVersion, kind, metadata?.name].every((one) => typeof one === 'string');
}

/** Our kinds that the cluster serves, whether or not these Roles are for them; the others have no objects. */
export async function servedKinds(operator: readonly Manifest[]): Promise<readonly CustomKind[]> {
  const definitions = (await manifestsIn(CRDS)) as readonly unknown[] as readonly Definition[];
  const kinds = definitions.map((definition) => readKind(definition, operator));
  const served = await Promise.all(kinds.map(isServed));
  return kinds.filter((_, index) => served[index]);
}

function readKind({ spec }: Definition, operator: readonly Manifest[]): CustomKind {
  const { group, names, versions } = spec;
  const name = { group, plural: names.plural };
  return {
    ...name,
    hasDeletionPolicy: versions.some(({ schema }) => {
      const { properties } = schema.openAPIV3Schema.properties?.['spec'] ?? {};
      return properties?.['deletionPolicy'] !== undefined;
    }),
    isGranted: operator.some((role) => isFor(role, name)),
  };
}

function isFor(
  { rules = [] }: Manifest,
  { group, plural }: Pick<CustomKind, 'group' | 'plural'>,
): boolean {
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
    return await readList(['get', nameOf(kind), ...where, '-o', 'json']);
  } catch (error) {
    if (await isServed(kind)) throw error;
    return [];
  }
}

async function readList(args: readonly string[]): Promise<readonly CustomObject[]> {
  const items = readItems(await kubectl(args));
  if (!Array.isArray(items) || !items.every(isManifest)) throw unlikeKubectl(args, 'list');
  return items;
}

function readItems(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly items?: unknown } | null)?.items;
  } catch {
    return undefined;
  }
}

/** Of what albridge made in AWS for an object the operator alone can let go. */
export function needsOperator({ metadata }: CustomObject): boolean {
  return (metadata.finalizers ?? []).some((name) => name.startsWith('albridge.io/'));
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
