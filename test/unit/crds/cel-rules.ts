import { isIP } from 'node:net';
import { Environment } from '@marcbachmann/cel-js';
import { nodesOf, type SchemaNode, type SchemaRule } from './schema-walk.ts';

/** A rule and where in the schema it stands; `id` names both. */
export interface PlacedRule extends SchemaRule {
  readonly id: string;
}

/** One rule's answer about one value. */
export interface Answer {
  readonly id: string;
  readonly holds: boolean;
}

interface Value {
  readonly self: unknown;
  /** undefined: there is no old value, or none that Kubernetes would match with this one. */
  readonly oldSelf: unknown;
}

const environment = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true })
  // The library builds its expressions without the flag that \p{L} needs; Kubernetes' RE2 knows it.
  .registerFunction('string.matchesUnicode(string): bool', (text: string, pattern: string) =>
    new RegExp(pattern, 'u').test(text),
  )
  // https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library
  .registerFunction('list.sum(): int', (list: readonly bigint[]) =>
    list.reduce((sum, one) => sum + one, 0n),
  )
  // https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cidr-library
  .registerFunction('isCIDR(string): bool', isCidr);

/** To parse a rule takes longer than to ask it. */
const expressions = new Map<string, ReturnType<typeof environment.parse>>();

const none: unknown = environment.evaluate('optional.none()');

/** Every rule of a schema. */
export function rulesOf(schema: SchemaNode): readonly PlacedRule[] {
  return nodesOf(schema).flatMap(({ path, node }) =>
    (node['x-kubernetes-validations'] ?? []).map((rule) => ({ ...rule, id: idOf(path, rule) })),
  );
}

/**
 * Asks every rule that the API server would ask about an object: on an update with the old object
 * beside it, on a create without. Defaults are filled in first, as the API server does.
 */
export function askRules(schema: SchemaNode, object: unknown, old?: unknown): readonly Answer[] {
  const value = { self: withDefaults(schema, object), oldSelf: withDefaults(schema, old) };
  return askNode(schema, value, '');
}

/** A copy of `value` in which every absent property that has a default has it. No list of ours has one inside. */
function withDefaults(node: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [key, child] of Object.entries(node.properties ?? {})) {
    const filled = withDefaults(child, result[key] ?? child.default);
    if (filled !== undefined) result[key] = filled;
  }
  return result;
}

function askNode(node: SchemaNode, value: Value, path: string): readonly Answer[] {
  if (value.self === undefined) return [];
  const own = (node['x-kubernetes-validations'] ?? []).flatMap((rule) => ask(rule, value, path));
  return [...own, ...askChildren(node, value, path)];
}

function askChildren(node: SchemaNode, value: Value, path: string): readonly Answer[] {
  if (Array.isArray(value.self)) {
    const items = node.items ?? {};
    // Items of a set are matched with no old item.
    return value.self.flatMap((self) => askNode(items, { self, oldSelf: undefined }, `${path}[]`));
  }
  const child = (key: string): Value => ({
    self: fieldOf(value.self, key),
    oldSelf: fieldOf(value.oldSelf, key),
  });
  const values = node.additionalProperties;
  if (values !== undefined) {
    return Object.keys(value.self as object).flatMap((key) =>
      askNode(values, child(key), `${path}{}`),
    );
  }
  return Object.entries(node.properties ?? {}).flatMap(([key, property]) =>
    askNode(property, child(key), path === '' ? key : `${path}.${key}`),
  );
}

function ask(rule: SchemaRule, value: Value, path: string): readonly Answer[] {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  const isOptional = rule.optionalOldSelf === true;
  if (isTransition && !isOptional && value.oldSelf === undefined) return [];
  const oldSelf = isOptional ? optionalOf(value.oldSelf) : value.oldSelf;
  const holds: unknown = parsed(rule.rule)({ self: value.self, oldSelf });
  if (typeof holds !== 'boolean') throw new Error(`${rule.rule} gives no bool`);
  return [{ id: idOf(path, rule), holds }];
}

function isCidr(text: string): boolean {
  const [, address = '', length = ''] = /^([^/]*)[/](0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  return Number(length) <= (isIP(address) === 4 ? 32 : 128) && isIP(address) > 0;
}

function parsed(rule: string): ReturnType<typeof environment.parse> {
  const known = expressions.get(rule);
  if (known !== undefined) return known;
  const expression = environment.parse(rule.replaceAll('.matches(', '.matchesUnicode('));
  expressions.set(rule, expression);
  return expression;
}

function optionalOf(value: unknown): unknown {
  return value === undefined ? none : environment.evaluate('optional.of(value)', { value });
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function idOf(path: string, rule: SchemaRule): string {
  return `${path === '' ? 'root' : path}: ${rule.message}`;
}
