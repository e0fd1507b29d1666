import { resourceTagKey } from '../../../apis/my-ingress.ts';
import type { Permission } from '../../../aws/ec2/security-groups.ts';
import type { Action, Tags } from '../../../aws/elbv2/traffic.ts';
import { omitKeys } from '../../../core/objects/fields.ts';
import { listListenerDefaults } from '../listeners/attribute-defaults.ts';
import { echoMutualTls, projectListener } from '../listeners/projection.ts';
import { attributeDefaults } from '../target-groups/attribute-defaults.ts';
import { listActions } from './actions.ts';
import type {
  DesiredAction,
  ObservedGraph,
  ObservedListener,
  ObservedRule,
  ObservedSecurityGroup,
  ObservedTargetGroup,
} from './graph.ts';
import type { Call, Operation, Step } from './steps.ts';

/** Everything beside a balancer that is there. */
export type StandingGraph = ObservedGraph & {
  readonly loadBalancer: NonNullable<ObservedGraph['loadBalancer']>;
};

export function isStanding(graph: ObservedGraph): graph is StandingGraph {
  return graph.loadBalancer !== undefined;
}

/**
 * Computes AWS's state once it has accepted the step; pure. `made` is the ARN or the id that it has answered to a
 * create. What others change meanwhile is not in it.
 */
export function projectStep(
  before: StandingGraph,
  { operation, input }: Step,
  made: string | undefined,
): StandingGraph {
  const project = PROJECTIONS[operation] as (given: Given<Operation>) => Partial<StandingGraph>;
  const changed = { ...before, ...project({ before, input, made: made ?? '' }) };
  return { ...changed, targetGroups: changed.targetGroups.map((one) => markUsers(one, changed)) };
}

/** False where a read alone shows what AWS has then: a certificate may be the default one and a further one. */
export function isProjected({ operation, input }: Step): boolean {
  const isRotation = operation === 'ModifyListener' && input.certificate !== undefined;
  return !isRotation && !operation.endsWith('ListenerCertificates');
}

type Input<Name extends Operation> = Call<Name>['input'];

interface Given<Name extends Operation> {
  readonly before: StandingGraph;
  readonly input: Input<Name>;
  readonly made: string;
}

type Projections = {
  readonly [Name in Operation]: (given: Given<Name>) => Partial<StandingGraph>;
};

