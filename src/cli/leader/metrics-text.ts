/** The text that Prometheus scrapes, as somebody else has written it; pure. */

export interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** Characters of a text, more than 500 sources and every other metric take. */
export const MOST_TEXT = 4 * 1024 * 1024;
const MOST_LINE = 4096;
const MOST_SERIES = 5000;

/**
 * The series of the metrics that are asked for. Undefined for anything but such a text: one bad line spoils it.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function parseMetrics(
  text: string,
  names: ReadonlySet<string>,
): readonly Series[] | undefined {
  if (text.length > MOST_TEXT) return undefined;
  const found: Series[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const series = parseLine(line, names);
    if (series === undefined || found.length === MOST_SERIES) return undefined;
    if (series !== 'another') found.push(series);
  }
  return found;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+-?\d+)?[ \t\r]*$/;

function parseLine(line: string, names: ReadonlySet<string>): Series | 'another' | undefined {
  if (line.length > MOST_LINE) return undefined;
  const [, name, inner = '', number = ''] = LINE.exec(line) ?? [];
  if (name === undefined) return undefined;
  if (!names.has(name)) return 'another';
  const [labels, value] = [parseLabels(inner), parseNumber(number)];
  return labels && value !== undefined ? { name, labels, value } : undefined;
}

function parseLabels(inner: string): ReadonlyMap<string, string> | undefined {
  const labels = new Map<string, string>();
  const label = /\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)"\s*(?:,|$)/y;
  while (label.lastIndex < inner.length) {
    const [, name, value = ''] = label.exec(inner) ?? [];
    if (name === undefined) return undefined;
    labels.set(
      name,
      value.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
    );
  }
  return labels;
}

const WORDS: Readonly<Record<string, number>> = {
  '+Inf': Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
};

function parseNumber(text: string): number | undefined {
  if (Object.hasOwn(WORDS, text)) return WORDS[text];
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}
