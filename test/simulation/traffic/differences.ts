import { isDeepStrictEqual } from 'node:util';

/** One sentence for each field of `desired` that is another one in `actual`. */
export function listDifferences(
  what: string,
  actual: Readonly<Record<string, unknown>>,
  desired: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.keys(desired)
    .filter((field) => !isDeepStrictEqual(actual[field], desired[field]))
    .map((field) => {
      const is = JSON.stringify(actual[field]);
      return `${field} of ${what} is ${is}, desired ${JSON.stringify(desired[field])}`;
    });
}
