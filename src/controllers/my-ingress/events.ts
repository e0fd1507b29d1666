import { type MyIngress, previousGroupsTagKeys, rewriteTagKey } from '../../apis/my-ingress.ts';
import { type LoadBalancer, STALENESS_BOUND_MS } from '../../aws/elbv2/load-balancers.ts';
import { abridge } from '../../core/objects/abridge.ts';
import { type EventDraft, REPAIR } from '../../core/ports/events.ts';
import { hasNewRoutes } from './attaching/joined.ts';
import { isUnserved } from './attaching/report.ts';
import { printStep } from './graph/planned-step.ts';
import { getListenerId, type ResourceId } from './graph/resource-id.ts';
import { isClaim, type Operation, type Step } from './graph/steps.ts';
import { type Drift, describeDrift } from './load-balancer/plan.ts';
import type { ObjectScope, Scope } from './scope.ts';

/** Records each change of a balancer, and all changes beside it in one pass, as one event and one log line. */

interface NamedArn {
  readonly arn: string;
  readonly name: string;
}

export function recordCreated({ pass }: Scope, { arn, dns }: LoadBalancer): void {
  const note = `Created ALB: ${dns}`;
  pass.recordEvent({ type: 'Normal', reason: 'CreatedALB', action: 'Create', note });
  // oxlint-disable-next-line albridge/log-messages-are-constant -- the article's sentence
  pass.log.info(note, { arn });
}

export function recordUpdated(
  scope: Scope,
  { arn, name }: LoadBalancer,
  drift: readonly Drift[],
): void {
  const what = drift.map(describeDrift).join('; ');
  const draft = wasReadyForThisSpec(scope)
    ? { reason: 'DriftRepaired', action: REPAIR, note: `Repaired ALB ${name}: ${what}` }
    : { reason: 'UpdatedALB', action: 'Update', note: `Updated ALB ${name}: ${what}` };
  recordEvent(scope, draft, { arn, fields: [...new Set(drift.map(({ field }) => field))] });
}

const MOST_STEPS = 4;

/** One event for all that a pass has changed beside the balancer, and a log line with every step. */
export function recordChanged(scope: ObjectScope, done: readonly Step[]): void {
  if (done.length === 0) return;
  const steps = done.map(printStep);
  const what = abridge(steps, MOST_STEPS).join('; ');
  const rest = wasReadyForThisSpec(scope) ? leaveOutLate(scope, done) : [];
  const isDrift = !rest.every((step) => isRestOfEdit(scope, step));
  const draft = isDrift
    ? { reason: 'DriftRepaired', action: REPAIR, note: `Repaired: ${what}` }
    : { reason: 'UpdatedTraffic', action: 'Update', note: `Updated: ${what}` };
  recordEvent(scope, draft, { steps });
  for (const { id } of done.filter((step) => isFirstClaim(scope, step))) {
    const note = `Took over ${id.replace('/', ' ')} with the consent of its owner`;
    recordEvent(scope, { reason: 'AdoptedListener', action: 'Adopt', note }, { id });
  }
}

const RECORDS: readonly string[] = [rewriteTagKey, ...previousGroupsTagKeys];

/** Without what AWS has refused before, and the moves that give it its place: what others change beside it is drift. */
function leaveOutLate({ object }: ObjectScope, done: readonly Step[]): readonly Step[] {
  const others = done.filter(({ id }) => !isUnserved(object, id));
  if (others.length === done.length) return done;
  return others.filter(({ operation }) => operation !== 'SetRulePriorities');
}

/** Removals of what left the spec come after the object is Ready again, each when nothing uses it any more. */
function isRestOfEdit(scope: ObjectScope, step: Step): boolean {
  const { object } = scope;
  switch (step.operation) {
    case 'DeleteTargetGroup':
    case 'DeleteSecurityGroup':
      return true;
    case 'AddTags':
    case 'DeleteTags':
    case 'RemoveTags':
      return isRecord(object, step);
    case 'RemoveListenerCertificates':
      // Others may have added it.
      return isLate(scope, step) || listShown(object, step.id).includes(step.input.certificate);
    default:
      return isLate(scope, step) || isChosenAnew(object, step);
  }
}

/** Tags that only say what an edit has left to do; others may have taken away what is added. */
function isRecord(
  { status }: MyIngress,
  { operation, input }: Step<'AddTags' | 'DeleteTags' | 'RemoveTags'>,
): boolean {
  if (operation === 'AddTags' && status?.owned?.removals !== true) return false;
  const keys = 'keys' in input ? input.keys : Object.keys(input.tags);
  return keys.every((key) => RECORDS.includes(key));
}

const LATE = new Set<Operation>(['DeleteListener', 'DeleteRule', 'RemoveListenerCertificates']);

