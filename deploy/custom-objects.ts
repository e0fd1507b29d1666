import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { escapeText } from '../src/cli/output/escape.ts';
import { getController, type OwnerReference } from '../src/core/objects/kube-object.ts';
import { type Kubectl, unlikeKubectl } from './kubectl.ts';

/** The objects of albridge's kinds in the caller's cluster. */

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
  };
  /** Of a Role or ClusterRole. */
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  /** Of a binding. */
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  }[];
}

/** The namespaces in which objects are read. */
export type Reach = 'everywhere' | readonly string[];

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

type ResourceName = Pick<CustomKind, 'group' | 'plural'>;

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

const LABEL = 'app.kubernetes.io/name';

const CRDS = resolve(import.meta.dirname, '../crds');

/** The objects that a kustomization makes. */
export async function manifestsIn(
  kubectl: Kubectl,
  directory: string,
): Promise<readonly Manifest[]> {
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

/** Our kinds that the cluster serves; the others have no objects. */
export async function servedKinds(kubectl: Kubectl): Promise<readonly CustomKind[]> {
  const manifests = await manifestsIn(kubectl, CRDS);
  const kinds = (manifests as readonly unknown[] as readonly Definition[]).map(readKind);
  const served = await Promise.all(kinds.map((kind) => isServed(kubectl, kind)));
  return kinds.filter((_, index) => served[index]);
}

function readKind({ spec }: Definition): CustomKind {
  const { group, names, versions } = spec;
  return {
    ...{ group, plural: names.plural },
    hasDeletionPolicy: versions.some(({ schema }) => {
      const { properties } = schema.openAPIV3Schema.properties?.['spec'] ?? {};
      return properties?.['deletionPolicy'] !== undefined;
    }),
  };
}

async function isServed(kubectl: Kubectl, kind: ResourceName): Promise<boolean> {
  const names = await kubectl(['api-resources', `--api-group=${kind.group}`, '-o', 'name']);
  return names.split('\n').includes(nameOf(kind));
}

/**
 * Objects of kinds that the cluster does not serve are none: the CRDs of Prometheus may be gone already.
 * `kubectl delete` finds no match also for a kind that is served in another version, and where it could not read a
 * list of kinds, which `kubectl api-resources` reports (https://github.com/kubernetes/kubernetes/pull/55162).
 */
export async function selectServed(
  kubectl: Kubectl,
  objects: readonly Manifest[],
): Promise<readonly Manifest[]> {
  const lines = (await kubectl(['api-resources', '--no-headers'])).split('\n');
  const served = new Set(
    lines.map((line) => {
      // NAME, SHORTNAMES (may be empty), APIVERSION, NAMESPACED, KIND
      const [apiVersion = '', , kind = ''] = line.trim().split(/\s+/).slice(-3);
      return nameKind({ apiVersion, kind });
    }),
  );
  return objects.filter((object) => served.has(nameKind(object)));
}

/** In any version. */
function nameKind({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return `${kind}.${apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : ''}`;
}

/** Every object of a kind within the reach; none once its CRD is gone. */
export async function objectsOf(
  kubectl: Kubectl,
  { reach, ...kind }: ResourceName & { readonly reach: Reach },
): Promise<readonly CustomObject[]> {
  const places =
    reach === 'everywhere' ? [['--all-namespaces']] : reach.map((name) => ['--namespace', name]);
  try {
    const lists: CustomObject[] = [];
    for (const place of places) {
      lists.push(...(await readList(kubectl, ['get', nameOf(kind), ...place, '-o', 'json'])));
    }
    return lists;
  } catch (error) {
    if (await isServed(kubectl, kind)) throw error;
    return [];
  }
}

/** A Deployment of any albridge. Its label stays where a kustomization changes names. */
export function isOperator({ kind, metadata }: Manifest): boolean {
  return kind === 'Deployment' && metadata.labels?.[LABEL] === 'albridge';
}

/** The Deployments of all albridges in the cluster. */
export function operatorsIn(kubectl: Kubectl): Promise<readonly Manifest[]> {
  const selected = ['--all-namespaces', `--selector=${LABEL}=albridge`];
  return readList(kubectl, ['get', 'deployments.apps', ...selected, '-o', 'json']);
}

/** An object by its name; undefined: it is not in the cluster. */
export async function readObject<T extends Manifest>(
  kubectl: Kubectl,
  { kind, metadata }: Pick<Manifest, 'kind' | 'metadata'>,
): Promise<T | undefined> {
  const where = [kind.toLowerCase(), metadata.name, '--namespace', metadata.namespace ?? 'default'];
  const args = ['get', ...where, '--ignore-not-found', '-o', 'json'];
  const text = await kubectl(args);
  if (text.trim() === '') return undefined;
  const object = parseJson(text);
  if (!isManifest(object)) throw unlikeKubectl(args, 'object');
  return object as T;
}

async function readList(
  kubectl: Kubectl,
  args: readonly string[],
): Promise<readonly CustomObject[]> {
  const list = parseJson(await kubectl(args)) as { readonly items?: unknown } | null | undefined;
  const items = list?.items;
  if (!Array.isArray(items) || !items.every(isManifest)) throw unlikeKubectl(args, 'list');
  return items;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of what albridge made in AWS for an object the operator alone can let go. */
export function needsOperator({ metadata }: CustomObject): boolean {
  return (metadata.finalizers ?? []).some((name) => name.startsWith('albridge.io/'));
}

/** A running operator creates it again for the annotation of a ConfigMap; nothing in AWS belongs to it. */
export function isForAnnotation(object: CustomObject): boolean {
  const isOurs = object.metadata.labels?.['app.kubernetes.io/managed-by'] === 'albridge';
  return isOurs && object.kind === 'ConfigMonitor' && getController(object)?.kind === 'ConfigMap';
}

/** `MyIngress web/shop: DeletionBlocked: ...`, with what it waits for if it says so. */
export function describeObject({ kind, metadata, status }: CustomObject): string {
  const conditions = status?.conditions ?? [];
  const told = conditions.find(({ type }) => type === 'Stalled') ?? conditions[0];
  const why = told === undefined ? '' : `: ${told.reason}: ${told.message}`;
  return escapeText(`${kind} ${metadata.namespace}/${metadata.name}${why}`);
}

/** `myingresses.demo.rtfm.co.ua` */
export function nameOf({ plural, group }: ResourceName): string {
  return `${plural}.${group}`;
}
