/** What one page holds, and where the next begins. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Reads every page. */
export async function readPages<T>(
  read: (marker: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let marker: string | undefined;
  do {
    const { items, next } = await read(marker);
    all.push(...items);
    marker = next;
  } while (marker);
  return all;
}
