import type { Schema } from '../api-model/schema.ts';
import { isObject, type Json } from '../api-model/stored-object.ts';

/** One field of a status: an array or a map is one field, with everything in it. */
export interface StatusField {
  readonly path: readonly string[];
  readonly schema: Schema;
}

const TIMES = ['2199-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'yesterday'];
const NUMBERS = [0, -1, 2 ** 31 - 1];
const LONGEST = 4096;
const MOST_ITEMS = 5000;

/** Every field of a schema, so that a field added later is forged without a change here. */
export function fieldsOf(schema: Schema, path: readonly string[] = []): readonly StatusField[] {
  if (schema.properties === undefined) return [{ path, schema }];
  return Object.entries(schema.properties).flatMap(([name, inner]) =>
    fieldsOf(inner, [...path, name]),
  );
}

/** Values of the field's type, made of `texts`. What the schema refuses is refused by the server. */
export function forgedValues(schema: Schema, texts: readonly string[]): readonly unknown[] {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return NUMBERS;
    case 'boolean':
      return [true, false];
    case 'array':
      return forgedLists(schema, texts);
    case 'string':
      return [...(isTime(schema) ? TIMES : []), ...texts, 'x'.repeat(LONGEST)].map((text) =>
        fitted(schema, text),
      );
    default:
      return [Object.fromEntries(texts.map((text) => [text.slice(0, 63), text])), {}];
  }
}

/** Of a number, a switch or a map: none of its values is one of many texts. */
export function hasFewValues({ type }: Schema): boolean {
  return type !== 'string' && type !== 'array';
}

/** A value of this schema whose every text is `text`. */
export function filledWith(schema: Schema, text: string): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.properties !== undefined) return filledObject(schema, text);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [filledWith(schema.items ?? {}, text)];
    case 'object':
      return { [text.slice(0, 63)]: text };
    default:
      return isTime(schema) ? '2026-01-01T00:00:00Z' : fitted(schema, text);
  }
}

/**
 * A merge patch that sets one field of a status. What that needs around it and the status lacks comes
 * with it, made of the hash that is on record: another one would have it thrown away unread.
 */
export function patchOf(
  { path, root }: StatusField & { readonly root: Schema },
  value: unknown,
  live: Json,
): Json {
  const [hash = ''] = /[0-9a-f]{64}/.exec(JSON.stringify(live)) ?? [];
  const set = (names: readonly string[], schema: Schema, there: unknown): unknown => {
    const [name, ...rest] = names;
    if (name === undefined) return value;
    const around = isObject(there) ? {} : (filledWith(schema, hash) as Json);
    const inner = schema.properties?.[name] ?? {};
    return { ...around, [name]: set(rest, inner, isObject(there) ? there[name] : undefined) };
  };
  return set(path, root, live) as Json;
}

function forgedLists(schema: Schema, texts: readonly string[]): readonly unknown[] {
  const { items = {}, maxItems = MOST_ITEMS } = schema;
  const all = texts.map((text) => filledWith(items, text));
  const many = Array.from({ length: maxItems }, (_, at) => filledWith(items, `${at}`));
  return [all, ...all.map((one) => [one]), many, []];
}

function filledObject(schema: Schema, text: string): Json {
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, inner]) => [name, filledWith(inner, text)]));
}

function isTime(schema: Schema): boolean {
  return (schema as { readonly format?: string }).format === 'date-time';
}

function fitted({ maxLength = LONGEST, pattern = '' }: Schema, text: string): string {
  return new RegExp(pattern).test(text) ? text.slice(0, maxLength) : 'Forged';
}
