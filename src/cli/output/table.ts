import { stripVTControlCharacters } from 'node:util';

const GAP = '  ';

/** Columns two spaces apart; the last one is as long as it is. Cells may have colours. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, countCharacters(cell));
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) => padEnd(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** A character may have more code units than this, and is then cut. */
const MOST_UNITS = 20;

/** `text`, or its beginning and an ellipsis. Takes no longer for a longer text. */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const head = text.slice(0, MOST_UNITS * maxCharacters);
  const characters = takeCharacters(head, maxCharacters + 1);
  if (head === text && characters.length <= maxCharacters) return text;
  return `${characters.slice(0, Math.max(0, maxCharacters - 1)).join('')}…`;
}

function padEnd(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - countCharacters(cell)));
}

/** Without colours. */
export function countCharacters(cell: string): number {
  return takeCharacters(stripVTControlCharacters(cell), Number.POSITIVE_INFINITY).length;
}

/** As a reader counts them, the first ones. */
function takeCharacters(text: string, most: number): readonly string[] {
  const taken: string[] = [];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (taken.length === most) break;
    taken.push(segment);
  }
  return taken;
}
