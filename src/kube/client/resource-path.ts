import { getKey, type KubeObject, type ResourceKind } from '../../core/objects/kube-object.ts';

export interface ResourceAddress {
  /** Absent for a cluster-scoped object, and for a list over all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: 'status' | 'eviction';
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris */
export function buildResourcePath(kind: ResourceKind, address: ResourceAddress): string {
  const { group, version, plural } = kind;
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const scope = address.namespace ? ['namespaces', address.namespace] : [];
  const tail = [address.name, address.subresource].filter((part) => part !== undefined);
  return `/${[...root, ...scope, plural, ...tail].map(encodeURIComponent).join('/')}`;
}

export function buildObjectPath(
  kind: ResourceKind,
  object: KubeObject,
  subresource?: ResourceAddress['subresource'],
): string {
  const { namespace, name } = object.metadata;
  return buildResourcePath(kind, { namespace, name, ...(subresource && { subresource }) });
}

/** For messages: "MyIngress web/shop". */
export function describeObject(object: KubeObject): string {
  return `${object.kind} ${getKey(object).replace(/^\//, '')}`;
}

/** `plural.group`, as `kubectl api-resources -o name` prints it; the `name` label of the metrics. */
export function formatResourceName(kind: ResourceKind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}
