import type { WebApp } from '../../../src/apis/web-app.ts';
import { isPaused } from '../../../src/core/annotations.ts';
import { AUTOSCALERS, DEPLOYMENTS, SERVICES } from '../api-model/kinds.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from '../api-model/stored-object.ts';
import type { Report } from '../violation.ts';

export interface FinalAppParts {
  readonly table: ObjectTable;
  readonly apps: readonly WebApp[];
  readonly report: Report;
}

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
  };
}

/** What must be so in the end: each app has its children as wanted, and no child is left without one. */
export function checkFinalApps(parts: FinalAppParts): void {
  for (const app of parts.apps) checkApp(parts, app);
  const living = new Set(parts.apps.map(({ metadata }) => metadata.uid));
  for (const kind of [DEPLOYMENTS, SERVICES]) {
    for (const child of parts.table.list(kind)) {
      const uid = ownerOf(child);
      if (uid !== undefined && !living.has(uid)) {
        parts.report('no-orphan', `${kind.kind} ${keyOfStored(child)} has lost its owner`);
      }
    }
  }
}

function checkApp(parts: FinalAppParts, app: WebApp): void {
  const { table, report } = parts;
  const key = `${app.metadata.namespace}/${app.metadata.name}`;
  const { conditions = [], observedGeneration } = app.status;
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (observedGeneration !== app.metadata.generation) {
    return report('observes-generation', `${key} was observed at ${observedGeneration}`);
  }
  if (isPaused(app)) {
    if (ready?.reason !== 'Paused')
      report('converges', `${key} is paused and says ${ready?.reason}`);
    return;
  }
  const children = [table.get(DEPLOYMENTS, key), table.get(SERVICES, key)];
  const isSquatted = children.some((child) => child && ownerOf(child) !== app.metadata.uid);
  if (isSquatted) {
    if (ready?.reason !== 'NameConflict') report('converges', `${key} says ${ready?.reason}`);
    return;
  }
  const wrong = [
    ...(ready?.status === 'True' ? [] : [`it is ${ready?.status} ${ready?.reason}`]),
    ...children.flatMap((child) => (child === undefined ? ['a child is missing'] : [])),
    ...differencesOf(app, children, isScaled(table, key)),
  ];
  if (wrong.length > 0) report('converges', `${key}: ${wrong.join('; ')}`);
}

function differencesOf(
  { spec, status }: WebApp,
  [deployment, service]: readonly (StoredObject | undefined)[],
  isScaledByOthers: boolean,
): readonly string[] {
  const { replicas, template } = (deployment?.['spec'] ?? {}) as DeploymentSpec;
  const { ports } = (service?.['spec'] ?? {}) as { ports?: readonly { port?: number }[] };
  const image = template?.spec?.containers?.[0]?.image;
  return [
    ...(image === spec.image ? [] : [`image ${image}`]),
    ...(isScaledByOthers || replicas === spec.replicas ? [] : [`replicas ${replicas}`]),
    ...(ports?.[0]?.port === spec.port ? [] : [`port ${ports?.[0]?.port}`]),
    ...(status.availableReplicas === replicas ? [] : [`status says ${status.availableReplicas}`]),
  ];
}

function isScaled(table: ObjectTable, key: string): boolean {
  const scalers: ServedKind = AUTOSCALERS;
  return table.get(scalers, key) !== undefined;
}

function ownerOf({ metadata }: StoredObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}
