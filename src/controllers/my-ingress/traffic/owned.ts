import type { MyIngress } from '../../../apis/my-ingress.ts';
import { nameSecurityGroup } from '../graph/names.ts';
import type { Step } from '../graph/steps.ts';
import { identifyResource, isOwn, isOwnTargetGroup } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import {
  isStandingSetting,
  listSettings,
  MUTUAL_TLS,
  pickSettings,
} from '../listeners/settings.ts';
import { OWN_SOURCE, type Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { hasLeftovers } from '../status.ts';
import type { ServedGroup } from '../targets.ts';
import type { Planned } from './planned.ts';

/** Whose endpoints are the targets of a target group, also once its backend has left the spec. */
export type RecordedService = NonNullable<
  NonNullable<MyIngress['status']['owned']>['services']
>[number];

type Ownable = Pick<Planned, 'desired' | 'observed' | 'isEarly' | 'plan' | 'routes'>;

/** `status.owned` */
interface Owned {
  readonly targetGroups: readonly string[];
  readonly securityGroup?: string | undefined;
  readonly listenerSettings?: readonly string[];
  readonly services?: readonly RecordedService[];
  /** Something that left the spec is to be removed later. */
  readonly hasRemovals?: boolean;
}

/**
 * Write-ahead: what is about to be made is on record by its name first, so that whatever leaves the spec
 * afterwards is found again. A name is dropped once a read, not older than what was made, shows nothing.
 */
export async function recordOwned(scope: Scope, ownable: Ownable): Promise<void> {
  const { memory, pass } = scope;
  const projected = projectOwned(scope, ownable);
  const owned = {
    ...projected,
    hasRemovals: projected.hasRemovals || hasDueRemoval(scope, ownable, projected),
  };
  const described = describeOwned(owned);
  pass.report({ owned: described });
  if (isNew(scope, ownable, owned)) {
    await pass.ensureFinalizer();
    await pass.recordNow(undefined, ['owned']);
  }
  // Whatever exists is on record from here on, and not before the write of it has been answered.
  if (ownable.isEarly !== true) {
    memory.foundGroups = undefined;
    memory.foundSecurityGroup = undefined;
  }
  memory.traffic = memory.traffic && { ...memory.traffic, owned: described };
}

/** True where the record has to be stored before the steps. */
function isNew({ object, stored = {} }: Scope, { plan }: Ownable, owned: Required<Owned>): boolean {
  return (
    (plan.steps.length > 0 && !isTraced(object, stored)) ||
    owned.targetGroups.some((name) => !stored.targetGroups?.includes(name)) ||
    owned.listenerSettings.some((one) => !stored.listenerSettings?.includes(one)) ||
    (owned.securityGroup !== undefined && owned.securityGroup !== stored.securityGroup)
  );
}

/**
 * A removal that is due now stays on record until AWS has answered it. A listener has no name on record before it is
 * made: where nothing else leads to it, it counts as one.
 */
function hasDueRemoval({ object }: Scope, { plan }: Ownable, projected: Owned): boolean {
  if (plan.steps.length === 0) return false;
  return object.status?.owned?.removals === true || !isTraced(object, describeOwned(projected));
}

/** True where the object still has traffic by this record once its spec has none. */
function isTraced({ status }: MyIngress, owned: MyIngress['status']['owned'] = {}): boolean {
  return hasLeftovers({ status: { ...status, owned } });
}

/** Once all steps of the plan are done. */
export function recordRemoved(scope: Scope, ownable: Ownable): void {
  const { memory, pass } = scope;
  const described = describeOwned(projectOwned(scope, ownable));
  pass.report({ owned: described });
  memory.traffic = memory.traffic && { ...memory.traffic, owned: described };
}

function projectOwned(
  { identity, object }: Scope,
  { desired, observed, isEarly = false, plan, routes }: Ownable,
): Required<Owned> {
  const { targetGroups = [], securityGroup, listenerSettings = [] } = object.status?.owned ?? {};
  const there = new Set(observed.targetGroups.map(({ targetGroup: { name } }) => name));
  const kept = targetGroups.filter((name) => isEarly || there.has(name));
  const desiredNames = desired.targetGroups.map(({ name }) => name);
  const isFound = observed.securityGroups.length > 0;
  const held = isFound ? nameSecurityGroup(identity) : isEarly ? securityGroup : undefined;
  const standing = listenerSettings.filter((one) => {
    return isEarly || isStandingSetting(one, observed, identity);
  });
  const names = [...new Set([...desiredNames, ...kept])];
  return {
    targetGroups: names,
    services: listServices(object, { desired, routes }, names),
    securityGroup: desired.securityGroup?.name ?? held,
    listenerSettings: [...new Set([...listSettings(routes), ...standing])],
    hasRemovals: mayLeaveRemovals(object, plan, isEarly),
  };
}

/** Also where what is on record to be removed may not show yet. */
function mayLeaveRemovals({ status }: MyIngress, plan: Planned['plan'], isEarly: boolean): boolean {
  return leavesRemovals(plan) || (isEarly && status?.owned?.removals === true);
}

function leavesRemovals({ postponed, steps }: Planned['plan']): boolean {
  return postponed.length > 0 || leavesPortOpen(steps);
}

/** The port of a listener that is deleted is closed once a later pass finds the listener gone. */
export function leavesPortOpen(steps: readonly Step[]): boolean {
  return steps.some(({ operation }) => operation === 'DeleteListener');
}

/** Those of the spec, and those on record of what left it. */
export function listServices(
  { status }: Pick<MyIngress, 'status'>,
  { desired, routes }: Pick<Planned, 'desired' | 'routes'>,
  names: readonly string[],
): readonly RecordedService[] {
  const recorded = status?.owned?.services ?? [];
  const all = names.map((targetGroup) => {
    const index = desired.targetGroups.findIndex(({ name }) => name === targetGroup);
    const backend = routes.backends[index];
    if (backend === undefined) return recorded.find((one) => one.targetGroup === targetGroup);
    // A record is no authority: it leads to no namespace but the object's own.
    if (backend.source !== OWN_SOURCE) return undefined;
    return { targetGroup, backend: backend.name, ...backend.service };
  });
  return all.filter((one) => one !== undefined);
}

/** The backend of a target group on record, and its Service; what others have written there is not trusted further. */
export function findRecorded(
  { status }: Pick<MyIngress, 'status'>,
  targetGroup: string,
): Pick<ServedGroup, 'backend' | 'service'> | undefined {
  const found = status?.owned?.services?.find((one) => one.targetGroup === targetGroup);
  return found && { backend: found.backend, service: { name: found.name, port: found.port } };
}

/** As the CRD has it: longer lists would be refused, and everything with them. */
export const MOST_OWNED = { targetGroups: 200, services: 200, listenerSettings: 250 } as const;

export type OwnedNames = 'targetGroups' | 'listenerSettings';

/**
 * `status.owned`: absent where nothing is left. Of lists that are too long, which only a forged record makes,
 * the end is left out: give what is known to be the object's first.
 */
export function describeOwned({
  targetGroups,
  securityGroup,
  listenerSettings = [],
  services = [],
  hasRemovals = false,
}: Owned): MyIngress['status']['owned'] {
  const owned = {
    ...(securityGroup !== undefined && { securityGroup }),
    ...fill('targetGroups', targetGroups),
    ...(services.length > 0 && { services: sortServices(services) }),
    ...fill('listenerSettings', listenerSettings),
    ...(hasRemovals && { removals: true }),
  };
  return Object.keys(owned).length === 0 ? undefined : owned;
}

function fill<Field extends OwnedNames>(
  field: Field,
  names: readonly string[],
): { readonly [Name in Field]?: string[] } {
  if (names.length === 0) return {};
  const list = names.slice(0, MOST_OWNED[field]).toSorted();
  return { [field]: list } as { [Name in Field]: string[] };
}

/** In the record's order; of a list that is too long the end is left out. */
export function sortServices(services: readonly RecordedService[]): readonly RecordedService[] {
  const list = services.slice(0, MOST_OWNED.services);
  return list.toSorted((a, b) => (a.targetGroup < b.targetGroup ? -1 : 1));
}

/** True where a setting is on record that the spec does not have, though it has the listener. */
export function hasLeftSettings({ status }: MyIngress, routes: Routes): boolean {
  const recorded = status?.owned?.listenerSettings ?? [];
  const inSpec = listSettings(routes);
  return routes.listeners.some(({ port }) => {
    const left = recorded.filter((one) => !inSpec.includes(one));
    return pickSettings(left, port).length > 0;
  });
}

/** True where attributes of a listener are in the spec or on record. */
export function hasListenerAttributes({ status }: MyIngress, routes: Routes): boolean {
  const all = [...(status?.owned?.listenerSettings ?? []), ...listSettings(routes)];
  return all.some((one) => !one.endsWith(` ${MUTUAL_TLS}`));
}

/**
 * Keys of the tags of what is ours beside the balancer, also of what is disowned, after these steps: those that left
 * the spec stay on record.
 */
export function listTagKeys(
  { observed, disowned = observed }: Pick<Planned, 'observed' | 'disowned'>,
  done: readonly Step[],
  identity: Identity,
): readonly string[] {
  const { listeners, securityGroups, targetGroups } = disowned;
  const routing = listeners.flatMap(({ listener: { arn }, rules, tags }) => [
    { id: arn, tags },
    ...rules.map(({ rule, tags: own }) => ({ id: rule.arn, tags: own })),
  ]);
  const own = [
    ...routing.filter(({ tags }) => identifyResource(tags, identity) !== undefined),
    ...targetGroups
      .filter((one) => isOwnTargetGroup(one, identity))
      .map(({ targetGroup: { arn }, tags }) => ({ id: arn, tags })),
    ...securityGroups
      .filter(({ tags }) => isOwn(tags, identity))
      .map(({ securityGroup: { id }, tags }) => ({ id, tags })),
  ];
  return own.flatMap(({ id, tags }) => {
    const removed = done.flatMap((step) => listRemoved(step, id));
    return Object.keys(tags).filter((key) => !removed.includes(key));
  });
}

function listRemoved({ operation, input }: Step, id: string): readonly string[] {
  if (operation === 'RemoveTags') return input.resource === id ? input.keys : [];
  return operation === 'DeleteTags' && input.resource === id ? Object.keys(input.tags) : [];
}
