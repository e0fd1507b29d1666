import type { LoadBalancer } from '../../aws/load-balancers.ts';
import type { EventDraft } from '../../core/events.ts';
import { type Drift, describeDrift } from './drift.ts';
import type { ObjectScope, Scope } from './scope.ts';

/** What people are told of a balancer: one event and one log line for each change of the world. */

interface NamedArn {
  readonly arn: string;
  readonly name: string;
}

/** In the words of the article: "Created ALB: <dns>". */
export function tellCreated(scope: Scope, { arn, dns }: LoadBalancer): void {
  tell(scope, { reason: 'CreatedALB', action: 'Create', note: `Created ALB: ${dns}` }, { arn });
}

export function tellUpdated(
  scope: Scope,
  { arn, name }: LoadBalancer,
  drift: readonly Drift[],
): void {
  const what = drift.map(describeDrift).join('; ');
  const draft = wasReadyForThisSpec(scope)
    ? { reason: 'DriftRepaired', action: 'Repair', note: `Repaired ALB ${name}: ${what}` }
    : { reason: 'UpdatedALB', action: 'Update', note: `Updated ALB ${name}: ${what}` };
  tell(scope, draft, { arn, fields: drift.map((difference) => difference.field) });
}

/** The rest of a create, which the event for the create stands for. */
export function tellCompleted(
  { pass }: Scope,
  { arn, name }: LoadBalancer,
  drift: readonly Drift[],
): void {
  pass.log.info(`Completed ALB ${name}: ${drift.map(describeDrift).join('; ')}`, { arn });
}

export function tellAdopted(scope: Scope, { arn, name }: LoadBalancer): void {
  const note = `Adopted ALB ${name} by the consent of its owner`;
  tell(scope, { reason: 'AdoptedALB', action: 'Adopt', note }, { arn });
}

export function tellTakenOver(
  scope: Scope,
  { arn, name }: LoadBalancer,
  previousUid: string,
): void {
  const note = `Took over ALB ${name} from an earlier object of this name (UID ${previousUid})`;
  tell(scope, { reason: 'TookOverALB', action: 'TakeOver', note }, { arn });
}

export function tellVanished(scope: Scope, arn: string): void {
  const note = `ALB ${arn} was deleted by somebody else; it is created again`;
  tell(scope, { type: 'Warning', reason: 'ALBVanished', action: 'Observe', note }, { arn });
}

export function tellDeleted(scope: ObjectScope, { arn, name }: NamedArn): void {
  tell(scope, { reason: 'DeletedALB', action: 'Delete', note: `Deleted ALB: ${name}` }, { arn });
}

export function tellRetained(scope: ObjectScope, { arn, name }: NamedArn): void {
  const note = `Retained ALB ${name}: it stays in AWS without the tags of albridge`;
  tell(scope, { reason: 'RetainedALB', action: 'Retain', note }, { arn });
}

export function tellLeftAlone(scope: ObjectScope, { arn, name }: NamedArn): void {
  const note = `Left ALB ${name} alone: its tags say that it is not this object's`;
  tell(scope, { type: 'Warning', reason: 'LeftALB', action: 'Release', note }, { arn });
}

function tell(
  { pass }: ObjectScope,
  draft: Omit<EventDraft, 'type'> & Partial<Pick<EventDraft, 'type'>>,
  fields: Readonly<Record<string, unknown>>,
): void {
  pass.event({ type: 'Normal', ...draft });
  pass.log.info(draft.note, fields);
}

/** A difference against a spec that was applied once is drift; any other is an edit being applied. */
function wasReadyForThisSpec({ object }: Scope): boolean {
  const ready = object.status?.conditions?.find((condition) => condition.type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation;
}
