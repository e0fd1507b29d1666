import type { Condition, KnownCondition } from '../../../aws/elbv2/traffic.ts';
import { meetsCondition } from '../../../routing/condition.ts';
import type { Request } from '../../../routing/rule.ts';
import type { Effort } from './effort.ts';

/** A request, and the texts of the conditions that it meets although src/routing cannot evaluate them. */
export interface Probe {
  readonly request: Request;
  readonly opaque: ReadonlySet<string>;
}

type Conditions = readonly Condition[];

/** Beyond it not each set of lists is told apart, but each list from none and, as far as effort lasts, any two. */
const MOST_PROBES = 2_048;
/** Patterns of one field. */
const MOST_JOINED = 64;

/** Until when, of all effort, requests are made up and compared with the rules; the rest is for the search. */
const UNTIL = { single: 0.1, paired: 0.15, composed: 0.25 };
export const COMPARED_UNTIL = 0.65;
const COST_OF_PROBE = 100;
const COST_OF_SAMPLE = 25;

/**
 * Requests that tell lists of conditions apart: for each set of them with one of `changed` in it, where possible, one
 * that meets exactly these. What tells most apart comes first.
 */
export function listProbes(
  changed: readonly Conditions[],
  others: readonly Conditions[],
  effort: Effort,
): readonly Probe[] {
  const lists = [...changed, ...others];
  const whole = lists.length > MOST_LISTED ? undefined : collectSamples(lists.flat(), effort);
  if (whole !== undefined && countProbes(whole) <= MOST_PROBES) {
    return takeTurns([whole], effort, UNTIL.composed);
  }
  const alone = changed.flatMap((one) => {
    return effort.isSpent(UNTIL.single) ? [] : collectSamples(one, effort);
  });
  const single = takeTurns(alone, effort, UNTIL.single);
  const paired = takeTurns(pairSamples(changed, lists, effort), effort, UNTIL.composed);
  return [...new Map([...single, ...paired].map((one) => [printProbe(one), one])).values()];
}

/** Of more lists the patterns are not put together. */
const MOST_LISTED = 64;

/** Of what changes with each other first. */
function pairSamples(
  changed: readonly Conditions[],
  lists: readonly Conditions[],
  effort: Effort,
): readonly Samples[] {
  const pairs: Samples[] = [];
  for (const [index, one] of lists.entries()) {
    for (const other of changed.slice(0, index)) {
      if (effort.isSpent(UNTIL.paired)) return pairs;
      pairs.push(collectSamples([...one, ...other], effort));
    }
  }
  return pairs;
}

/** Of each one request, then of each another one; of the last samples first, for the first ones meet nothing. */
function takeTurns(all: readonly Samples[], effort: Effort, until: number): readonly Probe[] {
  const probes: Probe[] = [];
  const longest = all.reduce((most, one) => Math.max(most, countProbes(one)), 0);
  for (let turn = 1; turn <= longest; turn += 1) {
    for (const samples of all) {
      const left = countProbes(samples) - turn;
      if (left < 0) continue;
      if (probes.length >= MOST_PROBES || effort.isSpent(until)) return probes;
      effort.spend(COST_OF_PROBE);
      probes.push(composeProbe(chooseSamples(samples, left)));
    }
  }
  return probes;
}

/** Tells whether a request meets all conditions of a list; what it has evaluated once it remembers. */
export class Matcher {
  readonly #effort: Effort;
  readonly #known = new Map<Condition, Known>();

  constructor(effort: Effort) {
    this.#effort = effort;
  }

  matches(conditions: Conditions, probe: Probe): boolean {
    return conditions.every((condition) => this.#meets(condition, probe));
  }

  #meets(condition: Condition, probe: Probe): boolean {
    const known = this.#known.get(condition) ?? this.#learn(condition);
    this.#effort.spend(COST_OF_LOOKUP);
    if (!isEvaluated(condition)) return probe.opaque.has(known.text);
    const part = readPart(condition, probe.request);
    const before = known.byPart.get(part);
    if (before !== undefined) return before;
    this.#effort.spend(known.cost + known.costOfCharacter * part.length);
    const meets = meetsCondition(condition, probe.request);
    known.byPart.set(part, meets);
    return meets;
  }

