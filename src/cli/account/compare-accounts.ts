import { type MyIngress, myIngressKind } from '../../apis/my-ingress.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { listAll } from '../objects/read.ts';
import { readIfAllowed, type ServiceAccountUser, tryIfAllowed } from './access.ts';
import type { Installation } from './installation.ts';
import { type Operator, type OperatorSearch, serves } from './operators.ts';

/** The AWS account of the operators of one id, as far as the cluster says. */
export interface OperatorTraces {
  /** ARNs of their roles. */
  readonly roles: readonly string[];
  /** Of the load balancers that objects hold. */
  readonly arns: readonly string[];
}

export interface AccountDifference {
  readonly message: string;
  readonly next: string;
}

/** Undefined: the account may be the operator's, since one of the traces is of it, or there is none. Pure. */
export function compareAccounts(
  account: string,
  { roles, arns }: OperatorTraces,
): AccountDifference | undefined {
  const traces = [...roles, ...arns].filter((arn) => readAccount(arn) !== undefined);
  const [first] = traces;
  if (first === undefined || traces.some((arn) => readAccount(arn) === account)) return undefined;
  const what = roles.includes(first) ? 'its role' : 'that objects hold';
  const message = `your AWS credentials are of the account ${account}, and the operator works in ${readAccount(first)} (${first}, ${what})`;
  return { message, next: "choose credentials of the operator's account (AWS_PROFILE)" };
}

/**
 * Undefined: it names none, as a role by its name alone. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 * Of 12 digits: https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-identifiers.html
 */
function readAccount(arn: string): string | undefined {
  return /^\d{12}$/.exec(arn.split(':')[4] ?? '')?.[0];
}

/** https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html */
const ROLE_ANNOTATION = 'eks.amazonaws.com/role-arn';

/** Each role once, by IRSA; with EKS Pod Identity the cluster does not know it. */
export async function readOperatorRoles(
  client: KubeClient,
  operators: readonly Operator[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const users = [...new Set(operators.map(({ user }) => user))];
  const roles = await Promise.all(users.map((user) => readRole(client, user, signal)));
  return [...new Set(roles.flatMap((role) => role ?? []))];
}

async function readRole(
  client: KubeClient,
  user: ServiceAccountUser,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [, , namespace = '', name = ''] = user.split(':');
  // A Deployment of anybody may name it.
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}`;
  const account = await readIfAllowed<KubeObject>(client, { path, signal });
  return account?.metadata.annotations?.[ROLE_ANNOTATION];
}

/** As much of an installation as tells whose an object is. */
type Owners = Pick<Installation, 'operators' | 'others'>;

/** ARNs of the load balancers in status, as far as the caller may list the objects. */
export async function readHeldArns(
  client: KubeClient,
  owners: Owners,
  { namespace, signal }: OperatorSearch,
): Promise<readonly string[]> {
  const listed = { kind: myIngressKind, namespace };
  const objects = await tryIfAllowed(() => listAll<MyIngress>(client, listed, signal));
  return listHeldArns(objects ?? [], owners);
}

/** Of the objects that the operators serve; where none is known, of those that no other serves. Pure. */
export function listHeldArns(
  objects: readonly MyIngress[],
  { operators, others }: Owners,
): readonly string[] {
  const own = objects.filter(({ metadata: { namespace } }) =>
    operators.length > 0
      ? chooseServing(operators, namespace).length > 0
      : chooseServing(others, namespace).length === 0,
  );
  return own.flatMap(({ status }) => status?.alb?.arn ?? []);
}

/** Those that work on the MyIngresses of the namespace; undefined: all of them. Pure. */
export function chooseServing(
  operators: readonly Operator[],
  namespace: string | undefined,
): readonly Operator[] {
  const asked = namespace === undefined ? [] : [namespace];
  return operators.filter(({ env }) => serves(env, myIngressKind, asked));
}
