/** Pieces of at most `size`, in order; none of no items. */
export function cut<T>(items: readonly T[], size: number): T[][] {
  const parts = Math.ceil(items.length / size);
  return Array.from({ length: parts }, (_, part) => items.slice(part * size, (part + 1) * size));
}

/** Puts a member into the slot of an index. */
export function addTo<K, T>(index: Map<K, Set<T>>, slot: K, member: T): void {
  index.set(slot, (index.get(slot) ?? new Set()).add(member));
}

/** Takes it out again; a slot without members is not kept. */
export function removeFrom<K, T>(index: Map<K, Set<T>>, slot: K, member: T): void {
  const members = index.get(slot);
  members?.delete(member);
  if (members?.size === 0) index.delete(slot);
}
