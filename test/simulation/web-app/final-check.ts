import { isDeepStrictEqual } from 'node:util';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { AUTOSCALERS, DEPLOYMENTS, SERVICES } from '../api-model/kinds.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from '../api-model/stored-object.ts';
import { checkOwner } from '../owner-check.ts';
import { controllerOf } from '../owner-invariants.ts';
import type { Report } from '../violation.ts';

export interface FinalAppParts {
  readonly table: ObjectTable;
  readonly apps: readonly WebApp[];
  readonly report: Report;
}

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly env?: unknown;
}

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } };
}

/** What must be so in the end: each app has its children as wanted, and no child is left without one. */
export function checkFinalApps(parts: FinalAppParts): void {
  for (const app of parts.apps) checkApp(parts, app);
  const living = new Set(parts.apps.map(({ metadata }) => metadata.uid));
  for (const kind of [DEPLOYMENTS, SERVICES]) {
    for (const child of parts.table.list(kind)) {
      const uid = controllerOf(child);
      if (uid !== undefined && !living.has(uid)) {
        parts.report('no-orphan', `${kind.kind} ${keyOfStored(child)} has lost its owner`);
      }
    }
  }
}

function checkApp(parts: FinalAppParts, app: WebApp): void {
  const { table, report } = parts;
  const key = `${app.metadata.namespace}/${app.metadata.name}`;
  const ready = checkOwner(app, report);
  if (ready === undefined) return;
  const deployment = table.get(DEPLOYMENTS, key);
  const service = table.get(SERVICES, key);
  const isForeign = (child: StoredObject | undefined): boolean =>
    child !== undefined && controllerOf(child) !== app.metadata.uid;
  const isHindered = isForeign(deployment) || isForeign(service);
  const isSaid = isHindered ? ready.reason === 'NameConflict' : ready.status === 'True';
  // One that is not its own keeps the other from nothing.
  const wrong = [
    ...unless(isSaid, `it is ${ready.status} ${ready.reason}`),
    ...(isForeign(deployment) ? [] : wrongWithDeployment(app, deployment, isScaled(table, key))),
    ...(isForeign(service) ? [] : wrongWithService(app, service)),
    ...(isHindered ? [] : wrongWithCount(app, deployment)),
  ];
  if (wrong.length > 0) report('converges', `${key}: ${wrong.join('; ')}`);
}

function wrongWithDeployment(
  { spec }: WebApp,
  deployment: StoredObject | undefined,
  isScaledByOthers: boolean,
): readonly string[] {
  if (deployment === undefined) return ['it has no Deployment'];
  const { replicas, template } = deployment['spec'] as DeploymentSpec;
  const containers = template?.spec?.containers ?? [];
  const image = containers[0]?.image;
  return [
    ...unless(image === spec.image, `image ${image}`),
    ...unless(isTemplated(spec, containers), 'not the containers of its template'),
    ...unless(isScaledByOthers || replicas === spec.replicas, `replicas ${replicas}`),
  ];
}

function wrongWithCount(
  { status }: WebApp,
  deployment: StoredObject | undefined,
): readonly string[] {
  const { replicas } = (deployment?.['spec'] ?? {}) as DeploymentSpec;
  return unless(status.availableReplicas === replicas, `status says ${status.availableReplicas}`);
}

function isTemplated(spec: WebApp['spec'], containers: readonly Container[]): boolean {
  const templated: readonly Container[] = spec.podTemplate?.spec?.containers ?? [{ name: 'app' }];
  return isDeepStrictEqual(
    containers.map(({ name, env }) => [name, env]),
    templated.map(({ name, env }) => [name, env]),
  );
}

interface ServiceSpec {
  readonly type?: string;
  readonly ports?: readonly { readonly port?: number; readonly targetPort?: number }[];
}

/** The annotations of albridge are a matter of its own. */
function wrongWithService({ spec }: WebApp, service: StoredObject | undefined): readonly string[] {
  if (service === undefined) return ['it has no Service'];
  const { ports = [], type = 'ClusterIP' } = service['spec'] as ServiceSpec;
  const desired = { type: 'ClusterIP', port: spec.port, annotations: {}, ...spec.service };
  const annotations = Object.entries(service.metadata.annotations ?? {}).filter(
    ([key]) => !key.startsWith('albridge.io/'),
  );
  return [
    ...unless(ports[0]?.port === desired.port, `port ${ports[0]?.port}`),
    ...unless(ports[0]?.targetPort === spec.port, `target port ${ports[0]?.targetPort}`),
    ...unless(type === desired.type, `type ${type}`),
    ...unless(
      isDeepStrictEqual(Object.fromEntries(annotations), desired.annotations),
      `annotations ${JSON.stringify(annotations)}`,
    ),
  ];
}

function isScaled(table: ObjectTable, key: string): boolean {
  const scalers: ServedKind = AUTOSCALERS;
  return table.get(scalers, key) !== undefined;
}

function unless(isFine: boolean, sentence: string): readonly string[] {
  return isFine ? [] : [sentence];
}
