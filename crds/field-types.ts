/** The parts of a schema that decide the type of what it admits. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};

/**
 * The TypeScript type that a schema describes, for objects that an API server has admitted.
 *
 * - A property that is required or has a `default` is there: the API server fills defaults in on
 *   every write and read
 *   (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting).
 * - No type has an index signature except maps (`additionalProperties`) and objects with
 *   `x-kubernetes-preserve-unknown-fields`, so an unknown key in an object literal does not compile, as
 *   it does not pass strict validation.
 * - An object of which no field is known and that a rule always refuses gives `never`; any other form throws.
 */
export function renderType(schema: Schema, path: string): string {
  const { type, items, additionalProperties, properties } = schema;
  const scalar = renderScalar(schema);
  if (scalar !== undefined) return scalar;
  if (type === 'array' && items !== undefined)
    return `readonly (${renderType(items, `${path}[]`)})[]`;
  if (additionalProperties !== undefined)
    return `{ readonly [key: string]: ${renderType(additionalProperties, `${path}{}`)} }`;
  if (type === 'object' && properties !== undefined) return renderObject(schema, path);
  if (schema['x-kubernetes-validations']?.some(({ rule }) => rule === 'false')) return 'never';
  throw new Error(`${path}: this form of schema has no TypeScript type`);
}

function renderScalar(schema: Schema): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  return SCALARS[schema.type ?? ''];
}

function renderObject(schema: Schema, path: string): string {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const isPresent = schema.required?.includes(name) === true || property.default !== undefined;
    const type = renderType(property, `${path}.${name}`);
    return `readonly ${JSON.stringify(name)}${isPresent ? '' : '?'}: ${type};`;
  });
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return `{ ${fields.join(' ')} }${isOpen ? ' & { readonly [key: string]: unknown }' : ''}`;
}
