/**
 * The block as EC2 echoes it: bits behind the prefix cleared, 100.68.0.18/18 as 100.68.0.0/18, IPv6 in its
 * short form. What is no block stays as it is, for AWS to refuse.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AuthorizeSecurityGroupIngress.html
 */
export function normaliseCidr(cidr: string): string {
  const block = parseBlock(cidr);
  return block === undefined ? cidr : `${formatAddress(block)}/${block.prefix}`;
}

/** The first address of the block, and the first one behind it: any two blocks differ in one of theirs. */
export function listEdges(cidr: string): readonly string[] {
  const block = parseBlock(cidr);
  if (block === undefined) return [];
  const next = findNext(block);
  return [block, ...(next === undefined ? [] : [next])].map(formatAddress);
}

interface Block {
  /** Of its first address, of 16 bits each with IPv6 and of 8 with IPv4. */
  readonly groups: readonly number[];
  readonly isIpv6: boolean;
  readonly prefix: number;
}

function parseBlock(cidr: string): Block | undefined {
  const [address = '', length = ''] = cidr.split('/');
  const isIpv6 = address.includes(':');
  const groups = isIpv6 ? parseIpv6(address) : parseIpv4(address);
  const width = isIpv6 ? 16 : 8;
  const prefix = Number(length);
  const isBlock = /^\d{1,3}$/.test(length) && prefix <= (isIpv6 ? 128 : 32);
  if (groups === undefined || !isBlock) return undefined;
  const kept = groups.map((group, index) => clear(group, width, prefix - index * width));
  return { groups: kept, isIpv6, prefix };
}

/** The block of that size behind it; undefined behind the last one. */
function findNext(block: Block): Block | undefined {
  const width = block.isIpv6 ? 16 : 8;
  let added = 2 ** (width - 1 - ((block.prefix + width - 1) % width));
  const groups = [...block.groups];
  for (let at = Math.ceil(block.prefix / width) - 1; at >= 0; at -= 1) {
    const sum = (groups[at] ?? 0) + added;
    groups[at] = sum % 2 ** width;
    if (sum < 2 ** width) return { ...block, groups };
    added = 1;
  }
  return undefined;
}

function formatAddress({ groups, isIpv6 }: Block): string {
  return isIpv6 ? formatIpv6(groups) : groups.join('.');
}

/** Keeps the first `bits` of a number of this width. */
function clear(value: number, width: number, bits: number): number {
  const dropped = 2 ** (width - Math.min(Math.max(bits, 0), width));
  return value - (value % dropped);
}

function parseIpv4(address: string): readonly number[] | undefined {
  const parts = address.split('.');
  const isValid =
    parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && +part < 256);
  return isValid ? parts.map(Number) : undefined;
}

/** The URL standard's parser checks it and writes it in its short form. */
function parseIpv6(address: string): readonly number[] | undefined {
  if (!URL.canParse(`http://[${address}]`)) return undefined;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const halves = short.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = halves;
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

function formatIpv6(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}
