import { type AxisScale, createRoundScale, createScale } from './axis-scale.ts';
import { rounded } from './statistics.ts';

/** A chart of a few lines, as SVG. */
export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** The first one sets the ticks of the x axis; at most four besides limits. */
  readonly series: readonly Series[];
  /** Where and when it was measured; a line each. */
  readonly captions?: readonly string[];
}

interface Axis {
  readonly label: string;
  /** By powers of ten; then no value is 0. */
  readonly isLogarithmic?: boolean;
}

export interface Series {
  readonly name: string;
  /** A second line below the name. */
  readonly note?: string;
  /** Of x and y. */
  readonly points: readonly (readonly [number, number])[];
  /** Given by others and not measured: grey, without marks. */
  readonly isLimit?: boolean;
}

const WIDTH = 760;
const FRAME = { left: 60, top: 56, right: 480, bottom: 300 } as const;
const CAPTION_HEIGHT = 18;
const LEGEND = { left: FRAME.right + 20, line: 32, gap: 40 } as const;

/**
 * Of Okabe and Ito, which people of every kind of colour vision tell apart (https://jfly.uni-koeln.de/color/);
 * a dash and a mark of its own tell the line without any colour.
 */
const STYLES = [
  { light: '#0072B2', dark: '#56B4E9', dash: '', mark: 'M-4,-4h8v8h-8z' },
  { light: '#D55E00', dark: '#E69F00', dash: '8 4', mark: 'M0,-5l5,9h-10z' },
  { light: '#8A4F73', dark: '#CC79A7', dash: '2 3', mark: 'M0,-5l5,5l-5,5l-5,-5z' },
  { light: '#00684C', dark: '#2BC795', dash: '10 3 2 3', mark: 'M-4,-4l8,8m0,-8l-8,8' },
] as const;
const LIMIT_DASH = '1 4';

