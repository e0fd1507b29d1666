import { shorten } from '../output/table.ts';

/** Text in the width of a box, in pixels; pure. A nested <svg> clips what is wider than estimated. */

/** Widths of a character of a name, which is bold, and of a note. */
const CHARACTER = { name: 7.2, note: 6.1 };
/** Beside the text: of a name with its mark, and of a note. */
const PADDING = { name: 40, note: 20 };

export function fitName(name: string, width: number): string {
  return shorten(name, Math.floor((width - PADDING.name) / CHARACTER.name));
}

/** Each note begins a line, and goes on in others as long as there are no more than `most` in all. */
export function wrapNotes(
  notes: readonly string[],
  { width, most }: { readonly width: number; readonly most: number },
): readonly string[] {
  const room = Math.floor((width - PADDING.note) / CHARACTER.note);
  const lines: string[] = [];
  for (const [index, note] of notes.entries()) {
    const taken = lines.length + notes.length - index - 1;
    lines.push(...wrapNote(note, room, Math.max(1, most - taken)));
  }
  return lines;
}

function wrapNote(note: string, room: number, most: number): readonly string[] {
  const lines: string[] = [];
  let rest = note;
  while (lines.length < most - 1 && rest.length > room) {
    const line = takeLine(rest, room);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length);
  }
  return [...lines, shorten(rest, room)];
}

/** Where a line may end in its second half, the best first: after a word; inside a name or a path. */
const BREAKS = [/^.* /s, /^.*[,./-]/s];

function takeLine(text: string, room: number): string {
  const head = text.slice(0, room);
  const broken = BREAKS.map((pattern) => pattern.exec(head)?.[0] ?? '');
  const best = broken.find(({ length }) => length > room / 2);
  if (best !== undefined) return best;
  return head.isWellFormed() || room < 2 ? head : head.slice(0, -1);
}
