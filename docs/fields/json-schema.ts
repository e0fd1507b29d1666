import type { Definition, FieldSchema } from './definitions.ts';

/**
 * A kind as a JSON schema for editors: https://json-schema.org/draft-07. It refuses unknown fields, which the API
 * server drops or refuses, and has the CEL rules that are one pattern or one size; the API server alone knows the others.
 */
export function writeJsonSchema({ group, version, kind, schema }: Definition): string {
  const { properties = {}, ...root } = convert(schema) as { properties?: object };
  const document = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: kind,
    ...root,
    required: ['apiVersion', 'kind', 'metadata'],
    properties: {
      ...properties,
      apiVersion: { const: `${group}/${version}` },
      kind: { const: kind },
      metadata: { type: 'object' },
    },
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** The bounds that a schema and its simple rules have together. */
export function boundsOf(schema: FieldSchema): FieldSchema {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.reduce((bounds, { rule }) => ({ ...bounds, ...readRule(rule, bounds) }), schema);
}

/** The part of a rule that JSON schema can express; of several patterns the first one. */
function readRule(rule: string, bounds: FieldSchema): Partial<FieldSchema> {
  const [, pattern] = /^self\.matches\('([^']+)'\)$/.exec(rule) ?? [];
  if (pattern !== undefined) {
    return bounds.pattern === undefined ? { pattern: pattern.replaceAll('\\\\', '\\') } : {};
  }
  const [, least, most] = SIZE_RULE.exec(rule) ?? [];
  const [min = '', max = ''] = SIZES[bounds.type ?? ''] ?? [];
  return { ...asBound(min, least), ...asBound(max, most) };
}

function asBound(name: string, text: string | undefined): Partial<FieldSchema> {
  return text === undefined || name === '' ? {} : { [name]: Number(text) };
}

const SIZE_RULE = /^(?:self\.size\(\) >= (\d+))?(?: && )?(?:self\.size\(\) <= (\d+))?$/;

const SIZES: Readonly<Record<string, readonly [string, string]>> = {
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};

/** A field that the CRD declares only to refuse it by name. */
function isRefused(schema: FieldSchema): boolean {
  return schema.description?.startsWith('Not supported yet.') === true;
}

function convert(schema: FieldSchema): object {
  if (isRefused(schema)) return { description: schema.description, not: {} };
  const { properties, items, additionalProperties, ...plain } = boundsOf(schema);
  const kept = Object.entries(plain).filter(
    ([name]) => !name.startsWith('x-kubernetes-') && name !== 'format',
  );
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...Object.fromEntries(kept),
    ...(schema['x-kubernetes-int-or-string'] === true && { type: ['integer', 'string'] }),
    ...(items !== undefined && { items: convert(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, convert(field)]),
      ),
      ...(!isOpen && { additionalProperties: false }),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties: convert(additionalProperties),
    }),
  };
}
