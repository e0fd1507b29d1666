import type { Commit, ObjectTable } from './object-table.ts';
import { expired } from './refusal.ts';
import { keyOfStored, type ServedKind, type StoredObject } from './stored-object.ts';

/** What part of a kind is watched or listed. */
export interface Selection {
  readonly kind: ServedKind;
  readonly namespace?: string;
  readonly fields?: (object: StoredObject) => boolean;
  readonly labels?: (object: StoredObject) => boolean;
}

export interface FeedEvent {
  readonly type: string;
  readonly object: unknown;
}

/** One watch at the server: events in order, as soon as they happen there. */
export interface WatchFeed {
  /** What the watch begins with; what follows comes to `onEvent`. Returns how to end it. */
  open(onEvent: (event: FeedEvent) => void): () => void;
  readonly bookmark: () => FeedEvent;
  readonly timeoutMs: number;
}

export interface WatchRequest {
  readonly selection: Selection;
  /** undefined: the whole state first, closed by an annotated bookmark. */
  readonly from: number | undefined;
  readonly timeoutMs: number;
}

/** Throws the Refusal of a position that is lost. */
export function openFeed(table: ObjectTable, request: WatchRequest): WatchFeed {
  const { selection, from, timeoutMs } = request;
  if (from !== undefined && from < table.compactedTo) {
    throw expired(`too old resource version: ${from} (${table.compactedTo})`);
  }
  const bookmark = (annotations?: object): FeedEvent => ({
    type: 'BOOKMARK',
    object: {
      apiVersion: apiVersionOf(selection.kind),
      kind: selection.kind.kind,
      metadata: { resourceVersion: String(table.version), ...(annotations && { annotations }) },
    },
  });
  const open = (onEvent: (event: FeedEvent) => void): (() => void) => {
    const tell = (commit: Commit): void => {
      const event = eventOf(commit, selection);
      if (event !== undefined) onEvent(event);
    };
    if (from === undefined) {
      for (const object of selected(table, selection)) onEvent({ type: 'ADDED', object });
      onEvent(bookmark({ 'k8s.io/initial-events-end': 'true' }));
    } else {
      for (const commit of table.since(selection.kind, from)) tell(commit);
    }
    return table.onCommit(tell);
  };
  return { open, bookmark: () => bookmark(), timeoutMs };
}

export function selected(table: ObjectTable, selection: Selection): readonly StoredObject[] {
  return table
    .list(selection.kind)
    .filter((object) => isSelected(object, selection))
    .toSorted((a, b) => (keyOfStored(a) < keyOfStored(b) ? -1 : 1));
}

export function apiVersionOf({ group, version }: ServedKind): string {
  return group === '' ? version : `${group}/${version}`;
}

function isSelected(object: StoredObject, selection: Selection): boolean {
  const { namespace, fields, labels } = selection;
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  return fields?.(object) !== false && labels?.(object) !== false;
}

/** An object that no longer matches is gone for this watch, one that matches now is new to it. */
function eventOf(
  { kind, type, object, before }: Commit,
  selection: Selection,
): FeedEvent | undefined {
  if (kind !== selection.kind) return undefined;
  const wasSelected = before !== undefined && isSelected(before, selection);
  const isGone = type === 'DELETED' || !isSelected(object, selection);
  if (isGone) return wasSelected ? { type: 'DELETED', object } : undefined;
  return { type: wasSelected ? 'MODIFIED' : 'ADDED', object };
}
