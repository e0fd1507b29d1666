/** The first `most` of the texts, and `and 3 more` in place of the rest; the caller joins them. */
export function abridge(texts: readonly string[], most: number): readonly string[] {
  const rest = texts.length - most;
  return rest > 0 ? [...texts.slice(0, most), `and ${rest} more`] : texts;
}
