import { type Box, COLUMNS, type Column, type Graph, type Line } from './graph.ts';

/** Where each box is, in pixels; pure. */

export interface PlacedBox extends Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Point {
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

export const BOX_HEIGHT = 46;
const STEP = BOX_HEIGHT + 12;
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

/** Rules and targets are stacked; every other box stands beside those that it leads to. */
export function placeGraph({ boxes, lines }: Graph): Placed {
  const tops = new Map<string, number>();
  const inColumn = (column: Column): readonly Box[] => boxes.filter((box) => box.column === column);
  const beside = (column: Column): void => placeBeside(inColumn(column), { lines, tops });
  stackTargets(inColumn('backend'), { lines, tops });
  beside('backend');
  for (const [index, { id }] of inColumn('rule').entries()) tops.set(id, index * STEP);
  beside('listener');
  beside('balancer');
  const height = Math.max(...tops.values()) + BOX_HEIGHT;
  const lefts = listLefts(boxes);
  const placed = boxes.map((box) => ({
    ...box,
    x: lefts.get(box.column) ?? 0,
    y: MARGIN + (tops.get(box.id) ?? 0),
    width: WIDTHS[box.column],
  }));
  const width = Math.max(...placed.map((box) => box.x + box.width)) + MARGIN;
  return { width, height: height + 2 * MARGIN, boxes: placed, lines: placeLines(lines, placed) };
}

/** Labelled lines of one box begin below each other, in the order of their ends: so no label is on another one. */
function placeLines(lines: readonly Line[], boxes: readonly PlacedBox[]): readonly PlacedLine[] {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const middle = ({ y }: PlacedBox): number => y + BOX_HEIGHT / 2;
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
    const offset = spread(group.indexOf(way), group.length);
    const start = { x: source.x + source.width, y: middle(source) + offset };
    return { start, end: { x: goal.x, y: middle(goal) }, ...rest };
  });
}

/** Around the middle of a box; 0 for a line without a label. */
function spread(index: number, count: number): number {
  if (index < 0) return 0;
  return (index - (count - 1) / 2) * Math.min(LABEL_STEP, BOX_HEIGHT / count);
}

interface Progress {
  readonly lines: readonly Line[];
  readonly tops: Map<string, number>;
}

/** The targets of each backend below each other; one without any takes the room of one. */
function stackTargets(backends: readonly Box[], { lines, tops }: Progress): void {
  let next = 0;
  for (const { id } of backends) {
    const targets = lines.filter(({ from }) => from === id);
    for (const [index, { to }] of targets.entries()) tops.set(to, (next + index) * STEP);
    if (targets.length === 0) tops.set(id, next * STEP);
    next += Math.max(1, targets.length);
  }
}

/** At the mean height of what a box leads to, and below the box before it. */
function placeBeside(boxes: readonly Box[], { lines, tops }: Progress): void {
  const wanted = boxes.map(({ id }) => {
    const heights = lines.flatMap(({ from, to }) => (from === id ? (tops.get(to) ?? []) : []));
    const mean = heights.reduce((sum, height) => sum + height, 0) / heights.length;
    return { id, top: heights.length === 0 ? (tops.get(id) ?? 0) : mean };
  });
  let free = 0;
  for (const { id, top } of wanted.toSorted((a, b) => a.top - b.top)) {
    tops.set(id, Math.max(free, top));
    free = (tops.get(id) ?? 0) + STEP;
  }
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
