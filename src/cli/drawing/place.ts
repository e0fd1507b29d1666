import { type Box, COLUMNS, type Column, type Graph, type Line } from './graph.ts';
import { wrapNotes } from './text.ts';

/** Where each box is, in pixels; pure. */

interface SizedBox extends Box {
  readonly width: number;
  readonly height: number;
  /** As many of its notes as have room. */
  readonly texts: readonly string[];
}

export interface PlacedBox extends SizedBox {
  readonly x: number;
  readonly y: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** From the right edge of a box to the left edge of another one. */
export interface PlacedLine {
  readonly start: Point;
  readonly end: Point;
  readonly label?: string;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly PlacedLine[];
}

/** Of a box with a name and one note. */
const BOX_HEIGHT = 46;
/** Of each further note. */
export const LINE_HEIGHT = 14;
/** Between boxes. */
const SPACE = 12;
const GAP = 40;
/** Between labelled lines where they begin. */
const LABEL_STEP = 13;
const MARGIN = 8;
const WIDTHS: Readonly<Record<Column, number>> = {
  balancer: 180,
  listener: 114,
  rule: 225,
  backend: 230,
  target: 215,
};
/** Lines of notes. */
const MOST_LINES: Readonly<Record<Column, number>> = {
  balancer: 4,
  listener: 3,
  rule: 3,
  backend: 3,
  target: 2,
};

/** Rules and targets are stacked; every other box stands beside those that it leads to. */
export function placeGraph({ boxes, lines }: Graph): Placed {
  const sized = boxes.map(sizeBox);
  const progress = { lines, tops: new Map<string, number>(), byId: mapById(sized) };
  const inColumn = (column: Column): readonly SizedBox[] =>
    sized.filter((box) => box.column === column);
  stackTargets(inColumn('backend'), progress);
  placeBeside(inColumn('backend'), progress);
  stack(inColumn('rule'), 0, progress);
  placeBeside(inColumn('listener'), progress);
  placeBeside(inColumn('balancer'), progress);
  const lefts = listLefts(boxes);
  const placed = sized.map((box) => ({
    ...box,
    x: lefts.get(box.column) ?? 0,
    y: MARGIN + (progress.tops.get(box.id) ?? 0),
  }));
  const width = Math.max(...placed.map((box) => box.x + box.width)) + MARGIN;
  const height = Math.max(...placed.map((box) => box.y + box.height)) + MARGIN;
  return { width, height, boxes: placed, lines: placeLines(lines, placed) };
}

function sizeBox(box: Box): SizedBox {
  const width = WIDTHS[box.column];
  const texts = wrapNotes(box.notes, { width, most: MOST_LINES[box.column] });
  return { ...box, width, texts, height: BOX_HEIGHT + Math.max(0, texts.length - 1) * LINE_HEIGHT };
}

function mapById<T extends Box>(boxes: readonly T[]): ReadonlyMap<string, T> {
  return new Map(boxes.map((box) => [box.id, box]));
}

/** Labelled lines of one box begin below each other, in the order of their ends: so no label is on another one. */
function placeLines(lines: readonly Line[], boxes: readonly PlacedBox[]): readonly PlacedLine[] {
  const byId = mapById(boxes);
  const middle = ({ y, height }: PlacedBox): number => y + height / 2;
  const ways = lines.flatMap(({ from, to, ...rest }) => {
    const [source, goal] = [byId.get(from), byId.get(to)];
    return source && goal ? [{ source, goal, ...rest }] : [];
  });
  const labelled = ways.filter(({ label }) => label !== undefined);
  const bySource = Map.groupBy(labelled, ({ source }) => source);
  for (const group of bySource.values()) group.sort((a, b) => a.goal.y - b.goal.y);
  return ways.map((way) => {
    const { source, goal, ...rest } = way;
    const group = bySource.get(source) ?? [];
    const step = Math.min(LABEL_STEP, source.height / group.length);
    const offset = spread(group.indexOf(way), group.length) * step;
    const start = { x: source.x + source.width, y: middle(source) + offset };
    return { start, end: { x: goal.x, y: middle(goal) }, ...rest };
  });
}

/** Steps from the middle; 0 for a line without a label. */
function spread(index: number, count: number): number {
  return index < 0 ? 0 : index - (count - 1) / 2;
}

interface Progress {
  readonly lines: readonly Line[];
  readonly byId: ReadonlyMap<string, SizedBox>;
  readonly tops: Map<string, number>;
}

/** Below each other, from `top` on. Returns where the next one would be. */
function stack(boxes: readonly SizedBox[], top: number, { tops }: Progress): number {
  let next = top;
  for (const { id, height } of boxes) {
    tops.set(id, next);
    next += height + SPACE;
  }
  return next;
}

/** The targets of each backend below each other, and no fewer pixels than the backend takes. */
function stackTargets(backends: readonly SizedBox[], progress: Progress): void {
  let next = 0;
  for (const backend of backends) {
    const targets = listNext(backend, progress);
    const least = next + backend.height + SPACE;
    const taken = targets.reduce((sum, { height }) => sum + height + SPACE, next);
    stack(targets, next + Math.max(0, least - taken) / 2, progress);
    if (targets.length === 0) progress.tops.set(backend.id, next);
    next = Math.max(least, taken);
  }
}

function listNext({ id }: Box, { lines, byId }: Progress): readonly SizedBox[] {
  return lines.flatMap(({ from, to }) => (from === id ? (byId.get(to) ?? []) : []));
}

/** At the mean height of what a box leads to, and below the box before it. */
function placeBeside(boxes: readonly SizedBox[], progress: Progress): void {
  const { tops } = progress;
  const means = boxes.map((box) => {
    const middles = listNext(box, progress).map(
      ({ id, height }) => (tops.get(id) ?? 0) + height / 2,
    );
    const mean = middles.reduce((sum, middle) => sum + middle, 0) / middles.length;
    return { box, top: middles.length === 0 ? (tops.get(box.id) ?? 0) : mean - box.height / 2 };
  });
  let free = 0;
  for (const { box, top } of means.toSorted((a, b) => a.top - b.top))
    free = stack([box], Math.max(free, top), progress);
}

/** Of the columns that have boxes. */
function listLefts(boxes: readonly Box[]): ReadonlyMap<Column, number> {
  const lefts = new Map<Column, number>();
  let left = MARGIN;
  for (const column of COLUMNS) {
    if (!boxes.some((box) => box.column === column)) continue;
    lefts.set(column, left);
    left += WIDTHS[column] + GAP;
  }
  return lefts;
}
