import { isDeepStrictEqual } from 'node:util';
import type { Listener } from '../../../../aws/elbv2/traffic.ts';
import { omitKeys } from '../../../../core/objects/fields.ts';
import type { ObservedListener } from '../../graph/graph.ts';
import { markUsers, type StandingGraph } from '../../graph/projection.ts';
import type { Operation, Step } from '../../graph/steps.ts';

/** A setting of a resource that a step has changed; undefined: not there. */
export interface Change {
  /** The ARN, and which part of the resource. */
  readonly of: string;
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

const EDITING: ReadonlySet<Operation> = new Set<Operation>([
  ...(['ModifyTargetGroup', 'ModifyTargetGroupAttributes', 'ModifyListener'] as const),
  ...(['ModifyListenerAttributes', 'AddListenerCertificates'] as const),
  ...(['RemoveListenerCertificates', 'ModifyRule', 'SetRulePriorities'] as const),
]);

/** False for a step that changes no setting of what is there. */
export function isEdit({ operation }: Step): boolean {
  return EDITING.has(operation);
}

/**
 * The settings in which two states of the same resources differ; pure. Tags, ingress, and what came or went is not among
 * them, nor are the balancer's own, which are written in other ways too.
 */
export function listChanges(before: StandingGraph, after: StandingGraph): readonly Change[] {
  const known = new Map<string, Fields>();
  visitParts(before, (of, part) => {
    known.set(of, part as Fields);
    return part;
  });
  const changes: Change[] = [];
  visitParts(after, (of, part) => {
    const former = known.get(of);
    if (former !== undefined) changes.push(...comparePart(of, former, part as Fields));
    return part;
  });
  return changes;
}

/** Computes the state with each of the changes that it does not show yet: what is neither as before nor as after it stays. */
export function applyChanges(graph: StandingGraph, changes: readonly Change[]): StandingGraph {
  const changed = visitParts(graph, (of, part) => {
    const own = changes.filter((one) => one.of === of);
    return own.reduce(applyChange, part);
  });
  return { ...changed, targetGroups: changed.targetGroups.map((one) => markUsers(one, changed)) };
}

type Fields = Readonly<Record<string, unknown>>;

/** Computed of what the listeners name. */
const COMPUTED = 'loadBalancerArns';

function comparePart(of: string, before: Fields, after: Fields): readonly Change[] {
  if (before === after) return [];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) => {
    const change = { of, field, before: before[field], after: after[field] };
    const isSame = field === COMPUTED || isDeepStrictEqual(change.before, change.after);
    return isSame ? [] : [change];
  });
}

function applyChange<T extends object>(part: T, { field, before, after }: Change): T {
  if (!isDeepStrictEqual((part as Fields)[field], before)) return part;
  const others = omitKeys(part as Fields, [field]);
  return (after === undefined ? others : { ...others, [field]: after }) as T;
}

type Visit = <T extends object>(of: string, part: T) => T;

function visitParts(graph: StandingGraph, visit: Visit): StandingGraph {
  return {
    ...graph,
    targetGroups: graph.targetGroups.map(({ targetGroup, attributes, ...rest }) => ({
      ...rest,
      targetGroup: visit(targetGroup.arn, targetGroup),
      ...(attributes && { attributes: visit(`${targetGroup.arn} attributes`, attributes) }),
    })),
    listeners: graph.listeners.map(({ listener, certificates, attributes, rules, ...rest }) => ({
      ...rest,
      listener: visit(listener.arn, listener),
      ...visitCertificates(listener, certificates, visit),
      ...(attributes && { attributes: visit(`${listener.arn} attributes`, attributes) }),
      rules: rules.map((one) => ({ ...one, rule: visit(one.rule.arn, one.rule) })),
    })),
  };
}

/** HTTP has none, and they are not read each time: those that are not known stay so. */
function visitCertificates(
  { arn, certificates: shown }: Listener,
  known: readonly string[] | undefined,
  visit: Visit,
): Pick<ObservedListener, 'certificates'> {
  const part = { certificates: known ?? shown };
  const visited = visit(`${arn} certificates`, part);
  return known === undefined && visited === part ? {} : visited;
}
