import type { Identity } from '../identity.ts';
import type { ResourceId } from './resource-id.ts';
import type { Step } from './steps.ts';

/** Facts about the other resources that the steps of one resource need. */
export interface PlanContext {
  readonly identity: Identity;
  readonly appliedTags: readonly string[];
  /** Of target groups, as observed. */
  readonly namesByArn: ReadonlyMap<string, string>;
  /** ARNs of target groups that AWS takes behind HTTPS alone. */
  readonly secureArns: ReadonlySet<string>;
  /** Settings of listeners that AWS has refused: no default action is to be refused with them. */
  readonly unsettled: readonly Step<'ModifyListener'>[];
  /** Names of target groups that are there, or will be before an action names them; by name their ids. */
  readonly availableNames: ReadonlyMap<string, ResourceId>;
}

export function mapNamesToIds(
  names: readonly string[],
  { availableNames }: PlanContext,
): readonly ResourceId[] {
  return names.flatMap((name) => availableNames.get(name) ?? []);
}

/** Whether every target group of these names is there, or will be. */
export function isServed(names: readonly string[], { availableNames }: PlanContext): boolean {
  return names.every((name) => availableNames.has(name));
}
