import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure, Quantity, Sample } from './figure.ts';
import { drawChart } from './line-chart.ts';
import type { Machine } from './machine.ts';
import { median, rounded } from './statistics.ts';

/** One figure as it was measured. */
export interface Measured {
  readonly name: string;
  readonly figure: Figure;
  readonly samples: readonly Sample[];
  /** Load over the last minute as the figure was done. */
  readonly load: number;
}

interface Line {
  readonly name: string;
  readonly quantity: Quantity;
  readonly values: readonly number[];
  readonly median: number;
  readonly keepsBound: boolean | undefined;
}

interface Reports {
  /** The file of the values. */
  readonly json: string | undefined;
  /** The directory of the charts. */
  readonly svg: string | undefined;
  readonly print: (text: string) => void;
}

/** The table first: a file may have become unwritable while it was measured. */
export async function writeReports(
  machine: Machine,
  all: readonly Measured[],
  { json, svg, print }: Reports,
): Promise<void> {
  print(tableReport(machine, all));
  if (json !== undefined) await writeFile(json, jsonReport(machine, all));
  if (svg !== undefined) await writeCharts(svg, machine, all);
}

async function writeCharts(
  directory: string,
  machine: Machine,
  all: readonly Measured[],
): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  for (const measured of all) {
    for (const [name, chart] of Object.entries(chartReport(machine, measured, day))) {
      await writeFile(join(directory, `${name}.svg`), chart);
    }
  }
}

/** For programs: every run, the medians, the bounds. */
export function jsonReport(machine: Machine, all: readonly Measured[]): string {
  const figures = all.map(({ name, figure, samples, load }) => [
    name,
    {
      what: figure.what,
      load,
      quantities: Object.fromEntries(
        linesOf(figure, samples).map(({ name: quantityName, quantity, ...line }) => [
          quantityName,
          { ...quantity, ...line },
        ]),
      ),
    },
  ]);
  return `${JSON.stringify({ machine, figures: Object.fromEntries(figures) }, null, 2)}\n`;
}

/** The charts of a figure by their names; `day` stands in their captions, next to the machine. */
function chartReport(
  machine: Machine,
  { figure, samples, load }: Measured,
  day: string,
): Readonly<Record<string, string>> {
  const medians = linesOf(figure, samples).map((line) => [line.name, line.median] as const);
  const caption = `${machine.cores} x ${machine.cpu}, Node ${machine.node}, load ${load}, ${day}`;
  const charts = Object.entries(figure.charts?.(Object.fromEntries(medians)) ?? {});
  return Object.fromEntries(
    charts.map(([name, chart]) => {
      return [name, drawChart({ ...chart, captions: [caption, ...(chart.captions ?? [])] })];
    }),
  );
}

/** For people: one table, figure by figure. */
function tableReport(machine: Machine, all: readonly Measured[]): string {
  const rows = all.flatMap(({ name, figure, samples, load }) => [
    [`${name}: ${figure.what} (load ${load})`],
    ...linesOf(figure, samples).map(rowOf),
  ]);
  return `${describe(machine)}\n\n${aligned([HEAD, ...rows])}\n`;
}

const HEAD = ['', 'median', 'bound', '', 'runs'] as const;

function rowOf({ quantity, values, median: middle, keepsBound }: Line): readonly string[] {
  const { what, unit } = quantity;
  const verdict = keepsBound === undefined ? '' : keepsBound ? '✓' : '✗';
  const measured = `${rounded(middle)} ${unit}`;
  return [`  ${what}`, measured, describeBounds(quantity), verdict, values.map(rounded).join(' ')];
}

function describeBounds({ bound, atLeast }: Quantity): string {
  const most = bound === undefined ? [] : [`<= ${rounded(bound)}`];
  const least = atLeast === undefined ? [] : [`>= ${rounded(atLeast)}`];
  return [...most, ...least].join(', ');
}

function linesOf({ quantities }: Figure, samples: readonly Sample[]): readonly Line[] {
  return Object.entries(quantities).map(([name, quantity]) => {
    const values = samples.map((sample) => valueOf(sample, name));
    const middle = median(values);
    return { name, quantity, values, median: middle, keepsBound: judge(quantity, middle) };
  });
}

/** undefined: the quantity has no bound. */
function judge({ bound, atLeast }: Quantity, middle: number): boolean | undefined {
  if (bound === undefined && atLeast === undefined) return undefined;
  return middle <= (bound ?? middle) && middle >= (atLeast ?? middle);
}

function valueOf(sample: Sample, name: string): number {
  const value = sample[name];
  if (value === undefined || Number.isNaN(value)) throw new Error(`${name} was not measured`);
  return value;
}

function describe({ cpu, cores, memoryGiB, system, node, loadBefore }: Machine): string {
  return `${cores} x ${cpu}, ${memoryGiB} GiB, ${system}, Node ${node}, load ${loadBefore} before`;
}

/** Rows of one cell are headings. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) =>
    Math.max(...rows.filter(({ length }) => length > 1).map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row.length === 1
        ? `\n${row[0]}`
        : row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n');
}
