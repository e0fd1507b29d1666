/** A Map keeps the order of insertion: the first entry is the one not asked for the longest. */
export function forgetOldest<V>(entries: Map<string, V>): V | undefined {
  const oldest = entries.entries().next().value;
  if (!oldest) return undefined;
  entries.delete(oldest[0]);
  return oldest[1];
}
