import { type KubeObject, keyOf, type ResourceKind } from '../core/kube-object.ts';

export interface ResourceAddress {
  /** Absent for a cluster-scoped object, and for a list over all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: 'status' | 'eviction';
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris */
export function resourcePath(kind: ResourceKind, address: ResourceAddress): string {
  const { group, version, plural } = kind;
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const scope = address.namespace ? ['namespaces', address.namespace] : [];
  const tail = [address.name, address.subresource].filter((part) => part !== undefined);
  return `/${[...root, ...scope, plural, ...tail].map(encodeURIComponent).join('/')}`;
}

export function objectPath(
  kind: ResourceKind,
  object: KubeObject,
  subresource?: ResourceAddress['subresource'],
): string {
  const { namespace, name } = object.metadata;
  return resourcePath(kind, { namespace, name, ...(subresource && { subresource }) });
}

/** For messages: "MyIngress web/shop". */
export function describe(object: KubeObject): string {
  return `${object.kind} ${keyOf(object).replace(/^\//, '')}`;
}
