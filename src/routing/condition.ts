import { matchesPattern } from './pattern.ts';
import type { Condition, QueryValue, Regex, RegexCondition, Request, TextField } from './rule.ts';
import { readHostname } from './rule.ts';

/**
 * Whether one of the condition's values fits the request.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html
 */
export function meetsCondition(condition: Condition, request: Request): boolean {
  switch (condition.field) {
    case 'source-ip':
      return condition.values.some((cidr) => isInside(cidr, request.sourceIp));
    case 'http-header':
      return condition.values.some((value) => hasHeader(request, condition.name, value));
    case 'regex':
      return condition.values.some((regex) => matchesPart(regex, condition.of, request));
    case 'query-string':
      return condition.values.some((value) => hasPair(request.query, value));
    default:
      return condition.values.some((value) => TEXT[condition.field](value, request));
  }
}

/**
 * Hosts are compared without regard to case, paths and methods with it; a method has no wildcards. That
 * the port of a Host header is left out before comparing is unverified.
 */
const TEXT: Readonly<Record<TextField, (value: string, request: Request) => boolean>> = {
  'host-header': (value, { host }) => matchesPattern(lower(value), lower(readHostname(host))),
  'path-pattern': (value, { path }) => matchesPattern(value, path),
  'http-request-method': (value, { method }) => value === method,
};

/** That case counts, and that the port of a Host header is left out, is unverified. */
function matchesPart(regex: Regex, of: RegexCondition['of'], request: Request): boolean {
  if (of === 'host') return regex.matches(readHostname(request.host));
  if (of === 'path') return regex.matches(request.path);
  return request.headers.some(([has, text]) => {
    return lower(has) === lower(of.header) && regex.matches(text);
  });
}

/** Whether the address, of either family, lies inside the CIDR block; false where one is malformed. */
function isInside(cidr: string, address: string): boolean {
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

function hasHeader({ headers }: Request, name: string, value: string): boolean {
  return headers.some(([has, text]) => {
    return lower(has) === lower(name) && matchesPattern(lower(value), lower(text));
  });
}

/** That pairs are compared as sent, percent-encoded, is unverified. */
function hasPair(query: string, { key, value }: QueryValue): boolean {
  return query.split('&').some((pair) => {
    const [, name = '', text = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    if (key !== undefined && !matchesEscaped(key, name)) return false;
    return matchesEscaped(value, text);
  });
}

/** In query strings, and only there, a backslash makes a wildcard stand for itself. */
function matchesEscaped(pattern: string, text: string): boolean {
  return matchesPattern(lower(pattern), lower(text), { hasEscapes: true });
}

function lower(text: string): string {
  return text.toLowerCase();
}
