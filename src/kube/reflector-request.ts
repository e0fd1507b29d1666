import { type Clock, jitter } from '../core/clock.ts';
import { apiVersionOf, type ResourceKind } from '../core/kube-object.ts';

/** What part of which resource a reflector follows. */
export interface Collection {
  readonly kind: ResourceKind;
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export type Query = Readonly<Record<string, string>>;

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris */
export function collectionPath(collection: Collection): string {
  const { kind, namespace } = collection;
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}/${apiVersionOf(kind)}${scope}/${kind.plural}`;
}

export function selectorQuery(collection: Collection): Query {
  const { labelSelector, fieldSelector } = collection;
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

const WATCH_SECONDS = { least: 30, most: 40 };

/** Spread, so that the watches of a process do not end together; in whole seconds. */
export function drawWatchSeconds(clock: Clock): number {
  const { least, most } = WATCH_SECONDS;
  return Math.floor(jitter(clock, least, most / least - 1));
}

/**
 * `from` is the resourceVersion to go on from. Without it the watch begins with the state of the
 * whole collection as one consistent snapshot, closed by an annotated bookmark:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
 */
export function watchQuery(collection: Collection, timeoutSeconds: number, from?: string): Query {
  const start: Query =
    from === undefined
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: from };
  return {
    ...selectorQuery(collection),
    ...start,
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: `${timeoutSeconds}`,
  };
}
