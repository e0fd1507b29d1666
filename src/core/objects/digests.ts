import { createHash } from 'node:crypto';
import type { KubeObject } from './kube-object.ts';

/** Longest text of a user that is kept as it is. */
const LONGEST_TEXT = 256;

/** A longer text becomes its SHA-256: it still differs where the texts do. */
export function boundText(text: string, longest: number = LONGEST_TEXT): string {
  if (text.length <= longest) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** A list of texts that is longer as JSON stands as its digest. */
const LONGEST_LIST = 256;

/**
 * The same value with long texts, and long lists of texts, as their SHA-256: it still differs where the
 * value does, and stays as it is when this is done twice.
 */
export function digestLongTexts(value: unknown): unknown {
  if (typeof value === 'string') return boundText(value);
  if (Array.isArray(value)) return digestList(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, digestLongTexts(inner)]),
  );
}

/** Many children share one spec, such as the 1,000 pods of a MyApp: it is hashed once. */
const digestsOfSpecs = new WeakMap<object, unknown>();

/** The same for a child, whose `spec` must not change any more. */
export function digestChild(child: KubeObject): object {
  return Object.fromEntries(
    Object.entries(child).map(([field, inner]) => [
      field,
      field === 'spec' ? digestSpec(inner) : digestLongTexts(inner),
    ]),
  );
}

function digestSpec(spec: object): unknown {
  const digests = digestsOfSpecs.get(spec) ?? digestLongTexts(spec);
  digestsOfSpecs.set(spec, digests);
  return digests;
}

function digestList(items: readonly unknown[]): unknown {
  if (items.length === 0 || items.some((item) => typeof item !== 'string')) {
    return items.map(digestLongTexts);
  }
  return boundList(items);
}

function boundList(texts: readonly unknown[]): unknown {
  const text = JSON.stringify(texts);
  return text.length <= LONGEST_LIST ? texts : boundText(text, 0);
}

/** The longest value of a label, and the longest DNS label. */
const MAX_LABEL_LENGTH = 63;

/**
 * `name` where it is short enough; else its head and eight hex digits of its SHA-256, so that long
 * names of the same beginning stay apart. What it gives is frozen: objects out there carry it.
 */
export function shortenName(name: string, maxLength = MAX_LABEL_LENGTH): string {
  if (name.length <= maxLength) return name;
  const head = name.slice(0, maxLength - HASH_LENGTH - 1).replace(/[-.]+$/, '');
  return `${head}-${createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)}`;
}

const HASH_LENGTH = 8;
