import { changeGroups, diffAction } from '../graph/actions.ts';
import type { Refusal } from '../graph/facts.ts';
import type {
  DesiredAction,
  DesiredGraph,
  DesiredListener,
  DesiredTargetGroup,
  ObservedGraph,
  ObservedTargetGroup,
} from '../graph/graph.ts';
import type { Step as PlannedStep } from '../graph/planned-step.ts';
import type { ProblemReason } from '../graph/problem.ts';
import type { ResourceId } from '../graph/resource-id.ts';
import { listWritten } from '../graph/steps.ts';
import { identifyResource, identifyTargetGroup, isOwnTargetGroup } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import { areHealthy, type TargetsState } from '../targets.ts';

/** A group that cannot be changed in place has a successor, which takes the requests once its targets are healthy. */
export interface Succession {
  /** With the actions as they are to be until then. */
  readonly desired: DesiredGraph;
  /** Listeners and rules that name a successor with weight 0 for now. */
  readonly held: ReadonlySet<ResourceId>;
  /** Names of the successors that wait. */
  readonly awaited: ReadonlySet<string>;
  /** Actions in which a successor takes the requests although its targets may not be healthy. */
  readonly direct: readonly DirectSwitch[];
  /** The writes with which those that wait take the requests. */
  readonly switches: readonly PlannedStep[];
}

interface DirectSwitch {
  /** The listener or rule. */
  readonly id: ResourceId;
  readonly group: ResourceId;
  readonly why: string;
}

/** `late`: it has waited for long enough. */
export type Readiness = 'awaited' | 'healthy' | 'late';

/**
 * Reasons for which AWS may refuse two groups in one action that it takes each alone.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyRule.html#API_ModifyRule_Errors
 */
const OF_MIXTURES: ReadonlySet<ProblemReason> = new Set<ProblemReason>([
  'InvalidLoadBalancerAction',
  'InvalidConfigurationRequest',
  'IncompatibleProtocols',
  'ValidationError',
  'QuotaExceeded',
]);

/** True of an action; a quota of rules refuses one that has a single group too. */
export function isOfMixture({ step, reason, quota }: Refusal): boolean {
  return listWritten(step).length > 0 && OF_MIXTURES.has(reason) && quota !== 'TooManyRules';
}

/** Its targets have this long to become healthy. */
export const LONGEST_WAIT_MS = 300_000;

/** Of one action, fixed. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html */
const MOST_GROUPS = 5;

/** By the id of a listener or rule of ours, the weights of its groups by their names. */
export type ActionWeights = ReadonlyMap<ResourceId, Weights>;

export interface SuccessionGiven {
  readonly identity: Identity;
  /** Those of the observed actions. */
  readonly weights: ActionWeights;
  /** By the name of a group. */
  readonly judge: (name: string) => Readiness;
  /** As in the facts: an action that AWS has refused is not tried as a mixture again. */
  readonly refused: readonly Refusal[];
}

/** True where a successor need not wait any longer. */
export function isHealthy(state: TargetsState): boolean {
  return state.isKnown && areHealthy(state) && !isEmptier(state);
}

/** True of a successor that would answer 503 where its predecessor answers: it waits for as long as that is so. */
export function isEmptier({ desired, isReplacing }: TargetsState): boolean {
  return desired === 0 && isReplacing === true;
}

/**
 * AWS checks no target of a group that no action names, so a successor joins the actions of its predecessor
 * with weight 0; pure.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
export function stageSuccessors(
  desired: DesiredGraph,
  observed: ObservedGraph,
  given: SuccessionGiven,
): Succession {
  const staging = new Staging(desired, observed, given);
  const listeners = desired.listeners.map((listener) => staging.stageListener(listener));
  const { held, awaited, direct, switches } = staging;
  return { desired: { ...desired, listeners }, held, awaited, direct, switches };
}

type Forward = Extract<DesiredAction, { readonly kind: 'forward' }>;
type Weights = ReadonlyMap<string, number>;

interface Place {
  readonly id: ResourceId;
  /** Its listener becomes HTTP or HTTPS in the same edit. */
  readonly changesProtocol: boolean;
}

