/** As much of JSON Schema as the chart needs: https://json-schema.org/draft/2020-12/json-schema-validation */
export interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  /** Shown in values.yaml; without one the key is listed there as a comment. */
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

export function toggle(description: string, isOn: boolean): Schema {
  return { description, type: 'boolean', default: isOn };
}

export function closed(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  const required = Object.keys(properties).filter((name) => isNeeded(properties[name]));
  return {
    ...{ description, type: 'object', additionalProperties: false, properties },
    ...(required.length > 0 && { required }),
  };
}

/**
 * Of a key without a value Helm deletes the default: `keep:` would take CRDs and objects along at an uninstall.
 * https://helm.sh/docs/chart_template_guide/values_files/#deleting-a-default-key
 */
function isNeeded(schema: Schema = {}): boolean {
  const isToggle = schema.type === 'boolean' && schema.default !== undefined;
  return isToggle || 'properties' in schema || 'additionalProperties' in schema;
}

export function open(description: string): Schema {
  return { description, type: 'object', default: {} };
}

/** By any name. Not by `additionalProperties`, whose objects must not be without a value: see `isNeeded`. */
export function each(schema: Schema): Schema {
  return { patternProperties: { '': schema } };
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const KEY =
  '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';
/** Of an annotation the case of the prefix does not matter. */
const ANNOTATION =
  '^([A-Za-z0-9]([-A-Za-z0-9.]{0,251}[A-Za-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';
const LABEL = '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$';

/** Annotations: texts by the names that Kubernetes allows. */
export function annotations(description: string): Schema {
  const names = { propertyNames: { pattern: ANNOTATION } };
  return { ...open(description), ...names, ...each({ type: 'string' }) };
}

export function labels(description: string): Schema {
  const values = each({ type: 'string', pattern: LABEL });
  return { ...open(description), propertyNames: { pattern: KEY }, ...values };
}

export function whenTrue(name: string): Schema {
  return { properties: { [name]: { const: true } } };
}

/** Without the keyword `then`: an object with that property would be one to await. */
export function demand(condition: Schema, consequence: Schema): Schema {
  return { if: { not: condition }, else: consequence };
}
