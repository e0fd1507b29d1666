import { isIPv4, isIPv6 } from 'node:net';
import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import { type Input, integerOf, structuresOf, textOf } from '../input-fields.ts';
import { invalidParameterValue, missingParameter, requiredParameter } from './ec2-faults.ts';
import type { IngressRule, IngressSource, SecurityGroup } from './network.ts';

/** A rule without its id. */
export type IngressSpec = Omit<IngressRule, 'id'>;

const PROTOCOLS: ReadonlyMap<string, string> = new Map([
  ['6', 'tcp'],
  ['17', 'udp'],
  ['1', 'icmp'],
  ['58', 'icmpv6'],
]);

/**
 * `IpPermissions`, one rule for each source; the single-rule form of the input is not modelled.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html
 */
export function readPermissions(world: ReadableWorld, input: Input): readonly IngressSpec[] {
  for (const field of ['CidrIp', 'FromPort', 'ToPort', 'IpProtocol', 'SourceSecurityGroupName']) {
    if (input[field] === undefined) continue;
    throw invalidParameterValue(`${field} is not modelled here; use IpPermissions`);
  }
  const permissions = structuresOf(input, 'IpPermissions') ?? [];
  if (permissions.length === 0) throw missingParameter('ipPermissions');
  return permissions.flatMap((permission) => readPermission(world, permission));
}

/** Same protocol, ports and source; descriptions do not count. */
export function isSameRule(left: IngressSpec, right: IngressSpec): boolean {
  return (
    left.protocol === right.protocol &&
    left.ports?.from === right.ports?.from &&
    left.ports?.to === right.ports?.to &&
    left.source.kind === right.source.kind &&
    left.source.value === right.source.value
  );
}

/** Rules as `IpPermissions`: those of the same protocol and ports together. */
export function describePermissions(world: ReadableWorld, { ingress }: SecurityGroup): unknown[] {
  const groups = Map.groupBy(ingress, ({ protocol, ports }) => JSON.stringify([protocol, ports]));
  return [...groups.values()].map((rules) => ({
    IpProtocol: rules[0]?.protocol,
    ...describePorts(rules[0]?.ports),
    UserIdGroupPairs: sourcesOf(rules, 'group').map(({ value, ...rest }) => ({
      ...rest,
      GroupId: value,
      UserId: world.accountId,
    })),
    IpRanges: sourcesOf(rules, 'ipv4').map(({ value, ...rest }) => ({ ...rest, CidrIp: value })),
    Ipv6Ranges: sourcesOf(rules, 'ipv6').map(({ value, ...rest }) => ({
      ...rest,
      CidrIpv6: value,
    })),
    PrefixListIds: sourcesOf(rules, 'prefixList').map(({ value, ...rest }) => ({
      ...rest,
      PrefixListId: value,
    })),
  }));
}

export function describePorts(ports: IngressRule['ports']): Record<string, unknown> {
  return ports === undefined ? {} : { FromPort: ports.from, ToPort: ports.to };
}

function sourcesOf(
  rules: readonly IngressRule[],
  kind: IngressSource['kind'],
): readonly { readonly value: string; readonly Description?: string }[] {
  return rules
    .filter(({ source }) => source.kind === kind)
    .map(({ source, description }) => ({
      value: source.value,
      ...(description !== undefined && { Description: description }),
    }));
}

function readPermission(world: ReadableWorld, permission: Input): readonly IngressSpec[] {
  const asked = requiredParameter(permission, 'IpProtocol').toLowerCase();
  const protocol = PROTOCOLS.get(asked) ?? asked;
  const ports = readPorts(permission, protocol);
  const sources = [
    ...read(permission, 'IpRanges', (range) => ipv4Source(requiredParameter(range, 'CidrIp'))),
    ...read(permission, 'Ipv6Ranges', (range) => ipv6Source(requiredParameter(range, 'CidrIpv6'))),
    ...read(permission, 'UserIdGroupPairs', (pair) => groupSource(world, pair)),
    ...read(permission, 'PrefixListIds', (list) => prefixListSource(list)),
  ];
  // The words are unverified.
  if (sources.length === 0) throw missingParameter('source of a permission');
  return sources.map((source) => ({ protocol, ...(ports !== undefined && { ports }), ...source }));
}

type ReadSource = Pick<IngressSpec, 'source' | 'description'>;

