import { NotModelled } from './refusal.ts';
import type { StoredObject } from './stored-object.ts';

type Test = (object: StoredObject) => boolean;

/**
 * `metadata.name=a`, and `type!=b` of Secrets:
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export function fieldsOf(selector: string): Test {
  const tests = selector.split(',').map((term): Test => {
    const [, field, operator, value] = /^(metadata\.name|type)(!?=)([\w./-]+)$/.exec(term) ?? [];
    if (field === undefined) throw new NotModelled(`the field selector ${selector}`);
    const read: (object: StoredObject) => unknown =
      field === 'type' ? (object) => object['type'] : ({ metadata }) => metadata.name;
    return (object) => (read(object) === value) === (operator === '=');
  });
  return (object) => tests.every((test) => test(object));
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
export function labelsOf(selector: string): Test {
  if (selector === '') return () => true;
  const tests = selector.split(/,(?![^(]*\))/).map((term) => testOf(term.trim()));
  return ({ metadata: { labels = {} } }) => tests.every((test) => test(labels));
}

const TERM = /^(!?)\s*([\w./-]+)(?:(\s*(?:==?|!=)|\s+(?:in|notin)\b)\s*\(?([\w.,\s-]*)\)?)?$/;

function testOf(term: string): (labels: Readonly<Record<string, string>>) => boolean {
  const [, not, key, operator, list = ''] = TERM.exec(term) ?? [];
  if (key === undefined) throw new NotModelled(`the label selector ${term}`);
  if (operator === undefined) return (labels) => key in labels !== (not === '!');
  const values = list.split(',').map((one) => one.trim());
  const isAmong = !['!=', 'notin'].includes(operator.trim());
  // Whoever does not have the label is in no set, and so outside of all of them.
  return (labels) => values.includes(labels[key] ?? NO_VALUE) === isAmong;
}

/** No label has it. */
const NO_VALUE = '(none)';
