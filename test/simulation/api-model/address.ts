import { kindMissing, NotModelled, type Refusal } from './refusal.ts';
import type { ServedKind } from './stored-object.ts';

/** Where a request path leads. */
export interface Address {
  readonly kind: ServedKind;
  readonly namespace?: string;
  /** Absent: the collection. */
  readonly name?: string;
  readonly subresource?: string;
}

/**
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
 * Throws the Refusal of a group or resource that is not served.
 */
export function addressOf(path: string, kinds: readonly ServedKind[]): Address {
  const [root = '', ...parts] = path.slice(1).split('/').map(decodeURIComponent);
  const [group = '', version = '', ...rest] = root === 'api' ? ['', ...parts] : parts;
  if (root !== 'api' && root !== 'apis') throw new NotModelled(`the path ${path}`);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const [plural = '', name, subresource, ...more] = isInNamespace ? rest.slice(2) : rest;
  if (more.length > 0) throw new NotModelled(`the path ${path}`);
  const kind = kinds.find((k) => k.group === group && k.version === version && k.plural === plural);
  if (kind === undefined) throw kindMissing() satisfies Refusal;
  return {
    kind,
    ...(isInNamespace && rest[1] !== undefined && { namespace: rest[1] }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}
