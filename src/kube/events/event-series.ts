import { formatMicroTime, type KubeObject } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { EventDraft } from '../../core/ports/events.ts';
import { eventKind } from '../client/built-in-kinds.ts';
import type { KubeRequest } from '../client/kube-transport.ts';
import { buildResourcePath } from '../client/resource-path.ts';

/** Qualified name of who reports; part of the identity of a series. */
const REPORTING_CONTROLLER = 'albridge.io/operator';

/** The same event, once or over and over: one Event object in the API server. */
export interface EventSeries {
  readonly key: string;
  readonly regarding: KubeObject;
  readonly draft: EventDraft;
  readonly firstSeenMs: number;
  /** `lastSeenMs` is wall time, `lastSeenMonotonicMs` decides whether the series goes on. */
  lastSeenMs: number;
  lastSeenMonotonicMs: number;
  count: number;
  /** The count that the API server has; 0 before the object exists there. */
  writtenCount: number;
  name: string;
  state: 'idle' | 'queued' | 'writing' | 'delayed';
  /** Repeated during its write, and allowed by the rate limit to be written again. */
  isDueAgain: boolean;
  /** Failed writes since the last that succeeded. */
  tries: number;
}

export function startSeries(clock: Clock, regarding: KubeObject, draft: EventDraft): EventSeries {
  const nowMs = clock.now();
  return {
    key: buildSeriesKey(regarding, draft),
    regarding: toReference(regarding),
    draft,
    firstSeenMs: nowMs,
    lastSeenMs: nowMs,
    lastSeenMonotonicMs: clock.monotonicMs(),
    count: 1,
    writtenCount: 0,
    name: drawEventName(clock, regarding),
    state: 'idle',
    isDueAgain: false,
    tries: 0,
  };
}

/** Without spec and status, which would stay in memory as long as the series. */
function toReference({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
    },
  };
}

export function buildSeriesKey(regarding: KubeObject, draft: EventDraft): string {
  const { type, action, reason, note } = draft;
  return JSON.stringify([identifyObject(regarding), type, action, reason, note]);
}

/** The UID, or where there is none (a draft for an object not read yet) kind and name. */
export function identifyObject(object: KubeObject): string {
  const { uid, namespace = '', name } = object.metadata;
  return uid ?? `${object.kind} ${namespace}/${name}`;
}

const MAX_NAME_LENGTH = 253;

/**
 * Begins with the time, because `kubectl describe` shows events as the API server lists them, by
 * name; then unique by chance, so that a restarted process never meets its own old names.
 */
export function drawEventName(clock: Clock, regarding: KubeObject): string {
  const chance = Math.floor(clock.random() * 2 ** 20);
  const suffix = `.${toHex(Math.floor(clock.now()), 11)}${toHex(chance, 5)}`;
  const head = regarding.metadata.name.slice(0, MAX_NAME_LENGTH - suffix.length);
  return head.replace(/[^a-z0-9]+$/, '') + suffix;
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/**
 * Events on cluster-scoped objects live in `default`. `reportingInstance` names this process.
 * https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export function createEventRequest(series: EventSeries, reportingInstance: string): KubeRequest {
  const { regarding, draft, name } = series;
  const namespace = getNamespace(regarding);
  const { apiVersion, kind, metadata } = regarding;
  return {
    method: 'POST',
    path: buildResourcePath(eventKind, { namespace }),
    body: JSON.stringify({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace },
      eventTime: formatMicroTime(series.firstSeenMs),
      reportingController: REPORTING_CONTROLLER,
      reportingInstance: cut(reportingInstance, 128),
      type: draft.type,
      reason: cut(draft.reason, 128),
      action: cut(draft.action, 128),
      note: cut(draft.note, 1024),
      regarding: { apiVersion, kind, ...metadata },
      ...(series.count > 1 && { series: createSeriesBody(series) }),
    }),
  };
}

export function patchEventRequest(series: EventSeries): KubeRequest {
  return {
    method: 'PATCH',
    path: buildResourcePath(eventKind, {
      namespace: getNamespace(series.regarding),
      name: series.name,
    }),
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ series: createSeriesBody(series) }),
  };
}

function createSeriesBody(series: EventSeries): object {
  return { count: series.count, lastObservedTime: formatMicroTime(series.lastSeenMs) };
}

export function getNamespace(regarding: KubeObject): string {
  return regarding.metadata.namespace ?? 'default';
}

/** At most `maxBytes` of UTF-8, never half a character. */
function cut(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
