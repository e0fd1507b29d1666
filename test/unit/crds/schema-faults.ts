import { nodesOf, type PlacedNode, type SchemaNode } from './schema-walk.ts';

/** What structural schemas and our own rules allow; https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema */
const knownKeywords = new Set([
  'type',
  'format',
  'description',
  'enum',
  'default',
  'properties',
  'additionalProperties',
  'items',
  'required',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
  'x-kubernetes-int-or-string',
]);

/**
 * For a part of a pod, whose fields the API server knows when it gets the pod; and for a field that nothing
 * implements yet and no object ever holds: its rule answers, whatever is in it.
 */
const TAKES_ANYTHING = 'x-kubernetes-preserve-unknown-fields';

const IS_OF_A_POD = /^spec\.podTemplate\.spec(?:\.(?:containers|initContainers|volumes)\[\])?$/;

const knownTypes = new Set(['object', 'array', 'string', 'integer', 'boolean']);

/** Everything that is wrong with a schema, as `path: fault`. The API server describes metadata itself. */
export function schemaFaults(schema: SchemaNode): readonly string[] {
  const nodes = nodesOf(schema).filter(({ path }) => path !== 'metadata');
  const refused = refusedFields(nodes);
  return nodes.flatMap((placed) => {
    const faults = faultsOf(placed, refused.has(placed.path.split('.').at(-1) ?? ''));
    return faults.map((fault) => `${placed.path}: ${fault}`);
  });
}

/** Names of the fields that a rule refuses because nothing implements them yet. */
function refusedFields(nodes: readonly PlacedNode[]): ReadonlySet<string> {
  const messages = nodes.flatMap(({ node }) =>
    (node['x-kubernetes-validations'] ?? []).map(({ message }) => message),
  );
  return new Set(
    messages.flatMap((message) => /^\S*?(\w+) is not supported yet/.exec(message)?.[1] ?? []),
  );
}

function faultsOf({ path, node }: PlacedNode, isRefused: boolean): readonly string[] {
  if (isRefused && node[TAKES_ANYTHING] === true) {
    return unless(isSentence(node.description), 'description is not a sentence');
  }
  return [
    ...Object.keys(node)
      .filter((keyword) => !knownKeywords.has(keyword))
      .filter((keyword) => keyword !== TAKES_ANYTHING || !IS_OF_A_POD.test(path))
      .map((keyword) => `keyword ${keyword} is not allowed`),
    ...unless(hasKnownType(node), `type is ${node.type ?? 'missing'}`),
    ...unless(isSentence(node.description), 'description is not a sentence'),
    ...boundFaults(node),
    ...requiredFaults(node),
    ...ruleFaults(path, node),
  ];
}

/** One that is a number or a text has no type of its own, and both of their bounds. */
function hasKnownType(node: SchemaNode): boolean {
  if (node['x-kubernetes-int-or-string'] !== true) return knownTypes.has(node.type ?? '');
  return node.type === undefined && 'maximum' in node && node.maxLength !== undefined;
}

function boundFaults(node: SchemaNode): readonly string[] {
  const isMap = node.additionalProperties !== undefined;
  return [
    ...unless(
      node.type !== 'string' || node.enum !== undefined || node.maxLength !== undefined,
      'string without maxLength',
    ),
    ...unless(node.type !== 'array' || node.maxItems !== undefined, 'array without maxItems'),
    ...unless(node.type !== 'array' || node.items !== undefined, 'array without items'),
    ...unless(
      node.type !== 'array' || node['x-kubernetes-list-type'] !== undefined,
      'array without x-kubernetes-list-type',
    ),
    ...unless(!isMap || node.maxProperties !== undefined, 'map without maxProperties'),
    ...unless(
      node.type !== 'object' || isMap !== (node.properties !== undefined),
      'object without exactly one of properties and additionalProperties',
    ),
  ];
}

function requiredFaults(node: SchemaNode): readonly string[] {
  return (node.required ?? [])
    .filter((key) => node.properties?.[key] === undefined)
    .map((key) => `required names ${key}, which is not a property`);
}

function ruleFaults(path: string, node: SchemaNode): readonly string[] {
  return (node['x-kubernetes-validations'] ?? []).flatMap((rule) => [
    ...unless(rule.message.length > 0, `rule without message: ${rule.rule}`),
    ...unless(rule.reason !== undefined, `rule without reason: ${rule.rule}`),
    // Its error drops the message: `spec.subnets: Duplicate value`.
    ...unless(rule.reason !== 'FieldValueDuplicate', `reason hides the message: ${rule.rule}`),
    ...unless(
      path !== '' || (rule.optionalOldSelf === true && rule.rule.includes('oldSelf')),
      `rule at the root could lock stored objects: ${rule.rule}`,
    ),
    ...unless(
      rule.fieldPath === undefined || hasField(node, rule.fieldPath),
      `fieldPath ${rule.fieldPath} is not a field`,
    ),
  ]);
}

function hasField(node: SchemaNode, fieldPath: string): boolean {
  const keys = fieldPath.split('.').slice(1);
  return (
    keys.reduce<SchemaNode | undefined>((at, key) => at?.properties?.[key], node) !== undefined
  );
}

/** A capital or a field's name first, a full stop or a link last. */
function isSentence(text: string | undefined): boolean {
  return text !== undefined && text.length >= 12 && /(\.|https:\/\/\S+)$/.test(text);
}

function unless(isFine: boolean, fault: string): readonly string[] {
  return isFine ? [] : [fault];
}