/** Readable on light and dark pages, whichever the reader's system prefers; with the numbers as its description. */
export function drawChart(chart: Chart): string {
  const scale = createScales(chart);
  const { captions = [] } = chart;
  const height = FRAME.bottom + 60 + CAPTION_HEIGHT * captions.length;
  const parts = [
    text({ x: FRAME.left, y: 24, size: 16 }, chart.title),
    text({ x: FRAME.left, y: 44, kind: 'quiet' }, chart.y.label),
    ...drawAxes(chart, scale),
    ...placeLegend(chart, scale).flatMap((line) => drawSeries(scale, line)),
    ...captions.map((caption, index) =>
      text({ x: 12, y: FRAME.bottom + 64 + CAPTION_HEIGHT * index, kind: 'quiet' }, caption),
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${escape(chart.title)}</title>
<desc>
${escape(describeNumbers(chart))}
</desc>
<style>
${style()}
</style>
<rect class="page" width="${WIDTH}" height="${height}"/>
${parts.join('\n')}
</svg>
`;
}

/** A line for each x, and one of names before them; cells are split by a semicolon. */
function describeNumbers({ x, series, captions = [] }: Chart): string {
  const values = series.flatMap(({ points }) => points.map(([value]) => value));
  const rows = [...new Set(values)]
    .toSorted((one, other) => one - other)
    .map((value) => [String(value), ...series.map((one) => readNumber(one, value))]);
  const names = series.map(({ name, note }) => (note === undefined ? name : `${name}, ${note}`));
  return [[x.label, ...names], ...rows, captions].map((row) => row.join('; ')).join('\n');
}

function readNumber({ points }: Series, at: number): string {
  const [, value] = points.find(([x]) => x === at) ?? [];
  return value === undefined ? '' : rounded(value);
}

interface Scales {
  readonly x: AxisScale;
  readonly y: AxisScale;
  readonly xOf: (value: number) => number;
  readonly yOf: (value: number) => number;
}

function createScales(chart: Chart): Scales {
  const points = chart.series.flatMap((one) => one.points);
  const values = points.map(([value]) => value);
  const { isLogarithmic: isLogX = false } = chart.x;
  const { isLogarithmic: isLogY = false } = chart.y;
  const x = createScale(Math.min(...values), Math.max(...values), isLogX);
  const y = createRoundScale(
    points.map(([, value]) => value),
    isLogY,
  );
  const { left, right, top, bottom } = FRAME;
  return {
    x: { ...x, ticks: chart.series[0]?.points.map(([value]) => value) ?? [] },
    y,
    xOf: (value) => left + x.placeOf(value) * (right - left),
    yOf: (value) => bottom - y.placeOf(value) * (bottom - top),
  };
}

function drawAxes(chart: Chart, { x, y, xOf, yOf }: Scales): readonly string[] {
  const { left, right, bottom } = FRAME;
  return [
    ...y.ticks.flatMap((tick) => [
      `<path class="grid" d="M${left},${round(yOf(tick))}H${right}"/>`,
      text({ x: left - 8, y: yOf(tick) + 4, anchor: 'end', kind: 'quiet' }, writeNumber(tick)),
    ]),
    ...x.ticks.map((value) =>
      text({ x: xOf(value), y: bottom + 20, anchor: 'middle', kind: 'quiet' }, writeNumber(value)),
    ),
    text({ x: (left + right) / 2, y: bottom + 40, anchor: 'middle', kind: 'quiet' }, chart.x.label),
  ];
}

function writeNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}

interface Line {
  readonly series: Series;
  readonly look: Look;
  /** Of its name. */
  readonly top: number;
}

interface Look {
  readonly name: string;
  readonly dash: string;
  readonly mark?: string;
}

/** Each name next to the end of its line, as far as the names leave each other room. */
function placeLegend({ series }: Chart, { yOf }: Scales): readonly Line[] {
  const looks = listLooks(series);
  const ends = series.map(({ points }) => yOf(points.at(-1)?.[1] ?? 0));
  const order = series.map((_, index) => index).toSorted((a, b) => (ends[a] ?? 0) - (ends[b] ?? 0));
  const tops = spread(order.map((index) => ends[index] ?? 0));
  return series.map((one, index) => ({
    series: one,
    look: looks[index] ?? { name: 'limit', dash: LIMIT_DASH },
    top: tops[order.indexOf(index)] ?? FRAME.top,
  }));
}

function listLooks(series: readonly Series[]): readonly Look[] {
  const measured = series.filter(({ isLimit }) => isLimit !== true);
  return series.map((one) => {
    const index = measured.indexOf(one);
    const { dash, mark } = STYLES[index % STYLES.length] ?? STYLES[0];
    return index < 0 ? { name: 'limit', dash: LIMIT_DASH } : { name: `s${index}`, dash, mark };
  });
}

/** Down to where there is room, and up again from the bottom of the frame. */
function spread(ascending: readonly number[]): readonly number[] {
  const tops: number[] = [];
  for (const top of ascending) tops.push(Math.max(top, (tops.at(-1) ?? 0) + LEGEND.gap));
  for (let index = tops.length - 1; index >= 0; index--) {
    const below = tops[index + 1] ?? FRAME.bottom + LEGEND.gap;
    tops[index] = Math.min(tops[index] ?? 0, below - LEGEND.gap);
  }
  return tops;
}

function drawSeries({ xOf, yOf }: Scales, { series, look, top }: Line): readonly string[] {
  const places = series.points
    .toSorted(([one], [other]) => one - other)
    .map(([x, y]) => `${round(xOf(x))},${round(yOf(y))}`);
  const dash = look.dash === '' ? '' : ` stroke-dasharray="${look.dash}"`;
  const drawLine = (d: string): string => `<path class="line ${look.name}"${dash} d="${d}"/>`;
  const drawMark = (place: string): string =>
    `<path class="mark ${look.name}" transform="translate(${place})" d="${look.mark}"/>`;
  const { left, line } = LEGEND;
  const marked = [...places, `${left + line / 2},${round(top)}`];
  const words = { x: left + line + 8, y: top + 4 };
  return [
    drawLine(`M${places.join('L')}`),
    drawLine(`M${left},${round(top)}h${line}`),
    ...(look.mark === undefined ? [] : marked.map(drawMark)),
    text(words, series.name),
    ...(series.note === undefined
      ? []
      : [text({ ...words, y: words.y + 15, size: 11, kind: 'quiet' }, series.note)]),
  ];
}

function style(): string {
  const rules = (shade: 'light' | 'dark'): string =>
    STYLES.map((one, index) => `.s${index} { stroke: ${one[shade]}; }`).join(' ');
  return `.page { fill: #ffffff; } text { fill: #1f2328; } .quiet { fill: #57606a; } .grid { stroke: #d0d7de; }
.line { fill: none; stroke-width: 2; } .mark { fill: none; stroke-width: 2; } .limit { stroke: #57606a; }
${rules('light')}
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; } text { fill: #e6edf3; } .quiet { fill: #9198a1; } .grid { stroke: #3d444d; } .limit { stroke: #9198a1; }
${rules('dark')}
}`;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly anchor?: 'middle' | 'end';
  readonly kind?: 'quiet';
}

function text({ x, y, size, anchor, kind }: Place, words: string): string {
  const attributes = [
    ...[`x="${round(x)}"`, `y="${round(y)}"`],
    ...(size === undefined ? [] : [`font-size="${size}"`]),
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
    ...(kind === undefined ? [] : [`class="${kind}"`]),
  ];
  return `<text ${attributes.join(' ')}>${escape(words)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
