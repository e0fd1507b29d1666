// Lives here: load balancers: their operations, states, attributes and tags.
// May import it: localstack/embedded.
// Start with: this file; balancer-store.ts holds the records.

import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import {
  AwsFault,
  constraintFault,
  loadBalancerNotFound,
  notModelled,
  validationError,
} from '../http/aws-fault.ts';
import { type Input, requiredText, textOf, textsOf } from '../input-fields.ts';
import { pageOf } from '../paging.ts';
import { removeListenersOf } from '../rules/rule-changes.ts';
import { balancerArn, checkBalancerArn } from './balancer-arns.ts';
import { describeBalancer } from './balancer-description.ts';
import { resolveSecurityGroups } from './balancer-security-groups.ts';
import type { LoadBalancer } from './balancer-store.ts';
import { defaultAttributes } from './load-balancer-attributes.ts';
import {
  checkType,
  type IpAddressType,
  parseIpAddressType,
  parseScheme,
  type Scheme,
} from './load-balancer-enums.ts';
import { checkedTags } from './load-balancer-tags.ts';
import { type Placement, placeInSubnets, subnetIdsOf } from './subnet-placement.ts';

/** The most ARNs that one DescribeLoadBalancers takes. */
const MAX_ARNS = 20;

/** Settings that decide whether a second create means the same balancer. */
interface Settings extends Placement {
  readonly name: string;
  readonly scheme: Scheme;
  readonly ipAddressType: IpAddressType;
  readonly securityGroups: readonly string[];
}

/**
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 *
 * Idempotent: the same name with the same settings answers the existing balancer, whoever made it,
 * unchanged. Tags are no setting: they neither make a difference nor reach the existing balancer.
 */
