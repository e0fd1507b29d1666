import { omitUndefined } from '../../core/objects/fields.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { trimMetadata } from '../../core/objects/trim-metadata.ts';
import { eventKind } from '../../kube/client/built-in-kinds.ts';
import type { ClusterAccess } from '../cluster.ts';
import { listInNamespace } from './read.ts';

export interface ListedEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly series?: { readonly count: number; readonly lastObservedTime: string } | null;
}

export interface ObjectEvent {
  /** When it was last observed. */
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly count: number;
}

/** The newest events about an object, the newest first; undefined where the caller may not list them. */
export async function readEvents(
  access: ClusterAccess,
  { metadata }: KubeObject,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<readonly ObjectEvent[] | undefined> {
  const { namespace, uid } = metadata;
  const fieldSelector = `regarding.uid=${uid ?? ''}`;
  const listed = { kind: eventKind, namespace, fieldSelector };
  const events = await listInNamespace<ListedEvent>(access, listed, signal);
  return events && listNewest(events, most);
}

/** The newest first. */
export function listNewest(events: readonly ListedEvent[], most: number): readonly ObjectEvent[] {
  return events
    .map(shapeEvent)
    .toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time))
    .slice(0, most);
}

/** As much of an event as is shown: what holds many must not hold texts of any length. */
export function trimEvent(event: ListedEvent): ListedEvent {
  const { apiVersion, kind, metadata } = trimMetadata(event);
  const { eventTime, deprecatedLastTimestamp, series } = event;
  const { type, reason, note } = shapeEvent(event);
  return omitUndefined({
    ...{ apiVersion, kind, metadata, type, reason, note },
    ...{ eventTime, deprecatedLastTimestamp, series },
  });
}

function shapeEvent(event: ListedEvent): ObjectEvent {
  const { type = 'Normal', reason = '', note = '', series } = event;
  return {
    ...{ time: readTime(event), count: series?.count ?? 1 },
    ...{ type: cut(type, 128), reason: cut(reason, 128), note: cut(note, 1024) },
  };
}

/** As long as this API takes them; that of core/v1 takes a note of any length, from whoever may create events. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // A copy: the engine keeps the whole text for a slice of it.
  return `${Buffer.from(text.slice(0, most - 1)).toString()}…`;
}

function readTime({ series, eventTime, deprecatedLastTimestamp, metadata }: ListedEvent): string {
  const times = [series?.lastObservedTime, eventTime, deprecatedLastTimestamp];
  return times.find((time) => time) ?? metadata.creationTimestamp ?? '';
}
