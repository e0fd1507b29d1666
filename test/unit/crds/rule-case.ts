/** What a user writes of an object, and for old objects what albridge wrote beside it. */
export interface Draft {
  /** Where the rules look at it; otherwise the tests choose one. */
  readonly name?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface RuleCase {
  readonly why: string;
  readonly object: Draft;
  /** Present: `object` is an update of it. */
  readonly old?: Draft;
  /** `old` is from before the rules: it cannot be stored any more, and is judged in memory alone. */
  readonly isOlderThanRules?: boolean;
}

interface RuleCases {
  /** Objects that the rule, and every other rule, lets through. */
  readonly accepts: Readonly<Record<string, RuleCase>>;
  /** Objects that this rule refuses, and no other. */
  readonly rejects: Readonly<Record<string, RuleCase>>;
}

/** The article's. */
export const subnets = ['subnet-abc', 'subnet-def'];

export const arn =
  'arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/shop/50dc6c4';
export const otherArn = `${arn}95`;

/** An object with subnets and the given fields. */
export function withSpec(fields: Readonly<Record<string, unknown>>): Draft {
  return { spec: { subnets, ...fields } };
}

/** `key0`, `key1` and so on. */
export function named(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `key${index}`);
}

/** A map with these keys, for tags and attributes. */
export function mapOf(keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, 'x']));
}

/** Keyed by the beginning of `<path in the schema>: <message>`, which must name exactly one rule. */
export type RuleTable = Readonly<Record<string, RuleCases>>;

/** Edits in a row, each answered; immutability must not be bypassed by unset-then-set. */
export type RuleSequences = Readonly<
  Record<
    string,
    { readonly why: string; readonly steps: readonly [Draft, ...Draft[]]; readonly last: Draft }
  >
>;

/** A backend, as short as can be. */
export const web = { name: 'web', service: { name: 'web', port: 80 } };

export const http = { port: 80, protocol: 'HTTP' };
export const certificate =
  'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d-0000-1111-2222-333344445555';
export const https = { port: 443, protocol: 'HTTPS', certificates: [certificate] };

/** An object with one backend and the given fields. */
export function withTraffic(fields: Readonly<Record<string, unknown>>): Draft {
  return withSpec({ backends: [web], ...fields });
}

/** An object with a plain backend, and one with the given fields; undefined takes one away. */
export function withBackend(
  fields: Readonly<Record<string, unknown>>,
  spec: Readonly<Record<string, unknown>> = {},
): Draft {
  const plain = { ...web, name: 'plain' };
  const defaultAction = { forward: [{ backend: 'plain' }] };
  const backend: unknown = JSON.parse(JSON.stringify({ ...web, ...fields }));
  return withTraffic({ backends: [plain, backend], defaultAction, ...spec });
}

/** A rule that no rule of the CRD has anything against. */
export const plainRule = { name: 'plain', paths: ['/plain'], forward: [{ backend: 'web' }] };

/** An object with a plain rule, and one with the given fields; undefined takes one away. */
export function withRule(fields: Readonly<Record<string, unknown>>): Draft {
  const rule = { ...plainRule, name: 'a', ...fields };
  return withTraffic({ rules: [plainRule, JSON.parse(JSON.stringify(rule))] });
}

/** One case for each text, named by it. */
export function casesOf(
  texts: Readonly<Record<string, string>>,
  object: (text: string) => Draft,
): Readonly<Record<string, RuleCase>> {
  return Object.fromEntries(
    Object.entries(texts).map(([text, why]) => [
      JSON.stringify(text),
      { why, object: object(text) },
    ]),
  );
}
