import { STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { isStanding, projectStep } from '../graph/projection.ts';
import { SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import type { Operation, Step } from '../graph/steps.ts';

/** A step that AWS has accepted; monotonic ms. */
export interface Written {
  readonly step: Step;
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

/** The recent writes for `replayWritten`, with this one. */
export function recordWritten(
  before: readonly Written[] | undefined,
  { step, atMs }: Written,
): readonly Written[] {
  const isNewGroup = step.operation === 'CreateSecurityGroup';
  const kept = isNewGroup ? forgetIngress(before, step) : before;
  const recent = (kept ?? []).filter((one) => isRecent(one, atMs));
  return REPLAYED.has(step.operation) ? [...recent, { step, atMs }] : recent;
}

/** After a step about the group that is new, or that AWS has not answered: what was allowed before it says nothing. */
export function forgetIngress(
  before: readonly Written[] | undefined,
  { id }: Step,
): readonly Written[] | undefined {
  if (id !== SECURITY_GROUP_ID) return before;
  return before?.filter((one) => !INGRESS.includes(one.step.operation));
}

/**
 * A read may show what was there before a write: an edit that is taken back at once would find nothing to do. Returns
 * what it shows with those writes in it.
 */
export function replayWritten(
  read: ObservedGraph,
  written: readonly Written[] | undefined,
  readMs: number,
): ObservedGraph {
  if (!isStanding(read)) return read;
  return (written ?? [])
    .filter((one) => isRecent(one, readMs))
    .reduce((graph, { step }) => projectStep(graph, step, undefined), read);
}

/** A read may show what was there before it. */
export function isRecent({ atMs }: { readonly atMs: number }, nowMs: number): boolean {
  return nowMs - atMs < STALENESS_BOUND_MS;
}
