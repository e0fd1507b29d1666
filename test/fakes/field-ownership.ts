import { type Fields, isFields } from '../../src/core/objects/fields.ts';

/**
 * Server-side apply for one field manager: states `next` over `live` and removes what the manager
 * stated `before` and no longer does. Fields of others stay; a list is one value, and so is a selector.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function applyFields(live: Fields, before: Fields, next: Fields): Fields {
  const result: Record<string, unknown> = { ...live };
  for (const [field, value] of Object.entries(before)) {
    if (!(field in next)) dropField(result, field, value);
  }
  for (const [field, value] of Object.entries(next)) {
    result[field] =
      isFields(value) && !['selector', 'podSelector'].includes(field)
        ? applyFields(fieldsOf(live[field]), fieldsOf(before[field]), value)
        : value;
  }
  return result;
}

/** A map loses only the entries that the manager itself had stated. */
function dropField(result: Record<string, unknown>, field: string, stated: unknown): void {
  const live = result[field];
  if (isFields(stated) && isFields(live)) {
    const rest = applyFields(live, stated, {});
    if (Object.keys(rest).length > 0) {
      result[field] = rest;
      return;
    }
  }
  delete result[field];
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
