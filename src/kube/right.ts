import { groupOf } from '../core/kube-object.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { KubeRequest } from './kube-transport.ts';

/** What RBAC is asked about: https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/ */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * Everything that a request asks for: the right to do it and, where it names an owner that is not to
 * go before the object, the right to hold up that owner's deletion
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement).
 */
export function rightsOf(request: KubeRequest): readonly Right[] {
  const right = rightOf(request);
  if (right === undefined) return [];
  const { namespace } = right;
  return [right, ...ownersIn(request).map((owner) => rightOver(owner, namespace))];
}

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly blockOwnerDeletion?: boolean;
}

function ownersIn({ body }: KubeRequest): readonly Owner[] {
  if (!body?.includes('"ownerReferences"')) return [];
  type Owned = { readonly metadata?: { readonly ownerReferences?: readonly Owner[] } };
  const { metadata } = JSON.parse(body) as Owned;
  return (metadata?.ownerReferences ?? []).filter(({ blockOwnerDeletion }) => blockOwnerDeletion);
}

function rightOver({ apiVersion, kind, name }: Owner, namespace: string | undefined): Right {
  const group = groupOf(apiVersion);
  const resource = pluralOf(kind);
  const of = { verb: 'update', group, resource, subresource: 'finalizers', name };
  return withoutUndefined({ ...of, namespace });
}

/** https://pkg.go.dev/k8s.io/apimachinery/pkg/api/meta#UnsafeGuessKindToResource */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** Undefined for a path that is no resource. */
function rightOf(request: KubeRequest): Right | undefined {
  const [root, ...rest] = request.path.split('/').slice(1).map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group = '', ...parts] = root === 'api' ? ['', ...rest.slice(1)] : rest.toSpliced(1, 1);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const named = isNamespaced ? parts.slice(2) : parts;
  const [resource, name = nameIn(request), subresource] = named;
  if (resource === undefined) return undefined;
  const verb = verbOf(request, named.length > 1);
  const namespace = isNamespaced ? parts[1] : undefined;
  return withoutUndefined({ verb, group, resource, subresource, namespace, name });
}

/** `the operator may not patch myingresses/status in demo.rtfm.co.ua: grant ...` */
export function sentenceAbout({ verb, group, resource, subresource }: Right): string {
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = group === '' ? 'the core API group' : `the API group ${group}`;
  return `the operator may not ${verb} ${whole} of ${where}: grant its role this verb on this resource, apply deploy/ of this version again, or leave the kind that needs it out of ALBRIDGE_KINDS`;
}

/** A list or a watch of one object is allowed by the object's name. */
function nameIn({ query = {} }: KubeRequest): string | undefined {
  return /^metadata\.name=([^,]+)$/.exec(query['fieldSelector'] ?? '')?.[1];
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb */
function verbOf({ method, query = {} }: KubeRequest, hasName: boolean): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return hasName ? 'delete' : 'deletecollection';
    default:
      if (hasName) return 'get';
      return query['watch'] === undefined ? 'list' : 'watch';
  }
}
