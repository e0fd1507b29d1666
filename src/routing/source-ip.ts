/** Whether the address, of either family, lies inside the CIDR block; false where one is malformed. */
export function isInside(cidr: string, address: string): boolean {
  const [network = '', length = ''] = cidr.split('/');
  const [block, inside] = [formatBits(network), formatBits(address)];
  if (block === undefined || inside === undefined || block.length !== inside.length) return false;
  if (!/^\d{1,3}$/.test(length) || Number(length) > block.length) return false;
  return block.slice(0, Number(length)) === inside.slice(0, Number(length));
}

/** 32 or 128 characters of 0 and 1. */
function formatBits(address: string): string | undefined {
  return address.includes(':') ? formatIpv6Bits(address) : formatIpv4Bits(address);
}

function formatIpv4Bits(address: string): string | undefined {
  const parts = address.split('.');
  const isValid =
    parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && +part < 256);
  return isValid ? parts.map((part) => formatBinary(Number(part), 8)).join('') : undefined;
}

function formatIpv6Bits(address: string): string | undefined {
  const halves = address.split('::');
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.map((group) => formatBinary(Number.parseInt(group, 16), 16)).join('');
}

function formatBinary(value: number, width: number): string {
  return value.toString(2).padStart(width, '0');
}
