import { type MyIngress, myIngressKind } from '../../apis/my-ingress.ts';
import type { Condition } from '../../core/objects/conditions.ts';
import { isFields, toFields } from '../../core/objects/fields.ts';
import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import { trimMetadata } from '../../core/objects/trim-metadata.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { createForeignError, isNotFound, KubeError } from '../../kube/client/kube-error.ts';
import { buildResourcePath, type ResourceAddress } from '../../kube/client/resource-path.ts';
import { type Collection, listAll as listPages } from '../../kube/watch/list.ts';
import { tryIfAllowed } from '../account/access.ts';
import type { ClusterAccess } from '../cluster.ts';
import type { CommandContext } from '../command.ts';
import { CommandError, isAnonymous, UsageError } from '../errors.ts';
import { findKind, OUR_KINDS, type OurKind } from './kinds.ts';
import { isObjectName } from './names.ts';

/** An object of one of our kinds, as stored. */
export interface OurObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface FoundObject {
  readonly kind: OurKind;
  readonly object: OurObject;
}

/** The objects of a kind, or why they are not known. */
export type Listing =
  | { readonly kind: OurKind; readonly objects: readonly OurObject[] }
  | { readonly kind: OurKind; readonly lack: 'not installed' | 'you may not list it' };

/** Without the component the role has nothing of our kinds. */
export const ASK_FOR_VIEW =
  'ask for the role "view" there (deploy/components/user-roles adds our kinds to it)';

/** Lists every kind of albridge at the same time. */
export async function listOurs(
  { client, namespace }: ClusterAccess,
  signal: AbortSignal,
): Promise<readonly Listing[]> {
  return Promise.all(
    OUR_KINDS.map(async (kind): Promise<Listing> => {
      try {
        const objects = await listAll<OurObject>(client, { kind, namespace }, signal);
        return { kind, objects: objects.map((object) => ({ ...object, kind: kind.kind })) };
      } catch (error) {
        const lack = describeLack(error);
        if (lack === undefined) throw error;
        return { kind, lack };
      }
    }),
  );
}

/** A collection; `namespace` undefined: of all namespaces. */
export interface Listed extends Omit<Collection, 'namespace'> {
  readonly namespace?: string | undefined;
}

/**
 * Every object of a collection, with as much of its metadata as the operator holds: whoever may write objects can
 * make them so large that a page of them does not fit.
 */
export async function listAll<T>(
  client: KubeClient,
  { namespace, ...listed }: Listed,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const items: T[] = [];
  await listPages({
    ...{ client, signal, collection: { ...listed, ...(namespace !== undefined && { namespace }) } },
    onItem: (item) => {
      if (!isStored(item)) throw createForeignError(`a list of ${listed.kind.plural}`);
      items.push(trimMetadata(item) as T);
    },
    onRestart: () => {
      items.length = 0;
    },
  });
  return items;
}

/** An API server stores no object without a name, and no conditions that its schema does not allow. */
function isStored(object: unknown): object is KubeObject {
  const { metadata, status: stored } = toFields(object);
  const status = stored ?? undefined;
  const conditions = toFields(status)['conditions'] ?? [];
  const isSound = status === undefined || (isFields(status) && isListOfFields(conditions));
  return isSound && typeof toFields(metadata)['name'] === 'string';
}

function isListOfFields(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFields);
}

function describeLack(
  error: unknown,
): Extract<Listing, { readonly lack: string }>['lack'] | undefined {
  if (!(error instanceof KubeError) || error.isForeign) return undefined;
  if (error.status === 404) return 'not installed';
  return error.status === 403 && !isAnonymous(error) ? 'you may not list it' : undefined;
}

/**
 * The object that `KIND/NAME` or `NAME` means in the namespace; `kind` limits it to one. Throws
 * CommandError where there is none, or several of one name.
 */
export async function findObject(
  operand: string,
  { cluster, flags, signal }: CommandContext,
  kind?: OurKind,
): Promise<FoundObject> {
  const { word, name } = splitOperand(operand);
  if (flags.isOn('all-namespaces'))
    throw new UsageError('a name needs one namespace: give -n NAMESPACE instead of -A');
  const access = cluster();
  const chosen = word === undefined ? kind : findKind(word);
  if (chosen && kind && chosen.kind !== kind.kind)
    throw new UsageError(
      `this is about a ${kind.kind}, not a ${chosen.kind}: give ${kind.short}/NAME`,
    );
  const kinds = chosen ? [chosen] : OUR_KINDS;
  const found = await Promise.all(
    kinds.map((one) => readObject(access, { kind: one, name, signal })),
  );
  return chooseOne(found, { name, namespace: access.namespace ?? '', chosen });
}

