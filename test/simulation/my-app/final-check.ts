import type { MyApp } from '../../../src/apis/my-app.ts';
import { PODS } from '../api-model/kinds.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import type { StoredObject } from '../api-model/stored-object.ts';
import { checkOwner } from '../owner-check.ts';
import { conditionsOf, controllerOf } from '../owner-invariants.ts';
import { listUntemplated } from '../templated-pods.ts';
import type { Report } from '../violation.ts';

export interface FinalMyAppParts {
  readonly table: ObjectTable;
  readonly apps: readonly MyApp[];
  readonly report: Report;
}

interface Container {
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** In the end every app has as many pods as it wants, all of the newest spec, and no more. */
export function checkFinalMyApps(parts: FinalMyAppParts): void {
  for (const app of parts.apps) checkMyApp(parts, app);
}

function checkMyApp({ table, report }: FinalMyAppParts, app: MyApp): void {
  const { namespace, name, uid } = app.metadata;
  const key = `${namespace}/${name}`;
  const ready = checkOwner(app, report);
  if (ready === undefined) return;
  const first = table.get(PODS, `${key}-pod`);
  const isSquatted = first !== undefined && controllerOf(first) !== uid;
  const own = table.list(PODS).filter((pod) => controllerOf(pod) === uid);
  if (isSquatted && app.spec.replicas > 0) {
    const isSaid = ready.reason === 'NameConflict';
    const wrong = [...(isSaid ? [] : [`it says ${ready.reason}`]), ...wrongBeside(app, own)];
    if (wrong.length > 0) report('converges', `${key}: ${wrong.join('; ')}`);
    return;
  }
  const wrong = [
    ...(ready.status === 'True' ? [] : [`it is ${ready.status} ${ready.reason}`]),
    ...(own.length === app.spec.replicas ? [] : [`${own.length} pods`]),
    ...own.flatMap((pod) => wrongWith(pod, app)),
    ...own.flatMap(listTokenFaults),
    ...own.filter((pod) => !isReady(pod)).map((pod) => `${pod.metadata.name} is not ready`),
  ];
  if (wrong.length > 0) report('converges', `${key}: ${wrong.join('; ')}`);
}

/** While a name is taken: a ready pod is replaced only while all others are ready, which the other's never is. */
function wrongBeside(app: MyApp, own: readonly StoredObject[]): readonly string[] {
  return [
    ...(own.length === app.spec.replicas - 1 ? [] : [`${own.length} pods`]),
    ...own.filter((pod) => !isReady(pod)).flatMap((pod) => wrongWith(pod, app)),
    ...own.flatMap(listTokenFaults),
  ];
}

function wrongWith(pod: StoredObject, { spec }: MyApp): readonly string[] {
  const { containers = [] } = pod['spec'] as { readonly containers?: readonly Container[] };
  const { image, env = [] } = containers[0] ?? {};
  const banner = env.find((one) => one.name === 'BANNER')?.value ?? '';
  const wanted = (spec.banner ?? '').replaceAll('$', () => '$$');
  return [
    ...(image === spec.image ? [] : [`a pod of ${image}`]),
    ...(banner === wanted ? [] : [`a pod with the banner ${banner}`]),
    ...listUntemplated(pod, spec.podTemplate),
  ];
}

function isReady(pod: StoredObject): boolean {
  return conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
}

function listTokenFaults(pod: StoredObject): readonly string[] {
  const spec = pod['spec'] as { readonly automountServiceAccountToken?: boolean };
  return spec.automountServiceAccountToken === false ? [] : [`${pod.metadata.name} has a token`];
}
