import { isDeepStrictEqual } from 'node:util';

/**
 * Where `seen` does not say what `wanted` states, as paths: `spec.template.spec.containers[app].image`.
 * What the server or others have added beside it is theirs and no difference. In a list whose wanted
 * items all have a `name`, items are found by it and others may stand between them, as server-side
 * apply merges such lists; any other list must match item by item.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
export function differencesBetween(seen: unknown, wanted: unknown, path = ''): readonly string[] {
  if (Array.isArray(wanted)) return listDifferences(seen, wanted, path);
  if (!isFields(wanted)) return isDeepStrictEqual(seen, wanted) ? [] : [path];
  if (!isFields(seen)) return [path];
  return Object.entries(wanted).flatMap(([field, value]) =>
    differencesBetween(seen[field], value, path === '' ? field : `${path}.${field}`),
  );
}

type Fields = Readonly<Record<string, unknown>>;
type Named = Fields & { readonly name: string };

function listDifferences(
  seen: unknown,
  wanted: readonly unknown[],
  path: string,
): readonly string[] {
  if (!Array.isArray(seen)) return [path];
  if (wanted.length > 0 && wanted.every(isNamed)) return namedDifferences(seen, wanted, path);
  if (seen.length !== wanted.length) return [path];
  return wanted.flatMap((item, index) =>
    differencesBetween(seen[index], item, `${path}[${index}]`),
  );
}

function namedDifferences(
  seen: readonly unknown[],
  wanted: readonly Named[],
  path: string,
): readonly string[] {
  return wanted.flatMap((item) => {
    const match = seen.find((candidate) => isNamed(candidate) && candidate.name === item.name);
    return differencesBetween(match, item, `${path}[${item.name}]`);
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): value is Named {
  return isFields(value) && typeof value['name'] === 'string';
}
