import { type Figure, type Quantity, rounded, type Sample } from './figure.ts';
import type { Machine } from './machine.ts';
import { median } from './statistics.ts';

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

/** For people: one table, figure by figure. */
export function tableReport(machine: Machine, all: readonly Measured[]): string {
  const rows = all.flatMap(({ name, figure, samples, load }) => [
    [`${name}: ${figure.what} (load ${load})`],
    ...linesOf(figure, samples).map(rowOf),
  ]);
  return `${describe(machine)}\n\n${aligned([HEAD, ...rows])}\n`;
}

const HEAD = ['', 'median', 'bound', '', 'runs'] as const;

function rowOf({ quantity, values, median: middle, keepsBound }: Line): readonly string[] {
  const { what, unit, bound } = quantity;
  const verdict = keepsBound === undefined ? '' : keepsBound ? '✓' : '✗';
  const limit = bound === undefined ? '' : `<= ${rounded(bound)}`;
  return [`  ${what}`, `${rounded(middle)} ${unit}`, limit, verdict, values.map(rounded).join(' ')];
}

function linesOf({ quantities }: Figure, samples: readonly Sample[]): readonly Line[] {
  return Object.entries(quantities).map(([name, quantity]) => {
    const values = samples.map((sample) => valueOf(sample, name));
    const middle = median(values);
    const keepsBound = quantity.bound === undefined ? undefined : middle <= quantity.bound;
    return { name, quantity, values, median: middle, keepsBound };
  });
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
