/** The parts of a CRD schema that the tests read; everything else in it is a forbidden keyword. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly default?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode;
  readonly items?: SchemaNode;
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-validations'?: readonly SchemaRule[];
  readonly [keyword: string]: unknown;
}

/** One entry of x-kubernetes-validations. */
export interface SchemaRule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export interface PlacedNode {
  /** `spec.subnets[]` for items, `spec.tags{}` for the values of a map, '' for the root. */
  readonly path: string;
  readonly node: SchemaNode;
}

/** Every node of a schema, the root first. */
export function nodesOf(node: SchemaNode, path = ''): readonly PlacedNode[] {
  const children = Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    nodesOf(child, path === '' ? key : `${path}.${key}`),
  );
  const items = node.items === undefined ? [] : nodesOf(node.items, `${path}[]`);
  const values =
    node.additionalProperties === undefined ? [] : nodesOf(node.additionalProperties, `${path}{}`);
  return [{ path, node }, ...children, ...items, ...values];
}
