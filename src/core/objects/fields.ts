import { isDeepStrictEqual } from 'node:util';
import { isSameQuantity } from './quantities.ts';

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

/** Leaves out the entries of these keys. */
export function omitKeys<T>(
  record: Readonly<Record<string, T>>,
  keys: readonly string[],
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/**
 * Lists where `observed` differs from `desired`, as paths: `spec.template.spec.containers[app].image`.
 * Fields that the server or others have added are no difference, nor is a value that the server stores in
 * another form. In a list whose desired items have a `name` each, items are found by it and others may
 * stand between them, as server-side apply merges such lists; any other list must match item by item.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
export function diffFields(observed: unknown, desired: unknown, path = ''): readonly string[] {
  if (observed === undefined && isOmitted(desired, path)) return [];
  if (Array.isArray(desired)) return diffLists(observed, desired, path);
  if (!isFields(desired)) return isSameValue(observed, desired, path) ? [] : [path];
  return isFields(observed) ? diffEntries(observed, desired, path) : [path];
}

function diffEntries(observed: Fields, desired: Fields, path: string): readonly string[] {
  const differences = Object.entries(desired).flatMap(([field, value]) =>
    diffFields(observed[field], value, path === '' ? field : `${path}.${field}`),
  );
  if (differences.length > 0 || !isSelector(path, desired)) return differences;
  return isDeepStrictEqual(observed, desired) ? [] : [path];
}

/**
 * A map of labels has one owner as a whole, and with one more label selects less:
 * https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/#ServiceSpec
 * One with `matchLabels` cannot be changed, so what a webhook has added at the creation is no difference.
 */
function isSelector(path: string, { matchLabels }: Fields): boolean {
  return ['spec.selector', 'spec.podSelector'].includes(path) && matchLabels === undefined;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
const TRUE_BY_DEFAULT =
  /\.(?:automountServiceAccountToken|allowPrivilegeEscalation|enableServiceLinks|hostUsers)$/;

/** The server leaves out what says nothing: an empty text or list, and `false` where that is the default. */
function isOmitted(desired: unknown, path: string): boolean {
  if (desired === false) return !TRUE_BY_DEFAULT.test(path);
  if (desired === '' || desired === 0) return true;
  if (Array.isArray(desired)) return desired.length === 0;
  return isFields(desired) && IS_MAP.test(path) && Object.keys(desired).length === 0;
}

/** An empty object says something elsewhere, as `emptyDir: {}`. */
const IS_MAP = /\.(?:limits|requests|nodeSelector|labels|annotations|matchLabels)$/;
/** Names of extended resources have dots. */
const IS_QUANTITY = /(?:^|\.)resources\.(?:limits|requests)\.[^[\]]*$|\.(?:sizeLimit|divisor)$/;

function isSameValue(observed: unknown, desired: unknown, path: string): boolean {
  if (isDeepStrictEqual(observed, desired)) return true;
  return IS_QUANTITY.test(path) && isSameQuantity(observed, desired);
}

/** A part of a Kubernetes object of which not every field is known here. */
export type Fields = Readonly<Record<string, unknown>>;
type Named = Fields & { readonly name: string };

function diffLists(
  observed: unknown,
  desired: readonly unknown[],
  path: string,
): readonly string[] {
  if (!Array.isArray(observed)) return [path];
  if (areNamed(desired)) return diffNamedItems(observed, desired, path);
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

/** Mounts have the name of their volume, which may be mounted twice. */
function areNamed(items: readonly unknown[]): items is readonly Named[] {
  if (items.length === 0 || !items.every(isNamed)) return false;
  return new Set(items.map(({ name }) => name)).size === items.length;
}

/** Whether the value is an object with fields, and no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): value is Named {
  return isFields(value) && typeof value['name'] === 'string';
}

/** The fields of an object; none of anything else. */
export function toFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Freezes a plain object and everything in it, once: what is frozen already is left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
