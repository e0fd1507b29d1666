export type Fields = Readonly<Record<string, unknown>>;

/** The merge patch that makes `to` of `from`; neither has a null. https://www.rfc-editor.org/rfc/rfc7396 */
export function mergePatchOf(from: Fields, to: Fields): Fields {
  const removed = Object.keys(from).filter((field) => to[field] === undefined);
  const kept = Object.entries(to).map(([field, value]) => {
    const old = from[field];
    return [field, isFields(value) && isFields(old) ? mergePatchOf(old, value) : value];
  });
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
}

/** Whether `fields` has any of those that the patch removes. */
export function holdsRemoved(fields: Fields, patch: Fields): boolean {
  return Object.entries(patch).some(([field, value]) => {
    const held = fields[field];
    return value === null
      ? held !== undefined
      : isFields(value) && isFields(held) && holdsRemoved(held, value);
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
