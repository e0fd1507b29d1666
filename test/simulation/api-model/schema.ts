import { isObject, type Json } from './stored-object.ts';

/** The parts of a structural schema that the CRDs of this project use. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** A copy in which every absent property that has a default has it. */
export function withDefaults(schema: Schema, value: unknown): unknown {
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const filled = withDefaults(child, result[key] ?? child.default);
    if (filled !== undefined) result[key] = filled;
  }
  return result;
}

/**
 * What does not fit, as `path: sentence`. Stricter than the API server in one thing: a field that
 * the schema does not know is a fault, where the server would drop it without a word.
 */
export function misfits(schema: Schema, value: unknown, path: string): readonly string[] {
  const own = misfitsOfValue(schema, value).map((sentence) => `${path}: ${sentence}`);
  if (own.length > 0) return own;
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => misfits(schema.items ?? {}, item, `${path}[${at}]`));
  }
  return isObject(value) ? misfitsOfFields(schema, value, path) : [];
}

function misfitsOfFields(schema: Schema, value: Json, path: string): readonly string[] {
  const { properties, additionalProperties, required = [] } = schema;
  const missing = required.filter((key) => value[key] === undefined);
  const takesAll = schema['x-kubernetes-preserve-unknown-fields'] ?? additionalProperties;
  const unknown = Object.keys(value).filter(
    (key) => takesAll === undefined && properties?.[key] === undefined,
  );
  return [
    ...missing.map((key) => `${path}.${key}: Required value`),
    ...unknown.map((key) => `${path}.${key}: unknown field`),
    ...Object.entries(value).flatMap(([key, inner]) => {
      const child = properties?.[key] ?? additionalProperties;
      return child === undefined ? [] : misfits(child, inner, `${path}.${key}`);
    }),
  ];
}

function misfitsOfValue(schema: Schema, value: unknown): readonly string[] {
  if (!isOfType(schema.type, value)) return [`must be of type ${schema.type ?? 'any'}`];
  return [
    ...unless(schema.enum === undefined || schema.enum.includes(value), 'Unsupported value'),
    ...misfitsOfText(schema, value),
    ...misfitsOfList(schema, value),
    ...unless(typeof value !== 'number' || value >= (schema.minimum ?? value), 'too small'),
    ...unless(typeof value !== 'number' || value <= (schema.maximum ?? value), 'too large'),
    ...unless(
      !isObject(value) || Object.keys(value).length <= (schema.maxProperties ?? Infinity),
      'has too many properties',
    ),
  ];
}

function misfitsOfText(schema: Schema, value: unknown): readonly string[] {
  if (typeof value !== 'string') return [];
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  // Characters, of which one may be two units.
  const isShort = value.length <= maxLength && minLength <= 1;
  const length = isShort ? value.length : Array.from(value).length;
  return [
    ...unless(length >= minLength && length <= maxLength, 'is too short or too long'),
    ...unless(pattern === undefined || new RegExp(pattern, 'u').test(value), 'does not match'),
  ];
}

function misfitsOfList(schema: Schema, value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const { minItems = 0, maxItems = Infinity } = schema;
  const isSet = schema['x-kubernetes-list-type'] === 'set';
  return [
    ...unless(value.length >= minItems && value.length <= maxItems, 'has too few or many items'),
    ...unless(!isSet || new Set(value).size === value.length, 'Duplicate value'),
  ];
}

function isOfType(type: string | undefined, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === undefined || typeof value === type;
}

function unless(isFine: boolean, sentence: string): readonly string[] {
  return isFine ? [] : [sentence];
}
