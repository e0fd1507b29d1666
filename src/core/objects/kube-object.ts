// Lives here: pure Kubernetes data: keys, metadata, conditions, labels, fields, digests.
// May import it: everyone. It imports only itself and what node: can compute.
// Start with: kube-object.ts, then conditions.ts.

/** The parts of an API object that the core reads. Times are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Names one API resource; `group` is empty for the core group. */
export interface ResourceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** `namespace/name` of a queued object; `/name` if it is cluster-scoped. */
export type Key = `${string}/${string}`;

export function getKey(object: KubeObject): Key {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

export function splitKey(key: Key): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function formatApiVersion(kind: ResourceKind): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** `apps/v1` -> `apps`; `v1` -> the core group, which has no name. */
export function parseGroup(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
export function getController({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller);
}

export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Orders two texts by their code units, so that the order is the same everywhere. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Orders two resourceVersions of one resource type: negative, zero or positive. They are decimal
 * numbers that outgrow a double, so they are compared by length and then as text
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions).
 */
export function compareVersions(a: string, b: string): number {
  return a.length - b.length || compareText(a, b);
}

/** True if `a` is a later state than `b`, both of one resource type. */
export function isNewer(a: KubeObject, b: KubeObject): boolean {
  const [left = '', right = ''] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  return compareVersions(left, right) > 0;
}

/**
 * `a=b,c=d`, which selects what has all of these labels:
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export function formatLabelSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** RFC 3339 in whole seconds, the only form that metav1.Time keeps. */
export function formatTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/**
 * RFC 3339 with exactly six digits of a second: the API server refuses fewer and more in the
 * MicroTime fields of Events and Leases.
 */
export function formatMicroTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
