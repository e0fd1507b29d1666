import { boundText } from './annotations.ts';

/** A list of texts that is longer as JSON stands as its digest. */
const LONGEST_LIST = 256;

/**
 * The same value with long texts, and long lists of texts, as their SHA-256: it still differs where the
 * value does, and stays as it is when this is done twice.
 */
export function withDigests(value: unknown): unknown {
  if (typeof value === 'string') return boundText(value);
  if (Array.isArray(value)) return listWithDigests(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, withDigests(inner)]),
  );
}

function listWithDigests(items: readonly unknown[]): unknown {
  if (items.length === 0 || items.some((item) => typeof item !== 'string')) {
    return items.map(withDigests);
  }
  return boundList(items);
}

function boundList(texts: readonly unknown[]): unknown {
  const text = JSON.stringify(texts);
  return text.length <= LONGEST_LIST ? texts : boundText(text, 0);
}
