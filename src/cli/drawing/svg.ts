import type { MyIngress } from '../../apis/my-ingress.ts';
import { type Markup, markup, NO_MARKUP, trustMarkup } from '../markup/markup.ts';
import type { Column } from './graph.ts';
import { LINE_HEIGHT, type Placed, type PlacedBox, type PlacedLine } from './place.ts';
import { fitName } from './text.ts';

/** The colours and fonts of a drawing; classes begin with `d-`, so that they may stand in a page. */
export const DRAWING_STYLE = `
.drawing{--ink:#1b1f24;--dim:#57606a;--line:#7d8590;--box:#fff;--edge:#d0d7de;--good:#1a7f37;--warning:#9a6700;--bad:#cf222e;font:12px system-ui,"DejaVu Sans",sans-serif}
@media (prefers-color-scheme:dark){.drawing{--ink:#e6edf3;--dim:#9da7b3;--line:#7d8590;--box:#161b22;--edge:#3d444d;--good:#3fb950;--warning:#d29922;--bad:#f85149}}
.drawing .d-line{fill:none;stroke:var(--line)}
.drawing .d-box{fill:var(--box);stroke:var(--edge)}
.drawing .d-name{fill:var(--ink);font-weight:600}
.drawing .d-note{fill:var(--dim);font-size:11px}
.drawing .d-weight{fill:var(--ink);font-size:11px;stroke:var(--box);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
.drawing .d-bar{fill:var(--line)}
.drawing .d-good{fill:var(--good)}
.drawing .d-warning{fill:var(--warning)}
.drawing .d-bad{fill:var(--bad)}
`;

export interface Caption {
  readonly title: string;
  readonly description: string;
}

/** For screen readers. */
export function captionDrawing({ metadata: { namespace, name } }: MyIngress): Caption {
  return {
    title: `The way of a request through MyIngress ${namespace}/${name}`,
    description:
      'Load balancer, listeners, rules in the order of evaluation, backends and targets, from left to right.',
  };
}

/** As a part of a page that has DRAWING_STYLE. */
export function drawInPage(placed: Placed, caption: Caption): Markup {
  return drawWith(placed, caption, NO_MARKUP);
}

/** As a file. */
export function drawFile(placed: Placed, caption: Caption): Markup {
  const style = trustMarkup(`<style>${DRAWING_STYLE}</style>`);
  return markup`${drawWith(placed, caption, style)}\n`;
}

function drawWith(
  { width, height, boxes, lines }: Placed,
  caption: Caption,
  style: Markup,
): Markup {
  return markup`<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="list" aria-labelledby="drawing-title" aria-describedby="drawing-description" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title id="drawing-title">${caption.title}</title><desc id="drawing-description">${caption.description}</desc>${style}${lines.map(drawLine)}${lines.map(drawLabel)}${boxes.map(drawBox)}</svg>`;
}

function drawLine({ start, end }: PlacedLine): Markup {
  const middle = (start.x + end.x) / 2;
  return markup`<path class="d-line" d="M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}"/>`;
}

/** Where its line begins. */
function drawLabel({ start, label }: PlacedLine): Markup {
  if (label === undefined) return NO_MARKUP;
  return markup`<text class="d-weight" x="${start.x + 5}" y="${start.y + 4}">${label}</text>`;
}

/** The meaning of a mark, for the legend and for screen readers. */
export const MARKS = {
  good: { mark: '✓', means: 'as desired' },
  warning: { mark: '!', means: 'in progress or not confirmed' },
  bad: { mark: '✗', means: 'not as desired' },
} as const;

/** A nested <svg> clips what is too long; its title has all of it, also as one item of a screen reader's list. */
function drawBox({ column, name, health, x, y, width, height, ...box }: PlacedBox): Markup {
  const mark =
    health &&
    markup`<text class="d-${health}" x="${width - 18}" y="20">${MARKS[health].mark}</text>`;
  const state = health && `, ${MARKS[health].means}`;
  const notes = [...box.notes, box.aside].filter((note) => note !== undefined && note !== '');
  const texts = box.texts.map(
    (text, index) =>
      markup`<text class="d-note" x="14" y="${36 + index * LINE_HEIGHT}">${text}</text>`,
  );
  return markup`<g role="listitem"><svg role="img" x="${x}" y="${y}" width="${width}" height="${height}"><title>${KINDS[column]} ${name}${state}: ${notes.join(', ')}</title><rect class="d-box" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/><rect class="d-bar d-${health ?? 'unknown'}" x="1" y="6" width="4" height="${height - 12}"/>${mark}<text class="d-name" x="14" y="20">${fitName(name, width)}</text>${texts}</svg></g>`;
}

const KINDS: Readonly<Record<Column, string>> = {
  balancer: 'load balancer',
  listener: 'listener',
  rule: 'rule',
  backend: 'backend',
  target: 'target',
};
