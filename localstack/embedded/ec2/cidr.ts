/** An IPv4 block: its first address as a number, and the length of its prefix. */
export interface Cidr {
  readonly start: number;
  readonly size: number;
  readonly prefix: number;
}

/** AWS keeps five addresses of every subnet for itself. */
const RESERVED_ADDRESSES = 5;

/** Returns undefined for what is no IPv4 block on its own boundary. */
export function parseCidr(text: string): Cidr | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  if (match === null) return undefined;
  const [first = 0, second = 0, third = 0, fourth = 0, prefix = 0] = match.slice(1).map(Number);
  if ([first, second, third, fourth].some((octet) => octet > 255) || prefix > 32) return undefined;
  const start = first * 2 ** 24 + second * 2 ** 16 + third * 2 ** 8 + fourth;
  const size = 2 ** (32 - prefix);
  return start % size === 0 ? { start, size, prefix } : undefined;
}

export function contains(outer: Cidr, inner: Cidr): boolean {
  return inner.start >= outer.start && inner.start + inner.size <= outer.start + outer.size;
}

export function overlaps(left: Cidr, right: Cidr): boolean {
  return left.start < right.start + right.size && right.start < left.start + left.size;
}

/** Addresses of a subnet that are free for use. https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html */
export function freeAddresses(cidr: string): number {
  const parsed = parseCidr(cidr);
  return parsed === undefined ? 0 : Math.max(0, parsed.size - RESERVED_ADDRESSES);
}

/** Whether `subnet` (a /64) lies in `vpc` (a /56 whose last written group ends in 00). */
export function isIpv6SubnetOf(vpc: string, subnet: string): boolean {
  const outer = /^([0-9a-f:]+?)00::\/56$/.exec(vpc);
  const inner = /^([0-9a-f:]+?)[0-9a-f]{2}::\/64$/.exec(subnet);
  return outer !== null && inner !== null && outer[1] === inner[1];
}
