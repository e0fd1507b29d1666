import type { KubeClient } from '../../kube/client/kube-client.ts';
import { KubeError } from '../../kube/client/kube-error.ts';
import type { Right } from '../../kube/client/rights.ts';
import { isAnonymous } from '../errors.ts';

/** Reads that the caller may lack the right for, and questions about rights. */

interface Read {
  readonly path: string;
  readonly signal: AbortSignal;
}

/** undefined: the caller may not read it, or it is not there. */
export function readIfAllowed<T>(client: KubeClient, read: Read): Promise<T | undefined> {
  return tryIfAllowed(() => client.request<T>({ method: 'GET', ...read }));
}

/** undefined where the API server answers 403 or 404; a caller who is not logged in can correct that, and gets it thrown. */
export async function tryIfAllowed<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof KubeError) || error.isForeign || isAnonymous(error)) throw error;
    if (error.status !== 403 && error.status !== 404) throw error;
    return undefined;
  }
}

/** `system:serviceaccount:NAMESPACE:NAME`. */
export type ServiceAccountUser = `system:serviceaccount:${string}:${string}`;

export interface Question {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Undefined: the caller. */
  readonly user?: ServiceAccountUser;
}

/** Throws KubeError 403 where the caller may not ask about others: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access */
export async function isAllowed(
  right: Right,
  { client, signal, user }: Question,
): Promise<boolean> {
  const kind = user === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const spec = { resourceAttributes: right, ...(user && { user, groups: listGroups(user) }) };
  const review = await client.request<{ readonly status?: { readonly allowed?: boolean } }>({
    method: 'POST',
    path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
    body: JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind, spec }),
    signal,
  });
  return review.status?.allowed === true;
}

/** https://kubernetes.io/docs/reference/access-authn-authz/rbac/#service-account-permissions */
function listGroups(user: ServiceAccountUser): readonly string[] {
  const namespace = user.split(':')[2] ?? '';
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}