/** One group of an action, and how it comes there. */
interface Entry {
  readonly name: string;
  readonly weight: number;
  readonly group?: DesiredTargetGroup | undefined;
  readonly predecessor?: string | undefined;
  /** Why it does not wait for healthy targets. */
  readonly why?: string | undefined;
}

class Staging {
  readonly held = new Set<ResourceId>();
  readonly awaited = new Set<string>();
  readonly direct: DirectSwitch[] = [];
  readonly switches: PlannedStep[] = [];
  readonly #groups: ReadonlyMap<string, DesiredTargetGroup>;
  readonly #observed: ActionWeights;
  /** Ours that an action of ours sends requests to, by the id of their backend. */
  readonly #serving: ReadonlyMap<ResourceId, readonly ObservedTargetGroup[]>;
  readonly #protocols: ReadonlyMap<ResourceId, string>;
  readonly #given: SuccessionGiven;

  constructor(desired: DesiredGraph, observed: ObservedGraph, given: SuccessionGiven) {
    this.#given = given;
    this.#groups = new Map(desired.targetGroups.map((group) => [group.name, group]));
    this.#observed = given.weights;
    this.#serving = listServing(observed, this.#observed, given.identity);
    this.#protocols = new Map(
      observed.listeners.map(({ listener, tags }) => {
        return [identifyResource(tags, given.identity) ?? listener.arn, listener.protocol];
      }),
    );
  }

  stageListener(listener: DesiredListener): DesiredListener {
    const { id, protocol, action, rules } = listener;
    const changesProtocol = (this.#protocols.get(id) ?? protocol) !== protocol;
    return {
      ...listener,
      action: this.#stage(action, { id, changesProtocol }),
      rules: rules.map((rule) => {
        return { ...rule, action: this.#stage(rule.action, { id: rule.id, changesProtocol }) };
      }),
    };
  }

  #stage(action: DesiredAction, place: Place): DesiredAction {
    if (action.kind !== 'forward' || this.#serving.size === 0) return action;
    const entries = action.targetGroups.map((one) => this.#judge(one, place));
    const isWaiting = ({ predecessor, why }: Entry): boolean =>
      predecessor !== undefined && why === undefined;
    const isFull = entries.length + entries.filter(isWaiting).length > MOST_GROUPS;
    const full = 'its action has five target groups already';
    const judged = entries.map((one) => (isFull && isWaiting(one) ? { ...one, why: full } : one));
    for (const { group, why } of judged) {
      if (group !== undefined && why !== undefined) {
        this.direct.push({ id: place.id, group: group.id, why });
      }
    }
    return this.#hold(action, judged.filter(isWaiting), place);
  }

  #hold(action: Forward, waiting: readonly Entry[], { id }: Place): DesiredAction {
    if (waiting.length === 0) return action;
    this.held.add(id);
    for (const { name } of waiting) this.awaited.add(name);
    const held = changeGroups(action, ({ name, weight }) => {
      const { predecessor } = waiting.find((one) => one.name === name) ?? {};
      if (predecessor === undefined) return [{ name, weight }];
      return [
        { name: predecessor, weight },
        { name, weight: 0 },
      ];
    });
    this.switches.push(planSwitch(id, action, held));
    return held;
  }

  #judge({ name, weight }: Forward['targetGroups'][number], place: Place): Entry {
    const group = this.#groups.get(name);
    const predecessor = group && weight > 0 ? this.#findPredecessor(group, place) : undefined;
    if (group === undefined || predecessor === undefined) return { name, weight };
    const readiness = this.#given.judge(name);
    if (readiness === 'healthy') return { name, weight };
    const why = this.#explain(group, predecessor, { ...place, isLate: readiness === 'late' });
    return { name, weight, group, predecessor: predecessor.targetGroup.name, why };
  }

  /** The group of the same backend that the action sends requests to; of a new one, that any action does. */
  #findPredecessor(
    { id, name }: DesiredTargetGroup,
    place: Place,
  ): ObservedTargetGroup | undefined {
    const weights = this.#observed.get(place.id);
    if ((weights?.get(name) ?? 0) > 0) return undefined;
    return this.#serving.get(id)?.find(({ targetGroup }) => {
      const isHere = weights === undefined || (weights.get(targetGroup.name) ?? 0) > 0;
      return targetGroup.name !== name && isHere;
    });
  }

  #explain(
    { attributes, fixed }: DesiredTargetGroup,
    predecessor: ObservedTargetGroup,
    { id, changesProtocol, isLate }: Place & { readonly isLate: boolean },
  ): string | undefined {
    if (isLate) return 'its targets were not healthy within 5 minutes';
    if (isSticky(attributes) || isSticky(predecessor.attributes ?? {})) return 'it is sticky';
    const isRefused = this.#given.refused.some((one) => one.step.id === id && isOfMixture(one));
    if (isRefused) return 'AWS refuses both groups in one action';
    const isOther = fixed.protocolVersion !== predecessor.targetGroup.protocolVersion;
    if (changesProtocol && isOther) return 'the protocol of its listener changes as well';
    return undefined;
  }
}

