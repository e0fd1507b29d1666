import { KubeError } from '../../kube/client/kube-error.ts';
import type { Right } from '../../kube/client/rights.ts';
import { isAllowed, type Question } from '../account/access.ts';
import {
  isObserver,
  listItems,
  MOST_NAMESPACES,
  type Operator,
  serves,
} from '../account/operators.ts';
import type { ClusterAccess } from '../cluster.ts';
import type { OurKind } from '../objects/kinds.ts';
import { ASK_FOR_VIEW } from '../objects/read.ts';
import type { Environment } from '../surroundings.ts';
import type { Check } from './check.ts';
import { OPERATOR_RIGHTS } from './operator-rights.ts';

/** Rights in the cluster: those of the operator by kind, and those of the caller. */

/** One check for each kind that the operator serves, of what its rights.yaml gives. */
export async function checkOperatorRights(
  { client }: ClusterAccess,
  operator: Operator,
  { kinds, signal }: { readonly kinds: readonly OurKind[]; readonly signal: AbortSignal },
): Promise<readonly Check[]> {
  const question = { client, signal, user: operator.user };
  const own = kinds.filter((kind) => serves(operator.env, kind));
  try {
    return await Promise.all(own.map(({ kind }) => checkKind(kind, operator, question)));
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 403)) throw error;
    const message = 'you may not create SubjectAccessReviews';
    const next = 'ask a cluster administrator to run albridge doctor';
    return [{ name: 'rights of the operator', verdict: 'not checked', message, next }];
  }
}

async function checkKind(kind: string, operator: Operator, question: Question): Promise<Check> {
  const name = `rights of the operator, ${kind}`;
  const rights = listRights(kind, operator.env);
  const missing = await findMissing(rights, question, undefined);
  if (missing.length === 0)
    return { name, verdict: 'ok', message: `all ${rights.length}, in every namespace` };
  const places = listPlaces(operator);
  const lists = await Promise.all(places.map((place) => findMissing(missing, question, place)));
  const lacking = places.filter((_, index) => lists[index]?.length !== 0);
  if (places.length > 0 && lacking.length === 0)
    return { name, verdict: 'ok', message: `all ${rights.length}, in ${describePlaces(places)}` };
  const where = lacking.length === 0 ? '' : ` in ${describePlaces(lacking)}`;
  const named = missing.filter((one) => places.length === 0 || lists.flat().includes(one));
  const message = `${operator.user} may not${where}: ${named.join('; ')}`;
  const isNamespaced = operator.reach !== 'everywhere' && places.length > 0;
  const directory = isNamespaced ? 'deploy/overlays/namespaced' : 'deploy/';
  const next = `apply ${directory} of this version, or leave ${kind.toLowerCase()} out of ALBRIDGE_KINDS`;
  return { name, verdict: 'failed', message, next };
}

/** In mode observe those that docs/install.md leaves. */
function listRights(kind: string, env: Environment): readonly string[] {
  const rights = OPERATOR_RIGHTS[kind.toLowerCase()] ?? [];
  if (!isObserver(env)) return rights;
  return rights.filter((right) => /^(get|list|watch) |^patch \S+\/status /.test(right));
}

/** The namespaces that it serves; empty: all of them. Without the setting, those of its rights. */
function listPlaces({ env, reach }: Operator): readonly string[] {
  const set = listItems(env['ALBRIDGE_NAMESPACES']);
  if (set.length > 0) return set.slice(0, MOST_NAMESPACES);
  return typeof reach === 'string' ? [] : reach;
}

function describePlaces(places: readonly string[]): string {
  return `the ${places.length === 1 ? 'namespace' : 'namespaces'} ${places.join(', ')}`;
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
