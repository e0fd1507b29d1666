import type { Labels } from './exposition.ts';
import type { Series } from './monitored.ts';

/** A panel of the dashboard, as far as a picture needs it. */
export interface Panel {
  readonly title: string;
  readonly type: 'stat' | 'timeseries';
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly fieldConfig: {
    readonly defaults: { readonly unit?: string };
    readonly overrides: readonly Override[];
  };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Override {
  readonly matcher: { readonly options: string };
  readonly properties: readonly [{ readonly value: { readonly steps: readonly Step[] } }];
}

interface Step {
  readonly color: string;
  readonly value: number | null;
}

type Point = readonly [seconds: number, value: number];

interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

/** What a query gave, by its expression. */
export type Results = ReadonlyMap<string, readonly Series[]>;

/** In pixels; Grafana's rows have 30 and its gaps 8. */
const [WIDTH, ROW, GAP] = [1200, 30, 8];
const COLOURS = [
  '#56a64b',
  '#e0b400',
  '#3274d9',
  '#e02f44',
  '#ff780a',
  '#8f3bb8',
  '#19a2a2',
  '#7c5c3e',
  '#c15c9c',
  '#5b6470',
];
const STYLE = `
* { box-sizing: border-box; margin: 0; }
body { width: ${WIDTH}px; background: #f4f5f5; color: #24292e; font: 12px/1.3 sans-serif; }
main { position: relative; }
section { position: absolute; display: flex; flex-direction: column; padding: 6px 8px; background: #fff; border: 1px solid #dcdfe2; overflow: hidden; }
h2 { width: fit-content; font-size: 13px; font-weight: 600; white-space: nowrap; }
.stats { flex: 1; display: flex; justify-content: space-around; align-items: center; text-align: center; }
.stats b { display: block; font-size: 30px; }
.chart { flex: 1; position: relative; margin: 8px 4px 18px 64px; min-height: 60px; }
.chart svg { position: absolute; width: 100%; height: 100%; overflow: visible; }
.chart i { position: absolute; font-style: normal; color: #6a7077; white-space: nowrap; }
.y { right: 100%; padding-right: 6px; transform: translateY(-50%); }
.x { top: 100%; transform: translate(-50%, 3px); }
ul { list-style: none; padding: 0; max-height: 35%; overflow: hidden; display: flex; flex-wrap: wrap; gap: 0 12px; }
li::before { content: ''; display: inline-block; width: 14px; height: 3px; margin: 0 5px 3px 0; background: var(--colour); }
`;

/** What is not readable, one sentence each; an expression for the page. */
export const FAULTS = `[...document.querySelectorAll('section')].flatMap((panel) => {
  const texts = (selector) => [...panel.querySelectorAll(selector)].map((one) => one.innerText.trim());
  const repeated = (all) => all.find((one, at) => all.indexOf(one) !== at);
  const { left, right } = panel.getBoundingClientRect();
  const isOutside = (one) => one.getBoundingClientRect().left < left || one.getBoundingClientRect().right > right;
  const list = panel.querySelector('ul');
  const lines = [...panel.querySelectorAll('.line')].filter((one) => one.getAttribute('d') !== '');
  const title = texts('h2')[0];
  return [
    lines.length === 0 && texts('b').length === 0 && title + ' has no line',
    texts('b').includes('No data') && title + ' has no value',
    repeated(texts('li')) !== undefined && title + ' has two lines ' + repeated(texts('li')),
    texts('li').includes('') && title + ' has a line without a name',
    repeated(texts('.y')) !== undefined && title + ' has two marks ' + repeated(texts('.y')),
    list && list.scrollHeight > list.clientHeight && title + ' has more names than fit',
    [...panel.querySelectorAll('h2, li, .y, .stats > div')].some(isOutside) && title + ' is too narrow',
  ].filter(Boolean);
})`;

/** Of the page that drawDashboard makes, in pixels. */
export function sizePage(panels: readonly Panel[]): {
  readonly width: number;
  readonly height: number;
} {
  const rows = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  return { width: WIDTH, height: rows * (ROW + GAP) };
}

/** The panels as one page: on Grafana's grid, with its legends below the charts. A likeness, without Grafana. */
export function drawDashboard(panels: readonly Panel[], results: Results): string {
  const sections = panels.map((panel) => {
    const lines = panel.targets.flatMap(({ expr, legendFormat }) =>
      (results.get(expr) ?? []).map((series) => shapeLine(series, legendFormat)),
    );
    const body = panel.type === 'stat' ? drawStats(panel, lines) : drawChart(panel, lines);
    return `<section style="${place(panel)}"><h2>${escape(panel.title)}</h2>${body}</section>`;
  });
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
<main style="height: ${sizePage(panels).height}px">${sections.join('\n')}</main>`;
}

function place({ gridPos: { x, y, w, h } }: Panel): string {
  const column = WIDTH / 24;
  const size = `width: ${w * column - GAP}px; height: ${h * (ROW + GAP) - GAP}px`;
  return `left: ${x * column + GAP / 2}px; top: ${y * (ROW + GAP) + GAP / 2}px; ${size}`;
}

function shapeLine({ metric, values }: Series, legend: string): Line {
  const points = values.map(([at, text]): Point => [at, Number(text)]);
  return {
    name: nameSeries(legend, metric),
    points: points.filter(([, value]) => isFinite(value)),
  };
}

/** https://grafana.com/docs/grafana/latest/datasources/prometheus/query-editor/#legend */
function nameSeries(legend: string, labels: Labels): string {
  return legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '').trim();
}

function drawStats({ fieldConfig }: Panel, lines: readonly Line[]): string {
  const { defaults, overrides } = fieldConfig;
  const values = lines.map(({ name, points }) => {
    const value = points.at(-1)?.[1] ?? Number.NaN;
    const own = overrides.find(({ matcher }) => matcher.options === name);
    const steps = own?.properties[0].value.steps ?? [];
    const colour = steps.findLast((step) => value >= (step.value ?? -Infinity))?.color ?? 'text';
    const style = colour === 'text' ? '' : ` style="color: ${colour}"`;
    return `<div>${escape(name)}<b${style}>${format(value, defaults.unit)}</b></div>`;
  });
  return `<div class="stats">${values.join('')}</div>`;
}

function drawChart({ fieldConfig }: Panel, lines: readonly Line[]): string {
  const { unit } = fieldConfig.defaults;
  const points = lines.flatMap((line) => line.points);
  const times = points.map(([at]) => at);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const { top, step } = chooseScale(Math.max(...points.map(([, value]) => value)));
  const paths = lines.map((line, at) => drawLine(line, { from, to, top, colour: colourOf(at) }));
  const marks = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step);
  const y = marks.map((mark) => {
    return `<i class="y" style="top: ${100 - (100 * mark) / top}%">${format(mark, unit)}</i>`;
  });
  const x = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    return `<i class="x" style="left: ${part * 100}%">${Math.round((to - from) * part)} s</i>`;
  });
  const grid = marks.map((mark) => {
    const height = 100 - (100 * mark) / top;
    return `<path d="M0 ${height}H100" stroke="#e4e7ea" vector-effect="non-scaling-stroke"/>`;
  });
  const legend = lines.map(({ name }, at) => {
    return `<li style="--colour: ${colourOf(at)}">${escape(name)}</li>`;
  });
  return `<div class="chart"><svg viewBox="0 0 100 100" preserveAspectRatio="none">${grid.join('')}${paths.join('')}</svg>
${y.join('')}${x.join('')}</div><ul>${legend.join('')}</ul>`;
}

function colourOf(at: number): string {
  return COLOURS[at % COLOURS.length] ?? '';
}

/** Four to ten steps of 1, 2 or 5, from zero: every panel has `min: 0`. */
function chooseScale(highest: number): { readonly top: number; readonly step: number } {
  const least = highest > 0 ? highest / 5 : 0.2;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10);
  return { top: step * Math.max(1, Math.ceil(highest / step - 1e-9)), step };
}

interface Frame {
  readonly from: number;
  readonly to: number;
  readonly top: number;
  readonly colour: string;
}

/** A gap of more than two seconds is drawn as a gap. */
function drawLine({ points }: Line, { from, to, top, colour }: Frame): string {
  const path = points.map(([at, value], index) => {
    const isNext = at - (points[index - 1]?.[0] ?? -Infinity) <= 2;
    const x = (100 * (at - from)) / Math.max(1, to - from);
    return `${isNext ? 'L' : 'M'}${x.toFixed(2)} ${(100 - (100 * value) / top).toFixed(2)}`;
  });
  return `<path class="line" d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="1.5" vector-effect="non-scaling-stroke"/>`;
}

type Scale = readonly (readonly [from: number, unit: string])[];

const NUMBERS: Scale = [
  [1e6, ' Mil'],
  [1e3, ' K'],
  [1, ''],
];
/** https://grafana.com/docs/grafana/latest/panels-visualizations/configure-standard-options/#unit */
const UNITS: Readonly<Record<string, Scale>> = {
  s: [
    [86_400, ' days'],
    [3_600, ' hours'],
    [60, ' mins'],
    [1, ' s'],
    [1e-3, ' ms'],
    [1e-6, ' µs'],
  ],
  bytes: [
    [2 ** 30, ' GiB'],
    [2 ** 20, ' MiB'],
    [2 ** 10, ' KiB'],
    [1, ' B'],
  ],
  reqps: [[1, ' req/s']],
  ops: [[1, ' ops/s']],
};

/** With at most three digits. */
function format(value: number, unit = ''): string {
  if (Number.isNaN(value)) return 'No data';
  const scale = UNITS[unit] ?? NUMBERS;
  const [from, name] = scale.find(([least]) => value >= least) ?? scale.at(-1) ?? [1, ''];
  const base = value === 0 ? 1 : from;
  return `${Number((value / base).toPrecision(3))}${value === 0 ? (scale.find(([least]) => least === 1)?.[1] ?? '') : name}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