function planSwitch(id: ResourceId, action: Forward, held: DesiredAction): PlannedStep {
  const operation = id.startsWith('listener/') ? 'ModifyListener' : 'ModifyRule';
  const why = `once the new targets are healthy, or after 5 minutes; ${diffAction(action, held)}`;
  return { id, operation, why, needs: [] };
}

/** AWS takes a sticky group beside others only where the action is sticky too. https://github.com/argoproj/argo-rollouts/pull/1577 */
function isSticky(attributes: Readonly<Record<string, string>>): boolean {
  return attributes['stickiness.enabled'] === 'true';
}

/** Of each action of ours that is there, by the names of its groups. */
export function listWeights(
  { listeners, targetGroups }: ObservedGraph,
  identity: Identity,
): ActionWeights {
  const names = new Map(targetGroups.map(({ targetGroup: { arn, name } }) => [arn, name]));
  const actions = listeners.flatMap(({ listener, tags, rules }) => [
    { actions: listener.defaultActions, id: identifyResource(tags, identity) },
    ...rules.map((one) => ({
      actions: one.rule.actions,
      id: identifyResource(one.tags, identity),
    })),
  ]);
  return new Map(
    actions.flatMap(({ id, actions: all }) => {
      const groups = all.flatMap((one) => (one.kind === 'forward' ? one.targetGroups : []));
      const weights = groups.map(({ arn, weight }) => [names.get(arn) ?? arn, weight] as const);
      return id === undefined ? [] : [[id, new Map(weights)] as const];
    }),
  );
}

function listServing(
  { targetGroups }: ObservedGraph,
  weights: ActionWeights,
  identity: Identity,
): ReadonlyMap<ResourceId, readonly ObservedTargetGroup[]> {
  const reached = new Set(
    [...weights.values()].flatMap((all) =>
      [...all].flatMap(([name, weight]) => (weight > 0 ? [name] : [])),
    ),
  );
  const own = targetGroups.filter((one) => {
    return reached.has(one.targetGroup.name) && isOwnTargetGroup(one, identity);
  });
  return Map.groupBy(own, (one) => identifyTargetGroup(one, identity) ?? '');
}

/** Names of the groups that an action of ours names, with whatever weight: AWS checks their targets. */
export function listJoined(weights: ActionWeights): readonly string[] {
  return [...new Set([...weights.values()].flatMap((groups) => [...groups.keys()]))];
}
