import type { KubeClient } from './kube-client.ts';

/**
 * Whether the CRDs in the cluster have the fields that this version knows. Everybody may read the API server's
 * OpenAPI documents, so this needs no right: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
 */

/** The fields of a kind under spec and status, as paths such as `spec.rules[].hosts`. */
export interface KindFields {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly fields: readonly string[];
}

export interface FieldDifference {
  readonly kind: string;
  /** This version knows them and the cluster prunes them: its CRD is older. */
  readonly missing: readonly string[];
  /** The cluster has them and this version ignores them: its CRD is newer. */
  readonly unknown: readonly string[];
}

/** As much of a schema as it takes to list its fields. */
export interface FieldSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly kind: string }[];
}

interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, FieldSchema>> };
}

/** The fields of a kind under spec and status. */
export function listFields({ properties = {} }: FieldSchema): readonly string[] {
  return ['spec', 'status'].flatMap((name) => listBelow(properties[name] ?? {}, name)).toSorted();
}

function listBelow(schema: FieldSchema, path: string): readonly string[] {
  const { properties = {}, items, additionalProperties } = schema;
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const below = `${path}.${name}`;
    return [below, ...listBelow(property, below)];
  });
  const inItems = items === undefined ? [] : listBelow(items, `${path}[]`);
  const inMap =
    typeof additionalProperties === 'object' ? listBelow(additionalProperties, `${path}.*`) : [];
  return [...own, ...inItems, ...inMap];
}

/** None for a kind that the cluster does not serve. Throws KubeError if the document cannot be read. */
export async function findFieldDifference(
  client: KubeClient,
  { group, version, kind, fields }: KindFields,
): Promise<FieldDifference> {
  const path = `/openapi/v3/apis/${group}/${version}`;
  const document = await client.request<OpenApiDocument>({ method: 'GET', path });
  const schemas = Object.values(document.components?.schemas ?? {});
  const schema = schemas.find((one) =>
    one['x-kubernetes-group-version-kind']?.some((served) => served.kind === kind),
  );
  if (schema === undefined) return { kind, missing: [], unknown: [] };
  const served = listFields(schema);
  return {
    kind,
    missing: fields.filter((field) => !served.includes(field)),
    unknown: served.filter((field) => !fields.includes(field)),
  };
}
