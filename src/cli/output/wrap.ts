import { countCharacters, formatTable } from './table.ts';

/** Lines for a terminal: words are never cut, so that an ARN can be copied; a longer one gets a line of its own. */

export interface Page {
  /** Characters in a line; undefined where the output is not a terminal, and lines may be long. */
  readonly columns: number | undefined;
  /** The beginning of each further line. */
  readonly indent: string;
}

/** Where an indentation leaves less, text begins at the left margin. */
const LEAST_ROOM = 20;
const MARGIN = '  ';
/** With the blanks before it. What is painted in one piece stays on one line. */
const WORD = /( *)((?:\p{Cc}\[\d+m[^\p{Cc}]*\p{Cc}\[0m|[^ ])+)/gu;

/** One line of text as one or several. */
export function wrapLine(line: string, { columns, indent }: Page): string {
  if (columns === undefined || countCharacters(line) <= columns) return line;
  const hanging = columns - countCharacters(indent) < LEAST_ROOM ? MARGIN : indent;
  const lines: string[] = [];
  let current = '';
  for (const [piece, , word = ''] of line.matchAll(WORD)) {
    const fits = current === '' || countCharacters(current + piece) <= columns;
    if (!fits) lines.push(current);
    current = fits ? current + piece : hanging + word;
  }
  return [...lines, current].join('\n');
}

/** As `formatTable`, with the last column wrapped: in its place, or below the row where a word of it is too long. */
export function wrapTable(
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): string {
  if (columns === undefined) return formatTable(rows);
  const beginnings = formatTable(rows.map((row) => row.slice(0, -1))).split('\n');
  const texts = rows.map((row) => row.at(-1) ?? '');
  const left = Math.max(...beginnings.map(countCharacters)) + MARGIN.length;
  const isBelow = isTooNarrow(columns - left, texts);
  const indent = isBelow ? MARGIN : ' '.repeat(left);
  const lines = texts.map((text, index) => {
    const beginning = beginnings[index] ?? '';
    if (text === '') return beginning;
    if (isBelow) return `${beginning}\n${wrapLine(MARGIN + text, { columns, indent })}`;
    const gap = ' '.repeat(left - countCharacters(beginning));
    return wrapLine(beginning + gap + text, { columns, indent });
  });
  return lines.map((line) => `${line}\n`).join('');
}

function isTooNarrow(room: number, texts: readonly string[]): boolean {
  const longest = Math.max(...texts.map(countCharacters));
  const longestWord = Math.max(...texts.flatMap((text) => text.split(' ').map(countCharacters)));
  return room < Math.min(LEAST_ROOM, longest) || room < longestWord;
}
