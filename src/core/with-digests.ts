import { boundText } from './annotations.ts';
import type { KubeObject } from './kube-object.ts';

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

/** Many children share one spec, such as the 1,000 pods of a MyApp: it is hashed once. */
const digestsOfSpecs = new WeakMap<object, unknown>();

/** The same for a child, whose `spec` must not change any more. */
export function childWithDigests(child: KubeObject): object {
  return Object.fromEntries(
    Object.entries(child).map(([field, inner]) => [
      field,
      field === 'spec' ? specWithDigests(inner) : withDigests(inner),
    ]),
  );
}

function specWithDigests(spec: object): unknown {
  const digests = digestsOfSpecs.get(spec) ?? withDigests(spec);
  digestsOfSpecs.set(spec, digests);
  return digests;
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
