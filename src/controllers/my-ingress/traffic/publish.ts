import type { HealthCheck, TargetGroup } from '../../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import { startDeadline } from '../../../core/ports/clock.ts';
import type { ObservedGraph, ObservedTargetGroup } from '../graph/graph.ts';
import { listNamedGroups } from '../graph/projection.ts';
import { getTargetGroupId, type ResourceId } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { identifyTargetGroup, isOwnTargetGroup } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import { nameBackend } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { readTargetKind } from '../target-groups/target-kind.ts';
import type { ServedGroup } from '../targets.ts';
import type { Progress } from './execution/execute-plan.ts';
import { findRecorded } from './owned.ts';
import type { Planned } from './planned.ts';

/**
 * Publishes the groups that are there and proved ours, by the tags that were read or by those of their
 * create call: those of the spec, and those that an action still names.
 */
export function publishGroups(scope: Scope, planned: Planned, progress: Progress): void {
  const desired = listDesired(scope, planned, progress);
  const known = new Set(desired.map(({ arn }) => arn));
  const { memory, pass, targets } = scope;
  const standing = progress.standing ?? planned.observed;
  const named = new Set(listNamedGroups(standing));
  const reached = new Set(listNamedGroups(standing, 1));
  const replaced = listReplaced(scope, planned, named).filter(({ arn }) => !known.has(arn));
  const [checks, observed] = [mapChecks(standing), mapChecks(planned.observed)];
  const marked = desired.map((one) => ({
    ...one,
    ...omitUndefined({ healthCheck: checks.get(one.arn), observedCheck: observed.get(one.arn) }),
    ...(!named.has(one.arn) && { isUnused: true }),
    ...(reached.has(one.arn) && { isReached: true }),
  }));
  const served = [...marked, ...replaced];
  if (memory.traffic !== undefined) memory.traffic = { ...memory.traffic, served };
  targets.publish(pass.key, served);
}

/** No request is sent to a group that is still empty, unless its filling takes longer than this. */
const LONGEST_FILL_MS = 2_000;

export async function waitForTargets({ clock, pass, targets }: Scope): Promise<void> {
  const limit = startDeadline(clock, LONGEST_FILL_MS, pass.signal);
  try {
    await targets.waitUntilFilled(pass.key, limit.signal);
  } catch (error) {
    if (pass.signal.aborted || !limit.signal.aborted) throw error;
  } finally {
    limit.release();
  }
}

function mapChecks({
  targetGroups,
}: Pick<ObservedGraph, 'targetGroups'>): ReadonlyMap<string, HealthCheck> {
  return new Map(targetGroups.map(({ targetGroup: { arn, healthCheck } }) => [arn, healthCheck]));
}

function listDesired(
  scope: Scope,
  { observed, desired, routes }: Planned,
  { references, done, failed }: Progress,
): readonly ServedGroup[] {
  const { identity } = scope;
  const proved = new Set([
    ...listOwn(observed, identity).map(({ targetGroup: { name } }) => name),
    ...listCreated(done.filter((step) => !failed.includes(step))),
  ]);
  const created = new Set(listCreated(done));
  return routes.backends.flatMap((backend, index): readonly ServedGroup[] => {
    const { id = '', name = '' } = desired.targetGroups[index] ?? {};
    const known = proved.has(name) ? references.targetGroups.get(name) : undefined;
    const { service, targetType, ipAddressType } = backend;
    const shared = { backend: nameBackend(backend), service };
    if (known !== undefined) {
      const kind = { targetType, ipAddressType };
      return [{ ...shared, ...kind, arn: known, isNew: created.has(name) }];
    }
    const before = findPredecessor(id, observed, identity);
    if (before === undefined) return [];
    const kind = { ...readTargetKind(before), ...recallService(scope, before) };
    return [{ ...shared, ...kind, arn: before.arn, isNew: false }];
  });
}

/**
 * The Service and port that the group was last filled by, as this process or the record has it. They change with a
 * successor's, as from HTTP to HTTPS, while requests still reach the group by the protocol that it has.
 */
function recallService(
  { memory, object }: Scope,
  { arn, name }: Pick<TargetGroup, 'arn' | 'name'>,
): Partial<Pick<ServedGroup, 'service'>> {
  const served = memory.traffic?.served?.find((one) => one.arn === arn);
  const before = served ?? findRecorded(object, name);
  return before === undefined ? {} : { service: before.service };
}

/** While a group cannot be made, requests go on to the one that it is to replace. */
function findPredecessor(
  id: ResourceId,
  observed: ObservedGraph,
  identity: Identity,
): TargetGroup | undefined {
  return listOwn(observed, identity).find((one) => {
    const isUsed = one.targetGroup.loadBalancerArns.length > 0;
    return isUsed && identifyTargetGroup(one, identity) === id;
  })?.targetGroup;
}

/**
 * Groups that the spec has replaced or does not name any more, and that an action names: an old rule stays for a
 * while, or AWS has refused its change. Of a backend that has left the spec the Service is on record, and the id of
 * the group leads to that of an attached object, also while it is not known what attaches.
 */
function listReplaced(
  scope: Scope,
  { observed, disowned = observed, routes }: Planned,
  named: ReadonlySet<string>,
): readonly ServedGroup[] {
  const { attachments, identity, memory, object } = scope;
  return listOwn(disowned, identity).flatMap((one) => {
    const { targetGroup } = one;
    const { arn, name: group } = targetGroup;
    const id = identifyTargetGroup(one, identity) ?? '';
    const backend = routes.backends.find((other) => getTargetGroupId(other) === id);
    const served = memory.traffic?.served?.find((other) => other.arn === arn);
    const before = served ?? findRecorded(object, group) ?? attachments.recallGroup(id);
    const now = backend === undefined ? before : { ...backend, backend: nameBackend(backend) };
    if (!named.has(arn) || now === undefined) return [];
    const { backend: name } = now;
    const { service } = { ...now, ...recallService(scope, targetGroup) };
    const kind = readTargetKind(targetGroup);
    return [{ backend: name, arn, service, ...kind, isNew: false, isReplaced: true }];
  });
}

function listOwn(
  { targetGroups }: Pick<ObservedGraph, 'targetGroups'>,
  identity: Identity,
): readonly ObservedTargetGroup[] {
  return targetGroups.filter((one) => isOwnTargetGroup(one, identity));
}

function listCreated(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ operation, input }) =>
    operation === 'CreateTargetGroup' ? [input.name] : [],
  );
}
