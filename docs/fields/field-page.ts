import type { Definition, FieldSchema } from './definitions.ts';
import { boundsOf } from './json-schema.ts';

/** The page of a kind in docs/reference: one row for each field. Its own page says what the fields are for. */
export function writeFieldPage({ group, version, kind, schema }: Definition): string {
  const name = kind.toLowerCase();
  const tables = ['spec', 'status'].map((part) => {
    const rows = listRows(part, schema.properties?.[part] ?? {}, new Set());
    return `## ${part}\n\n| field | type | default | limits | what |\n| --- | --- | --- | --- | --- |\n${rows.join('')}`;
  });
  return `# Fields of ${kind}

\`apiVersion: ${group}/${version}\`, \`kind: ${kind}\`, as in the CRD. [${name}.md](../${name}.md) explains and has examples;
[schemas](../editors.md) has the same for editors. \`[]\` is each item of a list, \`*\` each key of a map.

${tables.join('\n')}`;
}

function listRows(
  path: string,
  schema: FieldSchema,
  required: ReadonlySet<string>,
): readonly string[] {
  return [
    ...(path.includes('.') ? [writeRow(path, schema, required.has(path))] : []),
    ...listChildren(path, schema).flatMap(([child, field]) =>
      listRows(
        child,
        field,
        new Set(
          (schema.items ?? schema).required?.map(
            (name) => `${path}${schema.items ? '[]' : ''}.${name}`,
          ),
        ),
      ),
    ),
  ];
}

/** The fields below one: of an object, of the objects in a list, of those in a map. */
function listChildren(
  path: string,
  schema: FieldSchema,
): readonly (readonly [string, FieldSchema])[] {
  const { properties, items, additionalProperties } = schema;
  if (items !== undefined) return listChildren(`${path}[]`, items);
  if (additionalProperties !== undefined) return listChildren(`${path}.*`, additionalProperties);
  return Object.entries(properties ?? {}).map(
    ([name, field]) => [`${path}.${name}`, field] as const,
  );
}

function writeRow(path: string, schema: FieldSchema, isRequired: boolean): string {
  const value = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
  const limits = [...(isRequired ? ['required'] : []), ...listLimits(schema)].join('; ');
  const cells = [`\`${path}\``, nameType(schema), value, limits, escape(schema.description ?? '')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

function nameType(schema: FieldSchema): string {
  const { type, items, additionalProperties } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (items !== undefined) return `list of ${nameType(items)}s`;
  if (additionalProperties !== undefined) return `map of ${nameType(additionalProperties)}s`;
  return schema.format === 'date-time' ? 'time' : (type ?? '');
}

function listLimits(schema: FieldSchema): readonly string[] {
  const bounds = boundsOf(schema) as FieldSchema & { readonly minProperties?: number };
  const limits = [
    ...(bounds.enum ?? schema.items?.enum ?? []).map((value) => `\`${value}\``),
    range(bounds.minimum, bounds.maximum, ''),
    range(bounds.minLength, bounds.maxLength, ' characters'),
    range(bounds.minItems, bounds.maxItems, ' items'),
    range(bounds.minProperties, bounds.maxProperties, ' keys'),
  ];
  return limits.filter((limit) => limit !== '');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `at least ${least}${unit}`;
  return least === undefined || least === 0
    ? `at most ${most}${unit}`
    : `${least} to ${most}${unit}`;
}

/** Text in which Markdown finds nothing but code between backticks. */
function escape(text: string): string {
  return text
    .split(/(`[^`]*`|https?:\S+)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<*_[\]~]/g, '\\$&')))
    .join('');
}
