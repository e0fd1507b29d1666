import type { Condition, KnownCondition } from '../../../aws/elbv2/traffic.ts';
import { meetsCondition } from '../../../routing/condition.ts';
import type { Request } from '../../../routing/rule.ts';

/** A request, and the texts of the conditions that it meets although src/routing cannot evaluate them. */
export interface Probe {
  readonly request: Request;
  readonly opaque: ReadonlySet<string>;
}

type Conditions = readonly Condition[];

/** Beyond it not each set of lists is told apart, but any two of them. */
const MOST_PROBES = 2_048;
/** Beyond it each list is told apart from none. */
const MOST_PAIRED = 64;
/** Patterns of one field. */
const MOST_JOINED = 64;

/** Requests that tell lists of conditions apart: for each set of them, where possible, one that meets exactly these. */
export function listProbes(lists: readonly Conditions[]): readonly Probe[] {
  const whole = crossSamples(lists.flat());
  if (whole !== undefined) return whole;
  const probes = new Map<string, Probe>();
  for (const some of groupLists(lists)) {
    for (const probe of crossSamples(some) ?? []) probes.set(printProbe(probe), probe);
    if (probes.size > MOST_PROBES) break;
  }
  return [...probes.values()];
}

function groupLists(lists: readonly Conditions[]): readonly Conditions[] {
  if (lists.length > MOST_PAIRED) return lists;
  return lists.flatMap((one, index) => lists.slice(index).map((other) => [...one, ...other]));
}

/** Tells whether a request meets all conditions of a list; what it has evaluated once it remembers. */
export class Matcher {
  readonly #known = new Map<Condition, Map<string, boolean>>();

  matches(conditions: Conditions, probe: Probe): boolean {
    return conditions.every((condition) => this.#meets(condition, probe));
  }

  #meets(condition: Condition, probe: Probe): boolean {
    if (!isEvaluated(condition)) return probe.opaque.has(JSON.stringify(condition));
    const part = readPart(condition, probe.request);
    const known = this.#known.get(condition) ?? new Map<string, boolean>();
    const before = known.get(part);
    if (before !== undefined) return before;
    const meets = meetsCondition(condition, probe.request);
    this.#known.set(condition, known.set(part, meets));
    return meets;
  }
}

/** All that the condition depends on. */
function readPart(condition: KnownCondition, request: Request): string {
  switch (condition.field) {
    case 'host-header':
      return request.host;
    case 'path-pattern':
      return request.path;
    case 'http-request-method':
      return request.method;
    case 'source-ip':
      return request.sourceIp;
    case 'query-string':
      return request.query;
    case 'http-header':
      return JSON.stringify(request.headers);
    default:
      return condition satisfies never;
  }
}

/** A request has one of the samples of each field; the first one meets nothing on purpose. */
type Samples = ReadonlyMap<string, readonly string[]>;

const OTHERS: Readonly<Record<string, string>> = {
  'host-header': 'other.invalid',
  'path-pattern': '/~other',
  'http-request-method': 'OTHER',
  'source-ip': '203.0.113.203',
};

/** undefined: too many. */
function crossSamples(conditions: Conditions): readonly Probe[] | undefined {
  const samples = collectSamples(conditions);
  const count = [...samples.values()].reduce((product, { length }) => product * length, 1);
  if (count > MOST_PROBES) return undefined;
  const choices = [...samples].reduce<readonly ReadonlyMap<string, string>[]>(
    (chosen, [field, values]) =>
      chosen.flatMap((one) => values.map((value) => new Map([...one, [field, value]]))),
    [new Map()],
  );
  return choices.map(composeProbe);
}

function collectSamples(conditions: Conditions): Samples {
  const byField = Map.groupBy(conditions.flatMap(listPatterns), ({ field }) => field);
  return new Map(
    [...byField].map(([field, patterns]) => {
      const texts = [...new Set(patterns.map(({ pattern }) => pattern))];
      return [field, [...new Set([OTHERS[field] ?? '', ...sampleField(field, texts)])]];
    }),
  );
}

interface FieldPattern {
  /** Of headers one each; of what can be there next to others, one for each value. */
  readonly field: string;
  readonly pattern: string;
}

function listPatterns(condition: Condition): readonly FieldPattern[] {
  if (!isEvaluated(condition)) {
    const pattern = JSON.stringify(condition);
    return [{ field: `opaque ${pattern}`, pattern }];
  }
  switch (condition.field) {
    case 'query-string':
      return condition.values.map(({ key = 'k', value }) => {
        const pattern = `${unescape(key)}=${unescape(value)}`;
        return { field: `query ${pattern}`, pattern };
      });
    case 'http-header':
      return condition.values.map((pattern) => {
        return { field: `header ${condition.name.toLowerCase()}`, pattern };
      });
    default:
      return condition.values.map((pattern) => ({ field: condition.field, pattern }));
  }
}

/** Conditions that src/routing has no words for, such as a regular expression, are met or not. */
function isEvaluated(condition: Condition): condition is KnownCondition {
  return condition.field !== 'unknown' && !('isRegex' in condition);
}

function unescape(pattern: string): string {
  return fill(pattern.replace(/\\([*?\\])/g, '$1'), '');
}

function sampleField(field: string, patterns: readonly string[]): readonly string[] {
  if (field === 'source-ip') return patterns.flatMap(sampleBlock);
  if (field.startsWith('opaque ')) return patterns;
  const wild = patterns.filter((pattern) => pattern.includes('*')).slice(0, MOST_JOINED);
  const shared = wild.flatMap((one) => wild.map((other) => joinPatterns(one, other)));
  return [...patterns.flatMap((pattern) => [fill(pattern, ''), fill(pattern, 'x')]), ...shared];
}

function fill(pattern: string, star: string): string {
  return pattern.replaceAll('*', star).replaceAll('?', 'x');
}

/** A text that fits both, where there is one of this form: `/a/*` and `/*.png` give `/a/.png`. */
function joinPatterns(one: string, other: string): string {
  const starts = [one, other].map((pattern) => pattern.slice(0, pattern.indexOf('*')));
  const ends = [one, other].map((pattern) => pattern.slice(pattern.lastIndexOf('*') + 1));
  const longest = (texts: readonly string[]): string =>
    texts.reduce((a, b) => (b.length > a.length ? b : a));
  return fill(`${longest(starts)}${longest(ends)}`, '');
}

/** The first address of the block and, of IPv4, the last one. */
function sampleBlock(cidr: string): readonly string[] {
  const [address = '', length = '32'] = cidr.split('/');
  if (address.includes(':')) return [address];
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const last = first + 2 ** (32 - Number(length)) - 1;
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(last / 2 ** shift) % 256);
  return [address, parts.join('.')];
}

function composeProbe(values: ReadonlyMap<string, string>): Probe {
  const read = (field: string): string => values.get(field) ?? OTHERS[field] ?? '';
  const pick = (prefix: string): readonly (readonly [string, string])[] =>
    [...values].flatMap(([field, value]) => {
      return field.startsWith(prefix) && value !== '' ? [[field.slice(prefix.length), value]] : [];
    });
  return {
    request: {
      ...{ protocol: 'HTTP', port: 80, method: read('http-request-method') },
      ...{ host: read('host-header'), path: read('path-pattern'), sourceIp: read('source-ip') },
      query: pick('query ')
        .map(([, value]) => value)
        .join('&'),
      headers: pick('header '),
    },
    opaque: new Set(pick('opaque ').map(([, value]) => value)),
  };
}

function printProbe({ request, opaque }: Probe): string {
  return JSON.stringify([request, [...opaque]]);
}
