import type { MyIngress } from '../../apis/my-ingress.ts';
import { type WebApp, webAppKind } from '../../apis/web-app.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { namespaceKind } from '../../kube/client/built-in-kinds.ts';
import { attachListed } from '../../setup/attachments.ts';
import { readServing, serves } from '../account/operators.ts';
import type { CommandContext } from '../command.ts';
import type { Environment } from '../surroundings.ts';
import { listInNamespace } from './read.ts';

/**
 * The object with the routes that others attach to it, as the operator joins them. What the caller may not list, or no
 * operator serves, attaches nothing here.
 */
export async function joinAttachedRoutes(
  object: MyIngress,
  context: Pick<CommandContext, 'cluster' | 'signal'>,
): Promise<MyIngress> {
  const { signal } = context;
  const [listed, namespaces, operators] = await Promise.all([
    listWebApps(object, context),
    listNamespaces(object, context),
    readServing(context.cluster().client, { namespace: object.metadata.namespace, signal }),
  ]);
  const webApps = listed.filter((one) => isServed(one, operators));
  return (await attachListed({ webApps, namespaces })).join(object);
}

/** By the operator that serves its MyIngress, by the settings of each; without any, by one that serves everything. */
export function isServed(
  { metadata: { namespace }, spec }: WebApp,
  operators: readonly Environment[],
): boolean {
  const places = [namespace, spec?.expose?.ingress.namespace ?? namespace];
  return operators.length === 0 || operators.some((env) => serves(env, webAppKind, places));
}

/** Of all namespaces where the object admits others, as far as the caller may. */
async function listWebApps(
  { metadata: { namespace }, spec }: MyIngress,
  { cluster, signal }: Pick<CommandContext, 'cluster' | 'signal'>,
): Promise<readonly WebApp[]> {
  const list = (where?: string): Promise<readonly WebApp[] | undefined> =>
    listInNamespace<WebApp>(cluster(), { kind: webAppKind, namespace: where }, signal);
  const admitsOthers = (spec?.allowedNamespaces?.from ?? 'Same') !== 'Same';
  const all = admitsOthers ? await list() : undefined;
  return all ?? (await list(namespace)) ?? [];
}

/** Only where a selector chooses among them; undefined where the caller may not list them. */
async function listNamespaces(
  { spec }: MyIngress,
  { cluster, signal }: Pick<CommandContext, 'cluster' | 'signal'>,
): Promise<readonly KubeObject[] | undefined> {
  if (spec?.allowedNamespaces?.from !== 'Selector') return undefined;
  return listInNamespace<KubeObject>(cluster(), { kind: namespaceKind }, signal);
}