function splitOperand(operand: string): { readonly word?: string; readonly name: string } {
  const [first = '', name, ...more] = operand.split('/');
  if (more.length > 0 || first === '' || name === '')
    throw new UsageError(
      `"${operand}" is neither NAME nor KIND/NAME: give one, such as web or myingress/web`,
    );
  if (!isObjectName(name ?? first))
    throw new UsageError(
      `"${name ?? first}" cannot be the name of an object: lower-case letters, digits, "-" and "." are allowed`,
    );
  return name === undefined ? { name: first } : { word: first, name };
}

type Found = FoundObject | { readonly kind: OurKind; readonly lack: string } | undefined;

async function readObject(
  { client, namespace }: ClusterAccess,
  {
    kind,
    name,
    signal,
  }: { readonly kind: OurKind; readonly name: string; readonly signal: AbortSignal },
): Promise<Found> {
  try {
    const address = { namespace, name };
    return { kind, object: await readOne<OurObject>(client, { kind, address, signal }) };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (describeLack(error) === 'not installed')
      return { kind, lack: 'not installed in this cluster (docs/install.md)' };
    if (describeLack(error) !== undefined)
      return { kind, lack: `you may not read them: ${ASK_FOR_VIEW}` };
    throw error;
  }
}

function chooseOne(
  results: readonly Found[],
  query: {
    readonly name: string;
    readonly namespace: string;
    readonly chosen: OurKind | undefined;
  },
): FoundObject {
  const { name, namespace, chosen } = query;
  const found = results.filter((one): one is FoundObject => one !== undefined && 'object' in one);
  const [only, other] = found;
  if (only && other) {
    const names = found.map(({ kind }) => `${kind.kind.toLowerCase()}/${name}`).join(', ');
    throw new CommandError(`"${name}" is the name of several objects: give one of ${names}`);
  }
  if (only) return only;
  const lacks = describeLacks(results);
  if (lacks.length > 0 && (chosen || results.every((one) => one && 'lack' in one)))
    throw new CommandError(lacks.join('; '));
  const what = chosen ? `${chosen.kind} "${name}"` : `object "${name}" of albridge`;
  const unread = lacks.length > 0 ? ` (${lacks.join('; ')})` : '';
  throw new CommandError(
    `there is no ${what} in the namespace ${namespace}${unread}: albridge status -A lists all`,
  );
}

/** One sentence for all kinds that lack the same. */
function describeLacks(results: readonly Found[]): readonly string[] {
  const lacking = results.flatMap((one) => (one && 'lack' in one ? [one] : []));
  return [...Map.groupBy(lacking, ({ lack }) => lack)].map(([lack, some]) => {
    return `${some.map(({ kind }) => kind.kind).join(', ')}: ${lack}`;
  });
}

/** Throws KubeError also for the answer of another program than an API server. */
async function readOne<T extends KubeObject>(
  client: Pick<KubeClient, 'request'>,
  {
    kind,
    address,
    signal,
  }: {
    readonly kind: ResourceKind & { readonly kind: string };
    readonly address: ResourceAddress;
    readonly signal: AbortSignal;
  },
): Promise<T> {
  const { name, namespace } = address;
  const path = buildResourcePath(kind, address);
  const object = await client.request<Partial<T> | null>({ method: 'GET', path, signal });
  const { metadata } = object ?? {};
  const isAsked = metadata?.name === name && metadata?.namespace === namespace;
  if (object?.kind === kind.kind && isAsked && isStored(object)) return object as T;
  throw createForeignError(`a read of "${name}"`);
}

/** Undefined where there is none of this name. */
export async function readMyIngress(
  client: Pick<KubeClient, 'request'>,
  address: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<MyIngress | undefined> {
  try {
    return await readOne<MyIngress>(client, { kind: myIngressKind, address, signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Of any kind; undefined where the caller may not list it, or it is not installed. */
export function listInNamespace<T>(
  { client }: Pick<ClusterAccess, 'client'>,
  listed: Listed,
  signal: AbortSignal,
): Promise<readonly T[] | undefined> {
  return tryIfAllowed(() => listAll<T>(client, listed, signal));
}
