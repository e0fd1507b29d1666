/** The way to one field of an object, such as `['spec', 'replicas']`; no lists on the way. */
export type FieldPath = readonly string[];

/**
 * A copy of `fields` without the field at `path`, and without what holds nothing else; `fields`
 * itself where there is no such field.
 */
export function withoutField<T extends object>(fields: T, path: FieldPath): T {
  const [field, ...rest] = path;
  if (field === undefined || !(field in fields)) return fields;
  const { [field]: inner, ...others } = fields as Record<string, unknown>;
  if (rest.length === 0) return others as T;
  if (typeof inner !== 'object' || inner === null) return fields;
  const kept = withoutField(inner, rest);
  if (kept === inner) return fields;
  return (Object.keys(kept).length === 0 ? others : { ...fields, [field]: kept }) as T;
}
