import { labelSelector } from '../../core/label-selector.ts';

type Labels = Readonly<Record<string, string>>;

const KEY =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** `app=frontend,tier=web`, blanks and `==` allowed as kubectl does; undefined for anything else. */
export function parseLabelList(text: string): Labels | undefined {
  const pairs = text.split(',').map(parsePair);
  if (pairs.some((pair) => pair === undefined)) return undefined;
  const labels = Object.fromEntries(pairs as readonly (readonly [string, string])[]);
  // One label cannot have two values, so no pod would ever match.
  return Object.keys(labels).length === pairs.length ? labels : undefined;
}

/** The other way round, in the order of the keys. */
export function labelList(labels: Labels): string {
  return labelSelector(labels).split(',').toSorted().join(',');
}

function parsePair(text: string): readonly [string, string] | undefined {
  const [, key = '', value = ''] = /^\s*([^=\s]+)\s*={1,2}\s*([^=\s]*)\s*$/.exec(text) ?? [];
  return KEY.test(key) && VALUE.test(value) ? [key, value] : undefined;
}
