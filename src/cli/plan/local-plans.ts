import { type MyIngress, myIngressKind } from '../../apis/my-ingress.ts';
import { type WebApp, webAppKind } from '../../apis/web-app.ts';
import {
  isPaused,
  isPlanOnly,
  MODE_ANNOTATION,
  PAUSED_ANNOTATION,
} from '../../core/objects/annotations.ts';
import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { namespaceKind } from '../../kube/client/built-in-kinds.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { KubeError } from '../../kube/client/kube-error.ts';
import { buildResourcePath } from '../../kube/client/resource-path.ts';
import type { AttachingObjects } from '../../setup/attachments.ts';
import type { Previewed, Previewer } from '../../setup/previewer.ts';
import { isObserver, listItems, serves } from '../account/operators.ts';
import { addressCaller, CommandError, describeError } from '../errors.ts';
import { isServed } from '../objects/attached-routes.ts';
import { listInNamespace, readMyIngress } from '../objects/read.ts';
import type { Environment } from '../surroundings.ts';
import type { Manifest } from './manifests.ts';
import type { ShownPlan } from './stored-plan.ts';

export interface PlanningParts {
  readonly client: KubeClient;
  readonly preview: Previewer;
  readonly areWebAppsKnown: boolean;
  /** Settings of those that serve MyIngress under the cluster's id; empty: none is known. */
  readonly operators: readonly Environment[];
  /** Settings of all that serve MyIngress, whatever their id. */
  readonly serving: readonly Environment[];
  readonly signal: AbortSignal;
}

/** The plan of one manifest: what the operator would do once it is applied. Throws the signal's reason alone. */
export async function planManifest(
  manifest: Manifest,
  { client, preview, areWebAppsKnown, operators, serving, signal }: PlanningParts,
): Promise<ShownPlan> {
  const { namespace, name } = manifest.metadata;
  try {
    const object = await applyDry(manifest, client, signal);
    // Without their routes it would be the plan that deletes them.
    if (!areWebAppsKnown && object.status?.attached?.length)
      throw new CommandError(WEB_APPS_UNKNOWN);
    const notes = listHolds(object, { operators, serving });
    return { namespace, name, ...describePreview(await preview(object, signal), notes) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isAboutObject(error)) throw error;
    return { namespace, name, notes: [], failure: `it cannot be planned: ${describeError(error)}` };
  }
}

const WEB_APPS_UNKNOWN = `WebApps attach to it (status.attached), and they cannot be listed: install their CRD, or ask for the right to list ${webAppKind.plural}.${webAppKind.group} in all namespaces`;

/** Anything else is a defect, or concerns the whole command. */
function isAboutObject(error: unknown): boolean {
  if (error instanceof KubeError) return [400, 403, 404, 409, 422].includes(error.status);
  return error instanceof OperatorError || error instanceof CommandError;
}

/** Why an operator would not carry the plan out. */
function listHolds(
  object: MyIngress,
  { operators, serving }: Pick<PlanningParts, 'operators' | 'serving'>,
): readonly string[] {
  const { namespace } = object.metadata;
  const servesNamespace = (env: Environment): boolean => serves(env, myIngressKind, [namespace]);
  const own = operators.filter(servesNamespace);
  const isServed = operators.length === 0 || own.length > 0;
  const isOfAnother = serving.some(servesNamespace);
  const isObserved = own.length > 0 && own.every(isObserver);
  const holds: readonly (readonly [boolean, string])[] = [
    [
      isPaused(object),
      `the object is paused: nothing of it is done before ${PAUSED_ANNOTATION} is removed`,
    ],
    [
      isPlanOnly(object),
      `the object is in plan mode: nothing of it is done before ${MODE_ANNOTATION} is removed`,
    ],
    [
      !isServed && isOfAnother,
      `the operator of the namespace ${namespace} has another id, or one that you may not read: set ALBRIDGE_CLUSTER_ID to it for a plan of what it would do`,
    ],
    [
      !isServed && !isOfAnother,
      `no operator serves the namespace ${namespace}: nothing of it is done before ALBRIDGE_NAMESPACES of one has it`,
    ],
    [isObserved, 'the operator is in mode observe (ALBRIDGE_MODE): nothing of it is done'],
  ];
  return holds.flatMap(([isHeld, sentence]) => (isHeld ? [sentence] : []));
}

function describePreview(
  previewed: Previewed,
  notes: readonly string[],
): Pick<ShownPlan, 'plan' | 'notes' | 'failure'> {
  if (previewed.kind === 'waiting') {
    const said = addressCaller(previewed.message);
    const isAdvised = said !== previewed.message;
    return { notes, failure: isAdvised ? said : `${said}: try again in a moment` };
  }
  const { plan, problem } = previewed;
  return { plan, notes: problem === undefined ? notes : [problem, ...notes] };
}

/**
 * The manifest with the API server's defaults and validation, and the status of the object that it is to change.
 * Its spec takes the place of the whole spec: a field that it leaves out counts as removed.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
 */
async function applyDry(
  manifest: Manifest,
  client: KubeClient,
  signal: AbortSignal,
): Promise<MyIngress> {
  const { namespace, name } = manifest.metadata;
  const live = await readMyIngress(client, { namespace, name }, signal);
  const query = { dryRun: 'All', fieldValidation: 'Strict', fieldManager: 'albridge-plan' };
  const path = buildResourcePath(myIngressKind, { namespace, ...(live && { name }) });
  const body = JSON.stringify(live ? replaceSpec(live, manifest) : manifest);
  const method = live ? 'PUT' : 'POST';
  return client.request<MyIngress>({ method, path, query, body, signal });
}

/** Labels and annotations are added, as by an apply; whatever else the metadata has stays. */
function replaceSpec(live: MyIngress, { spec, metadata, ...rest }: Manifest): object {
  const { labels, annotations } = metadata;
  return {
    ...rest,
    spec,
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...labels },
      annotations: { ...live.metadata.annotations, ...annotations },
    },
  };
}

interface ReadAttaching extends AttachingObjects {
  readonly areWebAppsKnown: boolean;
  /** Sentences about reads that the caller may not make. */
  readonly warnings: readonly string[];
}

/**
 * The routes of other objects, as far as the caller may read them and an operator with one of these settings does:
 * without any, one that serves everything.
 */
export async function readAttaching(
  client: KubeClient,
  operators: readonly Environment[],
  signal: AbortSignal,
): Promise<ReadAttaching> {
  const settings = operators.length === 0 ? [{}] : operators;
  const list = <T>(isRead: boolean, kind: ResourceKind): Promise<readonly T[] | undefined> =>
    isRead ? listInNamespace<T>({ client }, { kind }, signal) : Promise.resolve(undefined);
  const areServed = settings.some((env) => serves(env, webAppKind));
  const [webApps, namespaces] = await Promise.all([
    list<WebApp>(areServed, webAppKind),
    list<KubeObject>(settings.some(readsLabels), namespaceKind),
  ]);
  const areWebAppsKnown = webApps !== undefined || !areServed;
  const warnings = areWebAppsKnown
    ? []
    : ['WebApps cannot be listed, so the routes that they attach are left out'];
  const served = (webApps ?? []).filter((one) => isServed(one, operators));
  return { webApps: served, areWebAppsKnown, namespaces, warnings };
}

/** As `createAttachments` has it. */
function readsLabels(env: Environment): boolean {
  return listItems(env['ALBRIDGE_NAMESPACES']).length === 0;
}
