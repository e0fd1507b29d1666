import { dumpYaml as dump, loadYaml } from '@kubernetes/client-node';

/** Control characters are escaped. */
export function dumpYaml(data: unknown): string {
  return dump(data);
}

/** Each document of YAML or JSON text as it is written; an empty one is null. Throws where one is not valid. */
export function parseYamlDocuments(text: string): readonly unknown[] {
  return splitDocuments(text).map(parseDocument);
}

interface Document {
  readonly lines: readonly string[];
  /** Of its first line in the text, from 0. */
  readonly start: number;
}

/** At a line that begins with a marker: https://yaml.org/spec/1.2.2/#912-document-markers */
function splitDocuments(text: string): readonly Document[] {
  const lines = text.split(/\r?\n/);
  const isMarker = (line: string): boolean => /^(?:---|[.]{3})(?=\s|$)/.test(line);
  const starts = [
    0,
    ...lines.flatMap((line, index) => (index > 0 && isMarker(line) ? [index] : [])),
  ];
  return starts.map((start, index) => ({
    start,
    lines: lines
      .slice(start, starts[index + 1])
      .map((line, at) => (at === 0 && isMarker(line) ? line.slice(3) : line)),
  }));
}

/** client-node makes its own models of what it takes for an object of Kubernetes, and drops unknown metadata: so it gets it as a field. */
function parseDocument({ lines, start }: Document): unknown {
  const wrapped = ['document:', ...lines.map((line) => `  ${line}`)].join('\n');
  try {
    return loadYaml<{ readonly document: unknown }>(wrapped).document;
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    const locate = (_: string, line: string): string => `in line ${Number(line) - 1 + start}`;
    throw new Error(first.replace(/\((\d+):\d+\)/, locate), { cause: error });
  }
}
