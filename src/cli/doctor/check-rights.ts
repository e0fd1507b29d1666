import { KubeError } from '../../kube/client/kube-error.ts';
import type { Right } from '../../kube/client/rights.ts';
import { isAllowed, type Question, type ServiceAccountUser } from '../account/access.ts';
import type { ClusterAccess } from '../cluster.ts';
import type { OurKind } from '../objects/kinds.ts';
import { ASK_FOR_VIEW } from '../objects/read.ts';
import type { Check } from './check.ts';
import { OPERATOR_RIGHTS } from './operator-rights.ts';

/** Rights in the cluster: those of the operator by kind, and those of the caller. */

/** One check for each kind, of what its rights.yaml gives to the operator. */
export async function checkOperatorRights(
  { client, namespace }: ClusterAccess,
  user: ServiceAccountUser,
  { kinds, signal }: { readonly kinds: readonly OurKind[]; readonly signal: AbortSignal },
): Promise<readonly Check[]> {
  const question = { client, signal, user };
  try {
    return await Promise.all(kinds.map((kind) => checkKind(kind, question, namespace)));
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 403)) throw error;
    const message = 'you may not create SubjectAccessReviews';
    const next = 'ask a cluster administrator to run albridge doctor';
    return [{ name: 'rights of the operator', verdict: 'not checked', message, next }];
  }
}

async function checkKind(
  kind: OurKind,
  question: Question,
  namespace: string | undefined,
): Promise<Check> {
  const name = `rights of the operator, ${kind.kind}`;
  const rights = OPERATOR_RIGHTS[kind.kind.toLowerCase()] ?? [];
  const missing = await findMissing(rights, question, undefined);
  if (missing.length === 0)
    return { name, verdict: 'ok', message: `all ${rights.length}, in every namespace` };
  const missingHere =
    namespace === undefined ? missing : await findMissing(missing, question, namespace);
  if (missingHere.length === 0)
    return { name, verdict: 'ok', message: `all ${rights.length}, in the namespace ${namespace}` };
  const next = `apply deploy/ of this version, or leave ${kind.kind.toLowerCase()} out of ALBRIDGE_KINDS`;
  return {
    name,
    verdict: 'failed',
    message: `${question.user} may not: ${missingHere.join('; ')}`,
    next,
  };
}

/** The caller may see what the commands show. */
export async function checkOwnRights(
  { client, namespace }: ClusterAccess,
  { kinds, signal }: { readonly kinds: readonly OurKind[]; readonly signal: AbortSignal },
): Promise<readonly Check[]> {
  const name = 'your rights';
  // Neither what nobody serves nor what the API server refused to say is known.
  if (kinds.length === 0) {
    const message = 'no kind of albridge is known to be installed';
    return [{ name, verdict: 'not checked', message }];
  }
  const rights = kinds.map(({ plural, group }) => `list ${plural} ${group}`);
  const missing = await findMissing(rights, { client, signal }, namespace);
  const where = namespace === undefined ? 'every namespace' : `the namespace ${namespace}`;
  if (missing.length === 0)
    return [{ name, verdict: 'ok', message: `you may list all kinds in ${where}` }];
  const message = `in ${where} you may not: ${missing.join('; ')}`;
  return [{ name, verdict: 'warning', message, next: ASK_FOR_VIEW }];
}

async function findMissing(
  rights: readonly string[],
  question: Question,
  namespace: string | undefined,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    rights.map((right) => isAllowed(parseRight(right, namespace), question)),
  );
  return rights.filter((_, index) => answers[index] !== true);
}

/** `patch myapps/status demo.rtfm.co.ua`; the core group has no name. */
export function parseRight(text: string, namespace: string | undefined): Right {
  const [verb = '', path = '', group = ''] = text.split(' ');
  const [resource = '', subresource] = path.split('/');
  return {
    ...{ verb, group, resource },
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
  };
}
