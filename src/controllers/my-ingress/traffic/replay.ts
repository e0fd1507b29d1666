import { reservedTagKey } from '../../../apis/my-ingress.ts';
import { STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { isStanding, projectStep } from '../graph/projection.ts';
import { SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import type { Operation, Step } from '../graph/steps.ts';
import { applyChanges, type Change } from './execution/changes.ts';

/** A step that AWS has accepted; monotonic ms. */
export interface Written {
  readonly step: Step;
  /** The settings that it has changed. */
  readonly changes: readonly Change[];
  readonly atMs: number;
}

const INGRESS: readonly Operation[] = [
  'AuthorizeSecurityGroupIngress',
  'RevokeSecurityGroupIngress',
];

/**
 * Those whose effect no newer change of somebody else undoes: an ARN or id that is deleted never comes back, and the
 * ports of a managed group are albridge's alone.
 */
const REPLAYED: ReadonlySet<Operation> = new Set<Operation>([
  ...INGRESS,
  ...(['DeleteSecurityGroup', 'DeleteTargetGroup', 'DeleteListener', 'DeleteRule'] as const),
]);

/** Tags of users, which others hardly change within seconds of an edit; what proves ownership is believed as it is read. */
function isReplayed({ operation, input }: Step): boolean {
  switch (operation) {
    case 'AddTags':
    case 'CreateTags':
    case 'DeleteTags':
      return !Object.keys(input.tags).some((key) => reservedTagKey.test(key));
    case 'RemoveTags':
      return true;
    default:
      return REPLAYED.has(operation);
  }
}

/** The recent writes for `replayWritten`, with this one. */
export function recordWritten(
  before: readonly Written[] | undefined,
  written: Written,
): readonly Written[] {
  const { step, changes, atMs } = written;
  const isNewGroup = step.operation === 'CreateSecurityGroup';
  const kept = isNewGroup ? forgetIngress(before, step) : before;
  const recent = (kept ?? []).filter((one) => isRecent(one, atMs));
  return isReplayed(step) || changes.length > 0 ? [...recent, written] : recent;
}

/** After a step that AWS has not answered: what it may have changed is not known from the writes before it. */
export function forgetUncertain(
  before: readonly Written[] | undefined,
  step: Step,
): readonly Written[] | undefined {
  return forgetIngress(before, step)?.filter((one) => REPLAYED.has(one.step.operation));
}

/** After a step about the group: what was allowed before it says nothing. */
function forgetIngress(
  before: readonly Written[] | undefined,
  { id }: Step,
): readonly Written[] | undefined {
  if (id !== SECURITY_GROUP_ID) return before;
  return before?.filter((one) => !INGRESS.includes(one.step.operation));
}

/**
 * A read may show what was there before a write: an edit that is taken back at once would find nothing to do. Returns
 * what it shows with those writes in it. Settings that it shows neither as before nor as after a write are of others, and stay.
 */
export function replayWritten(
  read: ObservedGraph,
  written: readonly Written[] | undefined,
  readMs: number,
): ObservedGraph {
  if (!isStanding(read)) return read;
  return (written ?? [])
    .filter((one) => isRecent(one, readMs))
    .reduce(
      (graph, { step, changes }) =>
        isReplayed(step) ? projectStep(graph, step, undefined) : applyChanges(graph, changes),
      read,
    );
}

/** A read may show what was there before it. */
export function isRecent({ atMs }: { readonly atMs: number }, nowMs: number): boolean {
  return nowMs - atMs < STALENESS_BOUND_MS;
}
