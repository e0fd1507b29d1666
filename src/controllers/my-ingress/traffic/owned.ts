import type { Scope } from '../scope.ts';
import type { Planned } from './planned.ts';

type Ownable = Pick<Planned, 'desired' | 'observed' | 'isEarly'>;

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
  pass.report({ owned: describeOwned(owned.targetGroups, owned.securityGroup) });
  const isNew =
    owned.targetGroups.some((name) => !before.targetGroups?.includes(name)) ||
    (owned.securityGroup !== undefined && owned.securityGroup !== before.securityGroup);
  if (!isNew) return;
  await pass.ensureFinalizer();
  await pass.recordNow();
}

function projectOwned(
  { object }: Scope,
  { desired, observed, isEarly = false }: Ownable,
): { readonly targetGroups: readonly string[]; readonly securityGroup: string | undefined } {
  const { targetGroups = [], securityGroup } = object.status?.owned ?? {};
  const there = new Set(observed.targetGroups.map(({ targetGroup: { name } }) => name));
  const kept = targetGroups.filter((name) => isEarly || there.has(name));
  const wanted = desired.targetGroups.map(({ name }) => name);
  const isHeld = observed.securityGroups.length > 0 || isEarly;
  return {
    targetGroups: [...new Set([...kept, ...wanted])].toSorted(),
    securityGroup: desired.securityGroup?.name ?? (isHeld ? securityGroup : undefined),
  };
}

/** `status.owned`: absent where nothing is left. */
export function describeOwned(
  targetGroups: readonly string[],
  securityGroup: string | undefined,
): object | undefined {
  if (targetGroups.length === 0 && securityGroup === undefined) return undefined;
  return {
    ...(securityGroup !== undefined && { securityGroup }),
    ...(targetGroups.length > 0 && { targetGroups }),
  };
}
