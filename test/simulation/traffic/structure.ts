import { isDeepStrictEqual } from 'node:util';
import { routingRule } from '../../../localstack/embedded/data-plane/routing-rules.ts';
import type { Rule } from '../../../localstack/embedded/rules/rule.ts';
import type { MyIngress, MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import type { RegexCondition } from '../../../src/routing/rule.ts';
import { isAttached } from '../attaching/served.ts';
import type { EndpointHistory } from '../services/endpoint-history.ts';
import { listBackendFaults } from './backend-faults.ts';
import type { Claims } from './claims.ts';
import { desiresResource, listResourceIds } from './desires.ts';
import { listDifferences } from './differences.ts';
import {
  activeTargets,
  backendIn,
  type Picture,
  type Resource,
  resourceIdOf,
  ruleOf,
} from './resources.ts';
import {
  describeAction,
  describeDefault,
  type ListenerSpec,
  listListeners,
  listRules,
  type RuleSpec,
  type TrafficSpec,
} from './spec-answers.ts';
import { describeAction as describeStored, nameOf } from './state-answers.ts';
import { listLeftTags, listMissingTags } from './tag-faults.ts';

export interface StructureParts {
  readonly claims: Claims;
  readonly picture: Picture;
}

type Of<Kind extends Resource['kind']> = Extract<Resource, { readonly kind: Kind }>;

interface Own {
  readonly parts: StructureParts;
  readonly spec: MyIngressSpec;
  readonly all: readonly Resource[];
  readonly isSettled: boolean;
  readonly isRestored: boolean;
  readonly isReordered: boolean;
}

/** What is judged of an object; `isRestored`: it came back without status, so nothing is on record. */
export interface FaultOptions {
  readonly isSettled?: boolean;
  readonly isRestored?: boolean;
  /** Others have moved a rule, so nothing holds of the order of rules. */
  readonly isReordered?: boolean;
}

/**
 * Every way in which what the object has next to its balancer is not what this spec says. Until it is
 * settled, what has left the spec may be there for a while, and so may a rule that was made a second time.
 */
export function listTrafficFaults(
  key: string,
  spec: MyIngressSpec,
  {
    isSettled = true,
    isRestored = false,
    isReordered = false,
    ...parts
  }: StructureParts & FaultOptions,
): readonly string[] {
  const tagged = [...parts.picture.values()].filter((one) => parts.claims.ownerOf(one) === key);
  const owned = tagged
    .filter((one) => !isOnOthers(one, tagged))
    .filter((one) => desiresResource(spec, one) || (isSettled && !isHeld(one, key, parts)));
  // What others attach is judged apart, and leaves all else as it is.
  const all = owned.filter((one) => !isAttached(one) && (isSettled || !isRepeated(one, owned)));
  const own: Own = { parts, spec, all, isSettled, isRestored, isReordered };
  return [
    ...listMissing(own),
    ...listListeners(spec).flatMap(({ port }) => listListenerFaults(own, port)),
    ...(isSettled ? listListeners(spec).flatMap((one) => listSettingFaults(own, one)) : []),
    ...(spec.backends ?? []).flatMap(({ name }) => listGroupFaults(own, name)),
    ...listIngressFaults(own),
    ...owned.flatMap((one) => listMissingTags(one, spec)),
    ...(isSettled && !isRestored
      ? owned.flatMap((one) => listLeftTags(one, spec, parts.claims))
      : []),
  ];
}

/** A rule on a listener that is not the object's, such as one without its tags: it is left alone with it. */
function isOnOthers(one: Resource, tagged: readonly Resource[]): boolean {
  return one.kind === 'rule' && tagged.every(({ key }) => key !== one.record.listenerArn);
}

/** The same of listeners and rules alone. */
export function listRoutingFaults(
  key: string,
  traffic: TrafficSpec,
  parts: StructureParts,
): readonly string[] {
  const spec = traffic as MyIngressSpec;
  const all = [...parts.picture.values()]
    .filter(({ kind }) => kind === 'listener' || kind === 'rule')
    .filter((one) => parts.claims.ownerOf(one) === key && !isAttached(one));
  const own: Own = { parts, spec, all, isSettled: true, isRestored: false, isReordered: false };
  const missing = listMissing(own).filter((fault) => /^(listener|rule)\//.test(fault));
  return [...missing, ...listListeners(spec).flatMap(({ port }) => listListenerFaults(own, port))];
}

/** The targets of each backend are the endpoints that are ready. */
export function listTargetFaults(
  { metadata, spec }: MyIngress,
  { claims, picture }: StructureParts,
  endpoints: EndpointHistory,
): readonly string[] {
  const { namespace, name } = metadata;
  return (spec.backends ?? []).flatMap((backend) => {
    const group = [...picture.values()].find(
      (one): one is Of<'targetGroup'> =>
        one.kind === 'targetGroup' &&
        claims.ownerOf(one) === `${namespace}/${name}` &&
        backendIn(resourceIdOf(one)) === backend.name &&
        desiresResource(spec, one),
    );
    const { service } = backend;
    if (group === undefined || service === undefined) return [];
    const registered = [...activeTargets(group)].toSorted();
    const isOfInstances = group.record.targetType === 'instance';
    const isIpv6 = backend.ipAddressType === 'ipv6';
    const ref = { namespace, name: service.name, port: service.port, isOfInstances, isIpv6 };
    if (!endpoints.isTold(ref)) return [];
    const desired = [...endpoints.now(ref).desired].toSorted();
    if (isDeepStrictEqual(registered, desired)) return [];
    return [`backend ${backend.name} has targets ${registered.join()}, desired ${desired.join()}`];
  });
}

/** A listener or rule that is not the object's, such as one that lost its tags, keeps AWS from deleting the group. */
function isHeld({ key }: Resource, owner: string, { claims, picture }: StructureParts): boolean {
  return [...picture.values()].some((one) => {
    const isOfOthers = claims.madeByOthers.has(one.key) || claims.releasedByHand.has(one.key);
    return isOfOthers && claims.ownerOf(one) !== owner && namesGroup(one, key);
  });
}

function namesGroup(one: Resource, arn: string): boolean {
  return (ruleOf(one)?.actions ?? []).some((action) => {
    return action.kind === 'forward' && action.groups.some((group) => group.arn === arn);
  });
}

/** A rule whose create was repeated: the first one in the order of evaluation is kept. */
function isRepeated(one: Resource, owned: readonly Resource[]): boolean {
  if (one.kind !== 'rule') return false;
  const { listenerArn, priority } = one.record;
  return owned.some(
    (other) =>
      other.kind === 'rule' &&
      other.record.listenerArn === listenerArn &&
      resourceIdOf(other) === resourceIdOf(one) &&
      Number(other.record.priority) < Number(priority),
  );
}

function listMissing({ spec, all }: Own): readonly string[] {
  const observed = all.map(resourceIdOf);
  const desired = listResourceIds(spec);
  return [
    ...desired.filter((id) => !observed.includes(id)).map((id) => `${id} is missing`),
    ...observed.filter((id, at) => observed.indexOf(id) !== at).map((id) => `${id} is there twice`),
    ...observed.filter((id) => !desired.includes(id)).map((id) => `${id} is left`),
  ];
}

function listRulesOf(all: Own['all'], listenerArn: string): readonly Rule[] {
  return all
    .filter((one): one is Of<'rule'> => one.kind === 'rule')
    .map((one) => one.record)
    .filter((rule) => rule.listenerArn === listenerArn)
    .toSorted((a, b) => Number(a.priority) - Number(b.priority));
}

/** The name of the backend whose target group this is; else its ARN. */
function findBackend({ picture }: StructureParts, arn: string): string {
  const group = picture.get(arn);
  return (group && backendIn(resourceIdOf(group))) || arn;
}

function listListenerFaults(
  { parts, spec, all: own, isReordered, isSettled }: Own,
  port: number,
): readonly string[] {
  const listener = own.find(
    (one): one is Of<'listener'> => one.kind === 'listener' && one.record.port === port,
  );
  const desired = listListeners(spec).find((one) => one.port === port);
  if (listener === undefined || desired === undefined) return [];
  const { record, defaultRule } = listener;
  const rules = listRulesOf(own, record.arn);
  const backendOf = (arn: string): string => findBackend(parts, arn);
  const describe = (rule: Rule | undefined): string => describeStored(rule, { backendOf });
  // The default one may be among the further ones too.
  const all = new Set([record.tls?.certificateArn ?? [], record.extraCertificateArns].flat());
  const kept = (arn: string): boolean => isSettled || desired.certificates?.includes(arn) === true;
  const inOrder = (all: readonly DescribedRule[]): readonly DescribedRule[] =>
    isReordered ? all.toSorted((one, other) => (one.name < other.name ? -1 : 1)) : all;
  const actual = {
    protocol: record.protocol,
    // Those that are found are judged by DiscoveryCast.
    certificates: desired.certificates === undefined ? [] : [...all].filter(kept),
    default: describe(defaultRule),
    rules: joinParts(inOrder(rules.map((rule) => describeRule(rule, describe)))),
  };
  return listDifferences(`listener ${port}`, actual, {
    protocol: desired.protocol,
    certificates: sortFurther(desired.certificates ?? [], actual.certificates),
    default: describeDefault(spec, desired),
    rules: inOrder(
      listRules(spec, port).map((rule) => ({
        name: rule.name,
        conditions: describeDesired(rule),
        action: describeAction(rule),
      })),
    ),
  });
}

interface DescribedRule {
  readonly name: string;
  readonly conditions: readonly string[];
  readonly action: string;
}

function describeRule(rule: Rule, describe: (rule: Rule) => string): DescribedRule {
  const name = nameOf(rule, { isOurs: () => true });
  return { name, conditions: describeConditions(rule), action: describe(rule) };
}

/** The rules of AWS that one rule of the spec has become stand side by side. */
function joinParts(rules: readonly DescribedRule[]): readonly DescribedRule[] {
  const joined: DescribedRule[] = [];
  for (const rule of rules) {
    const last = joined.at(-1);
    if (last?.name !== rule.name || last.action !== rule.action) joined.push(rule);
    else joined.splice(-1, 1, { ...rule, conditions: joinConditions(last, rule) });
  }
  return joined;
}

function joinConditions(one: DescribedRule, other: DescribedRule): readonly string[] {
  const values = new Map<string, Set<string>>();
  for (const text of [...one.conditions, ...other.conditions]) {
    const at = text.lastIndexOf(' ');
    const [field, list] = [text.slice(0, at), text.slice(at + 1).split(',')];
    values.set(field, new Set([...(values.get(field) ?? []), ...list]));
  }
  return [...values].map(([field, all]) => `${field} ${[...all].toSorted().join()}`).toSorted();
}

/**
 * What a listener has only where the spec says so, and for how long its actions keep a client. What left the spec of an
 * object that was restored afterwards is on no record, and stays.
 */
function listSettingFaults(
  { spec, all, isRestored }: Own,
  desired: ListenerSpec,
): readonly string[] {
  const { port, mutualTLS, attributes = {} } = desired;
  const listener = all.find(
    (one): one is Of<'listener'> => one.kind === 'listener' && one.record.port === port,
  );
  if (listener === undefined) return [];
  const { record, defaultRule } = listener;
  const actions = [...firstParts(listRulesOf(all, record.arn)), defaultRule].map((rule) => {
    return rule?.actions[0];
  });
  const actual = {
    mutualTLS: record.tls?.mutualAuthentication.mode ?? 'off',
    attributes: Object.fromEntries(
      Object.keys(LISTENER_DEFAULTS).map((key) => [key, record.attributes.get(key)]),
    ),
    stickiness: actions.map((action) => {
      const { stickiness } = action?.kind === 'forward' ? action : {};
      return stickiness?.enabled ? stickiness.durationSeconds : undefined;
    }),
  };
  const unset = isRestored ? actual : { mutualTLS: 'off', attributes: LISTENER_DEFAULTS };
  return listDifferences(`listener ${port}`, actual, {
    mutualTLS: mutualTLS?.mode ?? unset.mutualTLS,
    attributes: { ...unset.attributes, ...attributes },
    stickiness: [...listRules(spec, port), defaultActionOf(spec, desired)].map((action) =>
      stickinessOf(spec, action),
    ),
  });
}

const LISTENER_DEFAULTS = {
  'routing.http.response.server.enabled': 'true',
  'routing.http.response.x_frame_options.header_value': '',
  'routing.http.response.x_content_type_options.header_value': '',
};

type ForwardSpec = Pick<RuleSpec, 'forward'>;

function defaultActionOf(
  spec: TrafficSpec,
  { redirectToHTTPS, defaultAction }: ListenerSpec,
): ForwardSpec {
  return redirectToHTTPS === true ? {} : (defaultAction ?? spec.defaultAction ?? {});
}

/** One for each rule of the spec. */
function firstParts(rules: readonly Rule[]): readonly Rule[] {
  const names = rules.map((rule) => nameOf(rule, { isOurs: () => true }));
  return rules.filter((_, at) => names[at] !== names[at - 1]);
}

/** The most of its sticky backends, where it has several. */
function stickinessOf(
  { backends = [] }: TrafficSpec,
  { forward = [] }: ForwardSpec,
): number | undefined {
  const seconds = forward.flatMap((to) => {
    const backend = backends.find(({ name }) => name === to.backend);
    return backend?.stickiness?.durationSeconds ?? [];
  });
  return forward.length > 1 && seconds.length > 0 ? Math.max(...seconds) : undefined;
}

/** The default one is the first; the order of the others does not count. */
function sortFurther(desired: readonly string[], actual: readonly string[]): readonly string[] {
  const [first, ...others] = desired;
  const further = actual.slice(1).filter((arn) => others.includes(arn));
  const missing = others.filter((arn) => !further.includes(arn));
  return [first ?? [], further, missing].flat();
}

function describeConditions(rule: Rule): readonly string[] {
  return routingRule(rule)
    .conditions.map((condition) => {
      if (condition.field === 'regex') return describeRegexes(condition);
      const { field, values } = condition;
      return `${field} ${describeValues(field, values as string[])}`;
    })
    .toSorted();
}

function describeRegexes({ of, values }: RegexCondition): string {
  const part = typeof of === 'string' ? of : of.header.toLowerCase();
  return `regex ${part} ${values.map(({ source }) => source).join()}`;
}

function describeDesired({ hosts, paths, methods, headers = [] }: RuleSpec): readonly string[] {
  return [
    ...headers.map(({ name, regex }) => `regex ${name.toLowerCase()} ${regex}`),
    ...(hosts ? [`host-header ${describeValues('host-header', hosts)}`] : []),
    ...(methods ? [`http-request-method ${describeValues('', methods)}`] : []),
    ...(paths ? [`path-pattern ${describeValues('', paths)}`] : []),
  ].toSorted();
}

function describeValues(field: string, values: readonly string[]): string {
  const same = field === 'host-header' ? values.map((value) => value.toLowerCase()) : values;
  return same.toSorted().join();
}

function listGroupFaults({ spec, all: own, isSettled }: Own, name: string): readonly string[] {
  const group = own.find(
    (one): one is Of<'targetGroup'> =>
      one.kind === 'targetGroup' && backendIn(resourceIdOf(one)) === name,
  );
  const backend = spec.backends?.find((one) => one.name === name);
  if (group === undefined || backend === undefined) return [];
  return listBackendFaults(backend, group.record, isSettled);
}

/** Each port of a listener is open to each source, and nothing else is. */
function listIngressFaults({ spec, all, isSettled }: Own): readonly string[] {
  const group = all.find((one): one is Of<'securityGroup'> => one.kind === 'securityGroup');
  if (group === undefined) return [];
  const sources = listSources(spec);
  const desired = listListeners(spec).flatMap(({ port }) =>
    sources.map((source) => `${port} ${source}`),
  );
  const open = group.record.ingress.map(({ ports, source }) => {
    const range = ports?.from === ports?.to ? `${ports?.from}` : `${ports?.from}-${ports?.to}`;
    return `${range} ${source.value}`;
  });
  const actual = open.filter((rule) => isSettled || desired.includes(rule));
  return listDifferences(
    'security group',
    { ingress: actual.toSorted() },
    {
      ingress: desired.toSorted(),
    },
  );
}

function listSources({ inbound, scheme, ipAddressType }: MyIngressSpec): readonly string[] {
  if (inbound !== undefined) {
    const { cidrs = [], securityGroupIDs = [], prefixListIDs = [] } = inbound;
    // As AWS writes them.
    const blocks = cidrs.map((cidr) => (cidr === '10.0.0.9/8' ? '10.0.0.0/8' : cidr));
    return [...blocks, ...securityGroupIDs, ...prefixListIDs];
  }
  if (scheme === 'internal')
    return ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
  return ipAddressType === 'dualstack' ? ['0.0.0.0/0', '::/0'] : ['0.0.0.0/0'];
}