const PROJECTIONS: Projections = {
  CreateSecurityGroup: ({ before, input: { name, vpcId, tags }, made }) => {
    const group = { securityGroup: { id: made, name, vpcId, ingress: [] }, tags };
    return { securityGroups: [...before.securityGroups, group] };
  },
  AuthorizeSecurityGroupIngress: ({ before, input }) =>
    changeIngress(before, (ingress) => [...without(ingress, input.ingress), ...input.ingress]),
  RevokeSecurityGroupIngress: ({ before, input }) =>
    changeIngress(before, (ingress) => without(ingress, input.ingress)),
  DeleteSecurityGroup: ({ before, input: { groupId } }) => ({
    securityGroups: before.securityGroups.filter(({ securityGroup: { id } }) => id !== groupId),
  }),
  SetSecurityGroups: ({ before, input: { groups } }) => {
    const own = chooseGroup(before.securityGroups, before)?.securityGroup.id ?? '';
    const securityGroups = groups.map((group) => ('id' in group ? group.id : own));
    return { loadBalancer: { ...before.loadBalancer, securityGroups } };
  },
  CreateTargetGroup: ({ before, input: { tags, ...settings }, made }) => {
    const targetGroup = { ...settings, arn: made, loadBalancerArns: [] };
    const group = { targetGroup, tags, attributes: attributeDefaults };
    return { targetGroups: [...before.targetGroups, group] };
  },
  ModifyTargetGroup: ({ before, input: { arn, healthCheck } }) =>
    changeTargetGroups(before, ({ targetGroup, ...rest }) =>
      targetGroup.arn === arn
        ? { ...rest, targetGroup: { ...targetGroup, healthCheck } }
        : { ...rest, targetGroup },
    ),
  ModifyTargetGroupAttributes: ({ before, input }) =>
    changeTargetGroups(before, (one) =>
      one.targetGroup.name === input.targetGroup
        ? { ...one, attributes: { ...one.attributes, ...input.attributes } }
        : one,
    ),
  DeleteTargetGroup: ({ before, input }) => ({
    targetGroups: before.targetGroups.filter(({ targetGroup: { arn } }) => arn !== input.arn),
  }),
  CreateListener: ({ before, input, made }) => {
    const { port, protocol, sslPolicy, certificate, mutualTls, action, tags } = input;
    const certificates = certificate === undefined ? [] : [certificate];
    const listener = {
      ...{ arn: made, loadBalancerArn: before.loadBalancer.arn, port, protocol, certificates },
      ...(sslPolicy !== undefined && { sslPolicy }),
      ...echoMutualTls(mutualTls),
      defaultActions: echo(action, before),
    };
    const attributes = listListenerDefaults(protocol);
    const created = { listener, certificates, attributes, tags, rules: [] };
    return { listeners: [...before.listeners, created] };
  },
  ModifyListener: ({ before, input }) =>
    changeListeners(before, (one) =>
      one.listener.arn === input.arn
        ? projectListener(one, input, input.action && echo(input.action, before))
        : one,
    ),
  ModifyListenerAttributes: ({ before, input: { listener, attributes } }) =>
    changeListeners(before, (one) =>
      isResource(one.tags, listener)
        ? { ...one, attributes: { ...one.attributes, ...attributes } }
        : one,
    ),
  AddListenerCertificates: ({ before, input: { listener, certificate } }) =>
    changeCertificates(before, listener, (added) => [...new Set([...added, certificate])]),
  RemoveListenerCertificates: ({ before, input: { listener, certificate } }) =>
    changeCertificates(before, listener, (added) => added.filter((one) => one !== certificate)),
  DeleteListener: ({ before, input }) => ({
    listeners: before.listeners.filter(({ listener: { arn } }) => arn !== input.arn),
  }),
  CreateRule: ({ before, input, made }) => {
    const { listener, priority, conditions, action, transforms, tags } = input;
    const actions = echo(action, before);
    const rule = { arn: made, priority, conditions, actions, transforms };
    return changeListeners(before, (one) =>
      isResource(one.tags, listener) ? { ...one, rules: [...one.rules, { rule, tags }] } : one,
    );
  },
  ModifyRule: ({ before, input: { arn, conditions, action, transforms } }) =>
    changeRules(before, ({ rule, tags }) => {
      const changes = {
        ...(conditions && { conditions }),
        ...(action && { actions: echo(action, before) }),
        ...(transforms && { transforms }),
      };
      return [{ tags, rule: rule.arn === arn ? { ...rule, ...changes } : rule }];
    }),
  SetRulePriorities: ({ before, input: { priorities } }) => {
    const moved = new Map(priorities.map(({ arn, priority }) => [arn, priority]));
    return changeRules(before, ({ rule, tags }) => {
      return [{ tags, rule: { ...rule, priority: moved.get(rule.arn) ?? rule.priority } }];
    });
  },
  DeleteRule: ({ before, input: { arn } }) =>
    changeRules(before, (one) => (one.rule.arn === arn ? [] : [one])),
  AddTags: ({ before, input: { resource, tags } }) =>
    retag(before, resource, (all) => ({ ...all, ...tags })),
  CreateTags: ({ before, input: { resource, tags } }) =>
    retag(before, resource, (all) => ({ ...all, ...tags })),
  RemoveTags: ({ before, input: { resource, keys } }) =>
    retag(before, resource, (all) => omitKeys(all, keys)),
  DeleteTags: ({ before, input: { resource, tags } }) =>
    retag(before, resource, (all) => omitKeys(all, Object.keys(tags))),
};

/** The action with ARNs in place of names. */
function echo(action: DesiredAction, { targetGroups }: ObservedGraph): readonly Action[] {
  if (action.kind !== 'forward') return [action];
  const arns = new Map(targetGroups.map(({ targetGroup: { name, arn } }) => [name, arn]));
  const groups = action.targetGroups.map(({ name, weight }) => {
    return { arn: arns.get(name) ?? name, weight };
  });
  return [{ ...action, targetGroups: groups }];
}

