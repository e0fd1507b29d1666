import type { Condition, KnownCondition } from '../../../aws/elbv2/traffic.ts';
import { meetsCondition } from '../../../routing/condition.ts';
import type { Request } from '../../../routing/rule.ts';
import type { Effort } from './effort.ts';
import { findFiller, sampleField } from './samples.ts';

/** A request, and the texts of the conditions that it meets although src/routing cannot evaluate them. */
export interface Probe {
  readonly request: Request;
  readonly opaque: ReadonlySet<string>;
}

type Conditions = readonly Condition[];

/** Beyond it not each set of lists is told apart, but each list from none and, as far as effort lasts, any two. */
const MOST_PROBES = 2_048;

/** Until when, of all effort, requests are made up and compared with the rules; the rest is for the search. */
const UNTIL = { whole: 0.04, alone: 0.07, single: 0.1, paired: 0.15, composed: 0.25 };
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
  const isShort = lists.length <= MOST_LISTED;
  const whole = isShort ? collectSamples(lists.flat(), effort, UNTIL.whole) : undefined;
  if (whole !== undefined && !effort.isSpent(UNTIL.whole) && countProbes(whole) <= MOST_PROBES) {
    return takeTurns([whole], effort, UNTIL.composed);
  }
  const alone = changed.flatMap((one) => {
    return effort.isSpent(UNTIL.alone) ? [] : collectSamples(one, effort, UNTIL.alone);
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
      pairs.push(collectSamples([...one, ...other], effort, UNTIL.paired));
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

function collectSamples(conditions: Conditions, effort: Effort, until: number): Samples {
  const patterns = conditions.flatMap(listPatterns);
  const filler = findFiller(patterns.map(({ pattern }) => pattern));
  const byField = Map.groupBy(patterns, ({ field }) => field);
  return new Map(
    [...byField].map(([field, some]) => {
      const texts = [...new Set(some.map(({ pattern }) => pattern))];
      const sampled = isOpaque(field)
        ? texts
        : sampleField(field, texts, { filler, effort, until });
      const samples = [...new Set([OTHERS[field] ?? '', ...sampled])];
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
    return [{ field: `${OPAQUE}${pattern}`, pattern }];
  }
  switch (condition.field) {
    case 'query-string':
      return condition.values.map(({ key = '*', value }) => {
        const pattern = `${key}=${value}`;
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

const OPAQUE = 'opaque ';

function isOpaque(field: string): boolean {
  return field.startsWith(OPAQUE);
}

/** Conditions that src/routing has no words for, such as a regular expression, are met or not. */
function isEvaluated(condition: Condition): condition is KnownCondition {
  return condition.field !== 'unknown' && !('isRegex' in condition);
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
    else if (isOpaque(field)) opaque.add(value);
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
