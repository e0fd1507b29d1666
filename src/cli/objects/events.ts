import type { KubeObject, ResourceKind } from '../../core/objects/kube-object.ts';
import type { ClusterAccess } from '../cluster.ts';
import { listInNamespace } from './read.ts';

/** events.k8s.io/v1: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
const eventKind: ResourceKind = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
};

interface ListedEvent extends KubeObject {
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
  const query = { fieldSelector: `regarding.uid=${uid ?? ''}` };
  const events = await listInNamespace<ListedEvent>(access, eventKind, {
    namespace,
    query,
    signal,
  });
  return events
    ?.map(shapeEvent)
    .toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time))
    .slice(0, most);
}

function shapeEvent(event: ListedEvent): ObjectEvent {
  const { type = 'Normal', reason = '', note = '', series } = event;
  return { time: readTime(event), type, reason, note, count: series?.count ?? 1 };
}

function readTime({ series, eventTime, deprecatedLastTimestamp, metadata }: ListedEvent): string {
  const times = [series?.lastObservedTime, eventTime, deprecatedLastTimestamp];
  return times.find((time) => time) ?? metadata.creationTimestamp ?? '';
}
