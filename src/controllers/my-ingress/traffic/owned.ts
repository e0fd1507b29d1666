import type { MyIngress } from '../../../apis/my-ingress.ts';
import { isStandingSetting, listSettings, MUTUAL_TLS } from '../listeners/settings.ts';
import type { Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import type { Planned } from './planned.ts';

type Ownable = Pick<Planned, 'desired' | 'observed' | 'isEarly' | 'routes'>;

/** `status.owned` */
interface Owned {
  readonly targetGroups: readonly string[];
  readonly securityGroup?: string | undefined;
  readonly listenerSettings?: readonly string[];
}

/**
 * Write-ahead: what is about to be made is on record by its name first, so that whatever leaves the spec
 * afterwards is found again. A name is dropped once a read, not older than what was made, shows nothing.
 */
export async function recordOwned(scope: Scope, ownable: Ownable): Promise<void> {
  const { memory, object, pass } = scope;
  const before = object.status?.owned ?? {};
  const owned = projectOwned(scope, ownable);
  // What is there is on record from here on.
  if (ownable.isEarly !== true) memory.foundGroups = undefined;
  pass.report({ owned: describeOwned(owned) });
  const isNew =
    owned.targetGroups.some((name) => !before.targetGroups?.includes(name)) ||
    owned.listenerSettings.some((one) => !before.listenerSettings?.includes(one)) ||
    (owned.securityGroup !== undefined && owned.securityGroup !== before.securityGroup);
  if (!isNew) return;
  await pass.ensureFinalizer();
  await pass.recordNow();
}

function projectOwned(
  { object }: Scope,
  { desired, observed, isEarly = false, routes }: Ownable,
): Required<Owned> {
  const { targetGroups = [], securityGroup, listenerSettings = [] } = object.status?.owned ?? {};
  const there = new Set(observed.targetGroups.map(({ targetGroup: { name } }) => name));
  const kept = targetGroups.filter((name) => isEarly || there.has(name));
  const wanted = desired.targetGroups.map(({ name }) => name);
  const isHeld = observed.securityGroups.length > 0 || isEarly;
  const standing = listenerSettings.filter((one) => {
    return isEarly || isStandingSetting(one, desired, observed);
  });
  return {
    targetGroups: [...new Set([...kept, ...wanted])].toSorted(),
    securityGroup: desired.securityGroup?.name ?? (isHeld ? securityGroup : undefined),
    listenerSettings: [...new Set([...standing, ...listSettings(routes)])].toSorted(),
  };
}

/** `status.owned`: absent where nothing is left. */
export function describeOwned({
  targetGroups,
  securityGroup,
  listenerSettings = [],
}: Owned): object | undefined {
  const owned = {
    ...(securityGroup !== undefined && { securityGroup }),
    ...(targetGroups.length > 0 && { targetGroups }),
    ...(listenerSettings.length > 0 && { listenerSettings }),
  };
  return Object.keys(owned).length === 0 ? undefined : owned;
}

/** True where a setting of a listener is on record that the spec does not have. */
export function hasLeftSettings({ status }: MyIngress, routes: Routes): boolean {
  const wanted = listSettings(routes);
  return (status?.owned?.listenerSettings ?? []).some((one) => !wanted.includes(one));
}

/** True where attributes of a listener are in the spec or on record. */
export function hasListenerAttributes({ status }: MyIngress, routes: Routes): boolean {
  const all = [...(status?.owned?.listenerSettings ?? []), ...listSettings(routes)];
  return all.some((one) => !one.endsWith(` ${MUTUAL_TLS}`));
}