function read(
  permission: Input,
  field: string,
  sourceOf: (entry: Input) => IngressSource,
): readonly ReadSource[] {
  return (structuresOf(permission, field) ?? []).map((entry) => {
    const description = textOf(entry, 'Description');
    checkDescription(description ?? '');
    return { source: sourceOf(entry), ...(description !== undefined && { description }) };
  });
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html */
function checkDescription(text: string): void {
  if (/^[a-zA-Z0-9 ._:/()#,@[\]+=&;{}!$*-]{0,255}$/.test(text)) return;
  throw invalidParameterValue(
    `Invalid rule description. Valid descriptions are strings less than 256 characters from the following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*`,
  );
}

/**
 * TCP, UDP and ICMP need them, `-1` means every protocol and port. Other protocols: as given.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html; the codes are unverified.
 */
function readPorts(permission: Input, protocol: string): IngressSpec['ports'] {
  const from = integerOf(permission, 'FromPort');
  const to = integerOf(permission, 'ToPort');
  if (protocol === '-1') return undefined;
  if (protocol === 'tcp' || protocol === 'udp') return checkedPorts(from, to);
  if (protocol === 'icmp' || protocol === 'icmpv6') return checkedTypes(protocol, from, to);
  if (!/^\d{1,3}$/.test(protocol)) {
    throw invalidParameterValue(`Invalid value '${protocol}' for IP protocol. Unknown protocol.`);
  }
  return { from: from ?? -1, to: to ?? -1 };
}

/** Type and code. ICMPv6 may leave them out; all types have all codes. */
function checkedTypes(
  protocol: 'icmp' | 'icmpv6',
  from: number | undefined,
  to: number | undefined,
): IngressSpec['ports'] {
  if (protocol === 'icmp' && (from === undefined || to === undefined)) {
    throw invalidParameterValue(
      "Invalid value 'Must specify both type and code with ICMP.' for portRange.",
    );
  }
  if (from === -1 && to !== -1) {
    throw invalidParameterValue('ICMP code must be -1 where the ICMP type is -1');
  }
  return { from: from ?? -1, to: to ?? -1 };
}

function checkedPorts(from: number | undefined, to: number | undefined): IngressSpec['ports'] {
  if (from === undefined || to === undefined) {
    throw invalidParameterValue(
      "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.",
    );
  }
  if (from >= 0 && to <= 65_535 && from <= to) return { from, to };
  throw invalidParameterValue(`Invalid value '${from}-${to}' for portRange.`);
}

/** AWS clears the bits behind the prefix: 100.68.0.18/18 becomes 100.68.0.0/18. */
function ipv4Source(cidr: string): IngressSource {
  const [address = '', prefix = ''] = cidr.split('/');
  if (!isIPv4(address) || !isPrefix(prefix, 32)) throw badCidr(cidr);
  const value = address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const size = 2 ** (32 - Number(prefix));
  const start = value - (value % size);
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256);
  return { kind: 'ipv4', value: `${octets.join('.')}/${prefix}` };
}

function ipv6Source(cidr: string): IngressSource {
  const [address = '', prefix = ''] = cidr.split('/');
  if (!isIPv6(address) || !isPrefix(prefix, 128)) throw badCidr(cidr);
  const bits = ipv6Groups(address)
    .map((group) => group.toString(2).padStart(16, '0'))
    .join('');
  const kept = bits.slice(0, Number(prefix)).padEnd(128, '0');
  const groups = kept.match(/.{16}/g) ?? [];
  const text = groups.map((group) => Number.parseInt(group, 2).toString(16)).join(':');
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  return { kind: 'ipv6', value: `${canonical}/${prefix}` };
}

/** The eight groups of an address, whatever its short forms. */
function ipv6Groups(address: string): readonly number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

function groupSource(world: ReadableWorld, pair: Input): IngressSource {
  const id = requiredParameter(pair, 'GroupId');
  if (!world.network.securityGroups.has(id)) {
    throw new AwsFault('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
  }
  return { kind: 'group', value: id };
}

/** That a prefix list exists is not modelled. */
function prefixListSource(list: Input): IngressSource {
  const id = requiredParameter(list, 'PrefixListId');
  if (/^pl-[0-9a-f]+$/.test(id)) return { kind: 'prefixList', value: id };
  throw new AwsFault('InvalidPrefixListId.Malformed', `Invalid id: "${id}"`);
}

function isPrefix(text: string, longest: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= longest;
}

function badCidr(cidr: string): AwsFault {
  return invalidParameterValue(`CIDR block ${cidr} is malformed`);
}
