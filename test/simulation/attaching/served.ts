import { routingRule } from '../../../localstack/embedded/data-plane/routing-rules.ts';
import type { Rule } from '../../../localstack/embedded/rules/rule.ts';
import type { Claims } from '../traffic/claims.ts';
import { type Picture, type Resource, resourceIdOf } from '../traffic/resources.ts';
import { describeAction } from '../traffic/state-answers.ts';
import { type Claim, nameClaims } from './asked.ts';

/** A rule in AWS that a WebApp has attached. */
export interface ServedRule {
  readonly source: string;
  readonly port: number;
  readonly priority: number;
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly claims: readonly Claim[];
  /** As text, target groups by whom they were made for: `forward WebApp/web/shop`. */
  readonly action: string;
}

/** True for a rule or target group of an object that attaches. */
export function isAttached(resource: Pick<Resource, 'tags'>): boolean {
  return sourceOf(resource) !== undefined;
}

/** `WebApp/web/shop`; undefined for what is of the MyIngress's own spec. */
export function sourceOf(resource: Pick<Resource, 'tags'>): string | undefined {
  const id = resourceIdOf(resource);
  return /^(?:rule\/\d+|target-group)\/(WebApp\/[^/]+\/[^/]+)\//.exec(id)?.[1];
}

/** Attached rules on the balancer of a MyIngress, in the order of evaluation of each port. */
export function listServed(key: string, picture: Picture, claims: Claims): readonly ServedRule[] {
  const backendOf = (arn: string): string => {
    const group = picture.get(arn);
    return (group && sourceOf(group)) ?? arn;
  };
  const rules = [...picture.values()].flatMap((resource): readonly ServedRule[] => {
    const source = sourceOf(resource);
    if (resource.kind !== 'rule' || source === undefined) return [];
    if (claims.ownerOf(resource) !== key) return [];
    const port = portOf(resource);
    const hosts = readValues(resource.record, 'host-header');
    const paths = readValues(resource.record, 'path-pattern');
    const priority = Number(resource.record.priority);
    const place = { port, priority, hosts, paths, claims: nameClaims(port, hosts, paths) };
    return [{ source, ...place, action: describeAction(resource.record, { backendOf }) }];
  });
  return rules.toSorted((a, b) => a.port - b.port || a.priority - b.priority);
}

/** Where the rules of its own spec stand on each port. */
export function listOwnPriorities(
  key: string,
  picture: Picture,
  claims: Claims,
): readonly Pick<ServedRule, 'port' | 'priority'>[] {
  return [...picture.values()].flatMap((resource) => {
    if (resource.kind !== 'rule' || sourceOf(resource) !== undefined) return [];
    if (claims.ownerOf(resource) !== key) return [];
    return [{ port: portOf(resource), priority: Number(resource.record.priority) }];
  });
}

function portOf(resource: Pick<Resource, 'tags'>): number {
  return Number(resourceIdOf(resource).split('/')[1]);
}

function readValues(rule: Rule, field: string): readonly string[] {
  const found = routingRule(rule).conditions.find((one) => one.field === field);
  return found === undefined ? [] : ((found as { readonly values: unknown }).values as string[]);
}

/** Who answers for each host and path: the first rule that has it. */
export function mapHolders(rules: readonly ServedRule[]): ReadonlyMap<Claim, string> {
  const holders = new Map<Claim, string>();
  for (const { claims, source } of rules) {
    for (const claim of claims) if (!holders.has(claim)) holders.set(claim, source);
  }
  return holders;
}
