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
  const { group, version, rest } = rootOf(path);
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest[1] : undefined;
  const [plural = '', name, subresource, more] = namespace === undefined ? rest : rest.slice(2);
  if (more !== undefined) throw new NotModelled(`the path ${path}`);
  const kind = kinds.find((k) => k.group === group && k.version === version && k.plural === plural);
  if (kind === undefined) throw kindMissing() satisfies Refusal;
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

function rootOf(path: string): {
  readonly group: string;
  readonly version: string;
  readonly rest: readonly string[];
} {
  const [root = '', ...parts] = path.slice(1).split('/').map(decodeURIComponent);
  if (root === 'api') return { group: '', version: parts[0] ?? '', rest: parts.slice(1) };
  if (root !== 'apis') throw new NotModelled(`the path ${path}`);
  return { group: parts[0] ?? '', version: parts[1] ?? '', rest: parts.slice(2) };
}