  #learn(condition: Condition): Known {
    const text = JSON.stringify(condition);
    this.#effort.spend(text.length);
    const hasSeveral = condition.field === 'query-string' || /[*][^"]*[*]/.test(text);
    const known = {
      ...{ text, byPart: new Map<string, boolean>() },
      cost:
        condition.field === 'source-ip'
          ? text.length * 10
          : text.length / (text.includes('*') ? 1 : 5),
      costOfCharacter: hasSeveral ? text.length / 2 : 0,
    };
    this.#known.set(condition, known);
    return known;
  }
}

interface Known {
  readonly text: string;
  readonly byPart: Map<string, boolean>;
  /** Of one comparison. A pattern with two wildcards may be tried from each character on. */
  readonly cost: number;
  readonly costOfCharacter: number;
}

const COST_OF_LOOKUP = 4;

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

function countProbes(samples: Samples): number {
  return [...samples.values()].reduce((product, { length }) => product * length, 1);
}

/** The request of this number, of as many as `countProbes` says. */
function chooseSamples(samples: Samples, number: number): ReadonlyMap<string, string> {
  let left = number;
  return new Map(
    [...samples].map(([field, values]) => {
      const value = values[left % values.length] ?? '';
      left = Math.floor(left / values.length);
      return [field, value];
    }),
  );
}

function collectSamples(conditions: Conditions, effort: Effort): Samples {
  const byField = Map.groupBy(conditions.flatMap(listPatterns), ({ field }) => field);
  return new Map(
    [...byField].map(([field, patterns]) => {
      const texts = [...new Set(patterns.map(({ pattern }) => pattern))];
      const samples = [...new Set([OTHERS[field] ?? '', ...sampleField(field, texts, effort)])];
      effort.spend(COST_OF_SAMPLE * samples.length);
      return [field, samples];
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

function sampleField(
  field: string,
  patterns: readonly string[],
  effort: Effort,
): readonly string[] {
  if (field === 'source-ip') return patterns.flatMap(sampleBlock);
  if (field.startsWith('opaque ')) return patterns;
  const wild = patterns.filter((pattern) => pattern.includes('*')).slice(0, MOST_JOINED);
  effort.spend(2 * wild.length * wild.join('').length);
  const shared = wild.flatMap((one) => wild.map((other) => joinPatterns(one, other)));
  return [...patterns.flatMap((pattern) => [fill(pattern, ''), fill(pattern, 'x')]), ...shared];
}

function fill(pattern: string, star: string): string {
  return pattern.replaceAll('*', star).replaceAll('?', 'x');
}

/** A text that fits both, where there is one of this form: `/a/*` and `/*.png` give `/a/.png`. */
function joinPatterns(one: string, other: string): string {
  const parts = [one, other].map((pattern) => pattern.split('*'));
  const starts = parts.map(([start = '']) => start);
  const ends = parts.map((all) => all.at(-1) ?? '');
  const middles =
    one === other ? one.split('*').slice(1, -1) : parts.flatMap((all) => all.slice(1, -1));
  const longest = (texts: readonly string[]): string =>
    texts.reduce((a, b) => (b.length > a.length ? b : a));
  return fill(`${longest(starts)}${middles.join('')}${longest(ends)}`, '');
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
  const queries: string[] = [];
  const headers: (readonly [string, string])[] = [];
  const opaque = new Set<string>();
  for (const [field, value] of values) {
    if (value === '') continue;
    if (field.startsWith('query ')) queries.push(value);
    else if (field.startsWith('header ')) headers.push([field.slice('header '.length), value]);
    else if (field.startsWith('opaque ')) opaque.add(value);
  }
  return {
    request: {
      ...{ protocol: 'HTTP', port: 80, method: read('http-request-method') },
      ...{ host: read('host-header'), path: read('path-pattern'), sourceIp: read('source-ip') },
      ...{ query: queries.join('&'), headers },
    },
    opaque,
  };
}

/** Equal for equal requests. */
function printProbe({ request, opaque }: Probe): string {
  const { method, host, path, sourceIp, query, headers } = request;
  return [method, host, path, sourceIp, query, ...headers.flat(), '', ...opaque].join('\0');
}