/** The group with the balancer among those that use it where an action of its listeners names it, and else without. */
export function markUsers(
  { targetGroup, ...rest }: ObservedTargetGroup,
  { listeners, loadBalancer }: StandingGraph,
): ObservedTargetGroup {
  const isUsed = listNamedGroups({ listeners }).includes(targetGroup.arn);
  const others = targetGroup.loadBalancerArns.filter((arn) => arn !== loadBalancer.arn);
  const loadBalancerArns = [...others, ...(isUsed ? [loadBalancer.arn] : [])];
  return { ...rest, targetGroup: { ...targetGroup, loadBalancerArns } };
}

/** ARNs of the target groups that an action of the balancer names, with this weight at least: 1 sends requests. */
export function listNamedGroups(
  { listeners }: Pick<ObservedGraph, 'listeners'>,
  leastWeight = 0,
): readonly string[] {
  const actions = listeners.flatMap(listActions).flat();
  const forwards = actions.flatMap((one) => (one.kind === 'forward' ? one.targetGroups : []));
  return forwards.flatMap(({ arn, weight }) => (weight >= leastWeight ? [arn] : []));
}

function changeTargetGroups(
  { targetGroups }: ObservedGraph,
  change: (one: ObservedTargetGroup) => ObservedTargetGroup,
): Partial<StandingGraph> {
  return { targetGroups: targetGroups.map(change) };
}

function changeListeners(
  { listeners }: ObservedGraph,
  change: (one: ObservedListener) => ObservedListener,
): Partial<StandingGraph> {
  return { listeners: listeners.map(change) };
}

function changeRules(
  before: ObservedGraph,
  change: (one: ObservedRule) => readonly ObservedRule[],
): Partial<StandingGraph> {
  return changeListeners(before, (one) => ({ ...one, rules: one.rules.flatMap(change) }));
}

/** Changes those added to a listener; its default one is the first, and stays. */
function changeCertificates(
  before: ObservedGraph,
  id: string,
  change: (added: readonly string[]) => readonly string[],
): Partial<StandingGraph> {
  return changeListeners(before, (one) => {
    const [first, ...added] = one.certificates ?? one.listener.certificates;
    if (first === undefined || !isResource(one.tags, id)) return one;
    return { ...one, certificates: [first, ...change(added)] };
  });
}

function changeIngress(
  { loadBalancer, securityGroups }: ObservedGraph,
  change: (ingress: readonly Permission[]) => readonly Permission[],
): Partial<StandingGraph> {
  const chosen = chooseGroup(securityGroups, { loadBalancer });
  const changed = ({ securityGroup, tags }: ObservedSecurityGroup): ObservedSecurityGroup => ({
    securityGroup: { ...securityGroup, ingress: change(securityGroup.ingress) },
    tags,
  });
  return { securityGroups: securityGroups.map((one) => (one === chosen ? changed(one) : one)) };
}

/** Of several groups of one object the one in the VPC of its balancer: no other can be attached. */
export function chooseGroup(
  groups: readonly ObservedSecurityGroup[],
  { loadBalancer }: Pick<ObservedGraph, 'loadBalancer'>,
): ObservedSecurityGroup | undefined {
  if (loadBalancer === undefined) return groups[0];
  return groups.find(({ securityGroup: { vpcId } }) => vpcId === loadBalancer.vpcId);
}

function retag(
  { targetGroups, securityGroups, listeners }: ObservedGraph,
  resource: string,
  change: (tags: Tags) => Tags,
): Partial<StandingGraph> {
  const mark = <T extends { readonly tags: Tags }>(key: string, one: T): T =>
    key === resource ? { ...one, tags: change(one.tags) } : one;
  return {
    targetGroups: targetGroups.map((one) => mark(one.targetGroup.arn, one)),
    securityGroups: securityGroups.map((one) => mark(one.securityGroup.id, one)),
    listeners: listeners.map((one) => ({
      ...mark(one.listener.arn, one),
      rules: one.rules.map((rule) => mark(rule.rule.arn, rule)),
    })),
  };
}

function isResource(tags: Tags, id: string): boolean {
  return tags[resourceTagKey] === id;
}

function without(all: readonly Permission[], some: readonly Permission[]): readonly Permission[] {
  const keys = new Set(some.map((one) => JSON.stringify(one)));
  return all.filter((one) => !keys.has(JSON.stringify(one)));
}