export function createLoadBalancer(world: AwsWorld, input: Input): unknown {
  const settings = readSettings(world, input);
  const tags = checkedTags(input);
  const existing = world.balancers.byName(settings.name);
  if (existing !== undefined) return answer(world, sameOrRefuse(existing, settings));
  if (world.balancers.size >= world.settings.quota) {
    throw new AwsFault(
      'TooManyLoadBalancers',
      'The maximum number of load balancers has been reached',
    );
  }
  const balancer = newBalancer(world, settings, tags);
  world.balancers.put(balancer, world.clock.now());
  return answer(world, balancer);
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeLoadBalancers.html */
export function describeLoadBalancers(world: ReadableWorld, input: Input): unknown {
  const arns = textsOf(input, 'LoadBalancerArns') ?? [];
  const names = textsOf(input, 'Names') ?? [];
  if (arns.length > 0 && names.length > 0) {
    throw validationError(
      'Load balancer names and load balancer ARNs cannot be specified together',
    );
  }
  if (arns.length > 0) return answer(world, ...findByArns(world, arns));
  if (names.length > 0) return answer(world, ...findByNames(world, names));
  const page = pageOf(input, world.balancers.all(), (balancer) => balancer.sequence);
  return { ...answer(world, ...page.items), NextMarker: page.nextMarker };
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteLoadBalancer.html */
export function deleteLoadBalancer(world: AwsWorld, input: Input): unknown {
  const arn = requiredText(input, 'LoadBalancerArn');
  checkBalancerArn(world, arn);
  const balancer = world.balancers.byArn(arn);
  if (balancer === undefined) return {};
  if (balancer.attributes.get('deletion_protection.enabled') === 'true') {
    throw new AwsFault(
      'OperationNotPermitted',
      `Load balancer '${arn}' cannot be deleted because deletion protection is enabled`,
    );
  }
  if (balancer.isAssociated) {
    // https://github.com/MinhHungPhan/aws-hands-on-labs/issues/2
    throw new AwsFault(
      'ResourceInUse',
      `Load balancer '${arn}' cannot be deleted because it is currently associated with another service`,
    );
  }
  removeListenersOf(world, arn);
  world.balancers.remove(balancer, world.clock.now());
  leaveInterfaces(world, balancer);
  return {};
}

function leaveInterfaces(world: AwsWorld, balancer: LoadBalancer): void {
  const { interfacesLingerMs } = world.settings;
  if (interfacesLingerMs === 0) return;
  world.network.lingering.set(balancer.arn, {
    subnets: subnetIds(balancer),
    securityGroups: balancer.securityGroups,
    untilMs: world.clock.now() + interfacesLingerMs,
  });
}

function readSettings(world: AwsWorld, input: Input): Settings {
  const name = requiredText(input, 'Name');
  checkName(name);
  refuseUnmodelled(input);
  checkType(textOf(input, 'Type') ?? 'application');
  const scheme = parseScheme(textOf(input, 'Scheme') ?? 'internet-facing');
  const ipAddressType = parseIpAddressType(textOf(input, 'IpAddressType') ?? 'ipv4');
  const placement = placeInSubnets(world, subnetIdsOf(input), { scheme, ipAddressType });
  const wantedGroups = textsOf(input, 'SecurityGroups') ?? [];
  const securityGroups = resolveSecurityGroups(world.network, placement.vpcId, wantedGroups);
  return { name, scheme, ipAddressType, securityGroups, ...placement };
}

function refuseUnmodelled(input: Input): void {
  for (const field of ['CustomerOwnedIpv4Pool', 'EnablePrefixForIpv6SourceNat', 'IpamPools']) {
    if (input[field] !== undefined) throw notModelled(field);
  }
}

function sameOrRefuse(existing: LoadBalancer, wanted: Settings): LoadBalancer {
  const isSame =
    existing.scheme === wanted.scheme &&
    existing.ipAddressType === wanted.ipAddressType &&
    isSameSet(existing.securityGroups, wanted.securityGroups) &&
    isSameSet(subnetIds(existing), subnetIds(wanted));
  if (isSame) return existing;
  throw new AwsFault(
    'DuplicateLoadBalancerName',
    `A load balancer with the same name '${wanted.name}' exists, but with different settings`,
  );
}

function newBalancer(
  world: AwsWorld,
  settings: Settings,
  tags: ReadonlyMap<string, string>,
): LoadBalancer {
  const nowMs = world.clock.now();
  const head = settings.scheme === 'internal' ? `internal-${settings.name}` : settings.name;
  return {
    ...settings,
    sequence: world.balancers.nextSequence(),
    arn: balancerArn(world, settings.name, world.ids.hex(16)),
    dnsName: `${head}-${world.ids.digits()}.${world.facts.dnsSuffix}`,
    createdAtMs: nowMs,
    activeAtMs: nowMs + world.settings.provisioningMs,
    attributes: defaultAttributes(settings.scheme),
    tags,
  };
}

function findByArns(world: ReadableWorld, arns: readonly string[]): LoadBalancer[] {
  if (arns.length > MAX_ARNS) {
    throw constraintFault(
      'loadBalancerArns',
      `[${arns.join(', ')}]`,
      `Member must have length less than or equal to ${MAX_ARNS}`,
    );
  }
  for (const arn of arns) checkBalancerArn(world, arn);
  return [...new Set(arns)].map((arn) => world.balancers.byArn(arn) ?? notFound());
}

/** One missing name fails the whole call. */
function findByNames(world: ReadableWorld, names: readonly string[]): LoadBalancer[] {
  return [...new Set(names)].map(
    (name) =>
      world.balancers.byName(name) ?? notFound(`Load balancers '[${names.join(', ')}]' not found`),
  );
}

function notFound(message?: string): never {
  throw loadBalancerNotFound(message);
}

function answer(world: ReadableWorld, ...balancers: LoadBalancer[]): { LoadBalancers: unknown[] } {
  return { LoadBalancers: balancers.map((balancer) => describeBalancer(world, balancer)) };
}

function subnetIds({ placements }: Pick<Placement, 'placements'>): readonly string[] {
  return placements.map((placement) => placement.subnetId);
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((entry) => right.includes(entry));
}

const NAME_MAX_LENGTH = 32;

/**
 * Name rules of CreateLoadBalancer; throws ValidationError.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 */
function checkName(name: string): void {
  if (name === '') throw validationError('Load balancer name cannot be empty');
  if (name.length > NAME_MAX_LENGTH) {
    throw validationError(
      `The load balancer name '${name}' cannot be longer than '${NAME_MAX_LENGTH}' characters`,
    );
  }
  if (!/^[A-Za-z0-9-]+$/.test(name)) {
    throw validationError(
      `The load balancer name '${name}' can only contain characters that are alphanumeric or '-'`,
    );
  }
  if (name.startsWith('-') || name.endsWith('-')) {
    throw validationError(`The load balancer name '${name}' cannot begin or end with '-'`);
  }
  if (name.startsWith('internal-')) {
    throw validationError(`The load balancer name '${name}' cannot begin with 'internal-'`);
  }
}
