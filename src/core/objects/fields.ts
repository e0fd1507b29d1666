import { isDeepStrictEqual } from 'node:util';

/** The way to one field of an object, such as `['spec', 'replicas']`; no lists on the way. */
export type FieldPath = readonly string[];

/**
 * A copy of `fields` without the field at `path`, and without what holds nothing else; `fields`
 * itself where there is no such field.
 */
export function omitField<T extends object>(fields: T, path: FieldPath): T {
  const [field, ...rest] = path;
  if (field === undefined || !(field in fields)) return fields;
  const { [field]: inner, ...others } = fields as Record<string, unknown>;
  if (rest.length === 0) return others as T;
  if (typeof inner !== 'object' || inner === null) return fields;
  const kept = omitField(inner, rest);
  if (kept === inner) return fields;
  return (Object.keys(kept).length === 0 ? others : { ...fields, [field]: kept }) as T;
}

type OmitUndefined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> };

/** Leaves out the fields that are undefined. */
export function omitUndefined<T extends object>(fields: T): OmitUndefined<T> {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as OmitUndefined<T>;
}

/**
 * Lists where `observed` differs from `desired`, as paths: `spec.template.spec.containers[app].image`.
 * Fields that the server or others have added are no difference. In a list whose desired
 * items all have a `name`, items are found by it and others may stand between them, as server-side
 * apply merges such lists; any other list must match item by item.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
export function diffFields(observed: unknown, desired: unknown, path = ''): readonly string[] {
  if (Array.isArray(desired)) return diffLists(observed, desired, path);
  if (!isFields(desired)) return isDeepStrictEqual(observed, desired) ? [] : [path];
  if (!isFields(observed)) return [path];
  return Object.entries(desired).flatMap(([field, value]) =>
    diffFields(observed[field], value, path === '' ? field : `${path}.${field}`),
  );
}

type Fields = Readonly<Record<string, unknown>>;
type Named = Fields & { readonly name: string };

function diffLists(
  observed: unknown,
  desired: readonly unknown[],
  path: string,
): readonly string[] {
  if (!Array.isArray(observed)) return [path];
  if (desired.length > 0 && desired.every(isNamed)) return diffNamedItems(observed, desired, path);
  if (observed.length !== desired.length) return [path];
  return desired.flatMap((item, index) => diffFields(observed[index], item, `${path}[${index}]`));
}

function diffNamedItems(
  observed: readonly unknown[],
  desired: readonly Named[],
  path: string,
): readonly string[] {
  return desired.flatMap((item) => {
    const match = observed.find((candidate) => isNamed(candidate) && candidate.name === item.name);
    return diffFields(match, item, `${path}[${item.name}]`);
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): value is Named {
  return isFields(value) && typeof value['name'] === 'string';
}

/** Freezes a plain object and everything in it, once: what is frozen already is left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
