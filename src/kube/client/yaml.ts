import { dumpYaml as dump } from '@kubernetes/client-node';
import {
  boolYaml11Tag,
  FAILSAFE_SCHEMA,
  floatCoreTag,
  intCoreTag,
  intYaml11Tag,
  load,
  mergeTag,
  NOT_RESOLVED,
  nullCoreTag,
  Schema,
} from 'js-yaml';
import { readMessage } from '../../core/reconcile/operator-error.ts';

/**
 * `escape` writes characters that are not to be printed as \u and four digits, which YAML reads between double quotes
 * alone (https://yaml.org/spec/1.2.2/#57-escaped-characters): where there are any, all texts get these. A key gets
 * none, and is then another text.
 */
export function dumpYaml(data: unknown, escape: (text: string) => string): string {
  const text = dump(data);
  return escape(text) === text
    ? text
    : escape(dump(data, { forceQuotes: true, quoteStyle: 'double' }));
}

/** Each document of YAML or JSON text as it is written; an empty one is null. Throws where one is not valid. */
export function parseYamlDocuments(text: string): readonly unknown[] {
  // Some editors begin a file with a byte order mark.
  return splitDocuments(text.replace(/^\uFEFF/, '')).map(parseDocument);
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

/** 0644 is octal and 1_000 a number, as in YAML 1.1; 0o14 is one too, and 12:30 a text, as in YAML 1.2. */
const intTag: typeof intCoreTag = {
  ...intCoreTag,
  resolve: (source, ...rest) => {
    const value = source.includes(':') ? NOT_RESOLVED : intYaml11Tag.resolve(source, ...rest);
    return value === NOT_RESOLVED ? intCoreTag.resolve(source, ...rest) : value;
  },
};

/** As kubectl reads them: https://github.com/kubernetes-sigs/yaml/tree/v1.6.0/goyaml.v2 */
const SCHEMA = new Schema([
  ...FAILSAFE_SCHEMA.tags,
  ...[nullCoreTag, boolYaml11Tag, intTag, floatCoreTag, mergeTag],
]);

/** As a field, so that an empty document is null. */
function parseDocument({ lines, start }: Document): unknown {
  const wrapped = ['document:', ...lines.map((line) => `  ${line}`)].join('\n');
  try {
    return (load(wrapped, { schema: SCHEMA }) as { readonly document: unknown }).document;
  } catch (error) {
    const [first = ''] = readMessage(error).split('\n', 1);
    // Of what it refuses after it has read everything it names no line but the first one.
    const locate = (_: string, line: string): string =>
      line === '1'
        ? `in the document from line ${start + 1} on`
        : `in line ${Number(line) - 1 + start}`;
    throw new Error(first.replace(/\((\d+):\d+\)/, locate), { cause: error });
  }
}
