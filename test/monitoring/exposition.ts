export type Labels = Readonly<Record<string, string>>;

/** One line of /metrics. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** One answer of /metrics. */
export class Scrape {
  readonly samples: readonly Sample[];
  /** Wall time in seconds. */
  readonly atSeconds: number;

  constructor(text: string, atSeconds: number) {
    this.samples = text.split('\n').flatMap(parseLine);
    this.atSeconds = atSeconds;
  }

  /** The series of a metric whose labels include `labels`. */
  find(name: string, labels: Labels = {}): readonly Sample[] {
    return this.samples.filter(
      (one) =>
        one.name === name &&
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
  }

  sum(name: string, labels: Labels = {}): number {
    return this.find(name, labels).reduce((sum, { value }) => sum + value, 0);
  }
}

/** A text of the metrics; rejects if there is none. */
export async function takeScrape(url: string): Promise<Scrape> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return new Scrape(await answer.text(), Date.now() / 1000);
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details */
function parseLine(line: string): readonly Sample[] {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || line.startsWith('#')) return [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const parsed = Object.fromEntries(pairs.map(([, key, text]) => [key, text]));
  return [{ name, labels: parsed, value: Number(value) }];
}