/** While a removal is on record. */
function isLate({ memory, object }: ObjectScope, { operation }: Step): boolean {
  if (object.status?.owned?.removals !== true) return false;
  // It does not hide a port that a scan has found open.
  if (operation === 'RevokeSecurityGroupIngress') return memory.facts.hasFoundDrift !== true;
  return LATE.has(operation);
}

/** Another certificate than before was found for a listener that names none; the default one may stay beside it. */
function isChosenAnew(object: MyIngress, { id, input, operation }: Step): boolean {
  if (!('certificate' in input) || input.certificate === undefined || 'action' in input)
    return false;
  const shown = listShown(object, id);
  const [first] = shown;
  if (operation === 'ModifyListener') return first !== undefined && first !== input.certificate;
  return first !== undefined && (first === input.certificate || !shown.includes(input.certificate));
}

/** Certificates that were found for a listener before, the default one first. */
function listShown({ status }: MyIngress, listener: ResourceId): readonly string[] {
  const found = status?.listeners?.find(({ port }) => listener === getListenerId(port));
  return (found?.certificates ?? []).map(({ arn }) => arn);
}

/** A read of tags that is older than the take-over has the next pass repeat it. */
function isFirstClaim({ clock, memory }: ObjectScope, step: Step): boolean {
  if (!isClaim(step) || !('resource' in step.input)) return false;
  const { resource } = step.input;
  const nowMs = clock.monotonicMs();
  const { [resource]: beforeMs = Number.NEGATIVE_INFINITY } = memory.claimedMs ?? {};
  memory.claimedMs = { ...memory.claimedMs, [resource]: nowMs };
  return nowMs - beforeMs > STALENESS_BOUND_MS;
}

/** The rest of a create, which the event for the create stands for. */
export function logCompleted(
  { pass }: Scope,
  { arn, name }: LoadBalancer,
  drift: readonly Drift[],
): void {
  pass.log.info('Completed ALB', { arn, alb: name, differences: drift.map(describeDrift) });
}

export function recordAdopted(scope: Scope, { arn, name }: LoadBalancer): void {
  const note = `Adopted ALB ${name} with the consent of its owner`;
  recordEvent(scope, { reason: 'AdoptedALB', action: 'Adopt', note }, { arn });
}

export function recordTakenOver(
  scope: Scope,
  { arn, name }: LoadBalancer,
  previousUid: string,
): void {
  const note = `Took over ALB ${name} from an earlier object of this name (UID ${previousUid})`;
  recordEvent(scope, { reason: 'TookOverALB', action: 'TakeOver', note }, { arn });
}

export function recordVanished(scope: Scope, arn: string, note: string): void {
  recordEvent(scope, { type: 'Warning', reason: 'ALBVanished', action: 'Observe', note }, { arn });
}

export function recordDeleted(scope: ObjectScope, { arn, name }: NamedArn): void {
  recordEvent(
    scope,
    { reason: 'DeletedALB', action: 'Delete', note: `Deleted ALB: ${name}` },
    { arn },
  );
}

export function recordRetained(scope: ObjectScope, { arn, name }: NamedArn): void {
  const note = `Retained ALB ${name}: it stays in AWS without the tags of albridge`;
  recordEvent(scope, { reason: 'RetainedALB', action: 'Retain', note }, { arn });
}

export function recordLeftAlone(scope: ObjectScope, { arn, name }: NamedArn): void {
  const note = `Left ALB ${name} alone: by its tags it is not this object's`;
  recordEvent(scope, { type: 'Warning', reason: 'LeftALB', action: 'Release', note }, { arn });
}

/** Beside a balancer that was deleted. */
export function recordLeftGroups(scope: ObjectScope, groups: readonly string[]): void {
  if (groups.length === 0) return;
  const note = `Left ${abridge(groups, MOST_STEPS).join(', ')} alone: by the tags not this object's, as after a release by deletionPolicy Retain`;
  recordEvent(
    scope,
    { type: 'Warning', reason: 'LeftGroups', action: 'Release', note },
    { groups },
  );
}

/** One event, and one log line with its reason and note, and with these fields. */
export function recordEvent(
  { pass }: ObjectScope,
  draft: Omit<EventDraft, 'type'> & Partial<Pick<EventDraft, 'type'>>,
  fields: Readonly<Record<string, unknown>>,
): void {
  const { reason, note } = draft;
  pass.recordEvent({ type: 'Normal', ...draft });
  pass.log.info('event occurred', { reason, note, ...fields });
}

/** A difference against a spec that was applied once is drift; any other is an edit being applied. */
export function wasReadyForThisSpec({ object }: ObjectScope): boolean {
  const ready = object.status?.conditions?.find((condition) => condition.type === 'Ready');
  const isForSpec = ready?.observedGeneration === object.metadata.generation;
  return ready?.status === 'True' && isForSpec && !hasNewRoutes(object);
}
