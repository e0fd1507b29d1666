import { AwsFault } from './aws-fault.ts';

/** A value of the query protocol: text, a list, or a structure of such values. */
export type QueryValue = string | QueryValue[] | { [field: string]: QueryValue };
export type QueryFields = Record<string, QueryValue>;

const MAX_DEPTH = 8;

/**
 * Turns `Tags.member.1.Key=a` (ELBv2, STS) and `Tag.1.Key=a` (EC2) into nested values; a list is
 * whatever has numbers for keys, in the order of its numbers. Throws MalformedQueryString.
 * https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export function parseQuery(params: URLSearchParams): QueryFields {
  const root: QueryFields = Object.create(null) as QueryFields;
  for (const [path, text] of params) insert(root, path.split('.'), text);
  for (const [field, value] of Object.entries(root)) root[field] = listed(value);
  return root;
}

function insert(root: QueryFields, path: readonly string[], text: string): void {
  if (path.length > MAX_DEPTH || path.includes('')) throw malformed(path);
  const steps = path.filter((step, index) => !(step === 'member' && isIndex(path[index + 1])));
  let node = root;
  for (const step of steps.slice(0, -1)) {
    const next = (node[step] ??= Object.create(null) as QueryFields);
    if (typeof next === 'string' || Array.isArray(next)) throw malformed(path);
    node = next;
  }
  const leaf = steps.at(-1) ?? '';
  if (node[leaf] !== undefined) throw malformed(path);
  node[leaf] = text;
}

function listed(value: QueryValue): QueryValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, listed(entry)] as const);
  if (!entries.every(([key]) => isIndex(key))) return Object.fromEntries(entries);
  return entries.sort(([left], [right]) => Number(left) - Number(right)).map(([, entry]) => entry);
}

function isIndex(step: string | undefined): boolean {
  return step !== undefined && /^[1-9]\d{0,5}$/.test(step);
}

function malformed(path: readonly string[]): AwsFault {
  return new AwsFault(
    'MalformedQueryString',
    `The parameter ${path.join('.')} is malformed or given twice`,
    404,
  );
}
