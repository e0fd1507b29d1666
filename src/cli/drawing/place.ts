import { type Box, COLUMNS, type Column, type Graph, type Line } from './graph.ts';

/** Where each box is, in pixels; pure. */

export interface PlacedBox extends Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly Line[];
}

export const BOX_HEIGHT = 46;
const STEP = BOX_HEIGHT + 12;
const GAP = 48;
const MARGIN = 8;
const WIDTHS: Readonly<Record<Column, number>> = {
  balancer: 190,
  listener: 120,
  rule: 235,
  backend: 230,
  target: 225,
};

/** Rules and targets are stacked; every other box stands beside those that it leads to. */
export function placeGraph({ boxes, lines }: Graph): Placed {
  const tops = new Map<string, number>();
  const listColumn = (column: Column): readonly Box[] =>
    boxes.filter((box) => box.column === column);
  const placeColumn = (column: Column): void => placeBeside(listColumn(column), { lines, tops });
  stackTargets(listColumn('backend'), { lines, tops });
  placeColumn('backend');
  for (const [index, { id }] of listColumn('rule').entries()) tops.set(id, index * STEP);
  placeColumn('listener');
  placeColumn('balancer');
  const height = Math.max(...tops.values()) + BOX_HEIGHT;
  const lefts = listLefts(boxes);
  const placed = boxes.map((box) => ({
    ...box,
    x: lefts.get(box.column) ?? 0,
    y: MARGIN + (tops.get(box.id) ?? 0),
    width: WIDTHS[box.column],
  }));
  const width = Math.max(...placed.map((box) => box.x + box.width)) + MARGIN;
  return { width, height: height + 2 * MARGIN, boxes: placed, lines };
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
  const means = boxes.map(({ id }) => {
    const heights = lines.flatMap(({ from, to }) => (from === id ? (tops.get(to) ?? []) : []));
    const mean = heights.reduce((sum, height) => sum + height, 0) / heights.length;
    return { id, top: heights.length === 0 ? (tops.get(id) ?? 0) : mean };
  });
  let free = 0;
  for (const { id, top } of means.toSorted((a, b) => a.top - b.top)) {
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
