import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import type { Change } from '../../src/core/ports/cache.ts';
import { KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeRequest } from '../../src/kube/client/kube-transport.ts';
import { IndexedCache } from '../../src/kube/watch/object-cache.ts';
import { Reflector, type ReflectorOptions } from '../../src/kube/watch/reflector.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordingMetrics } from './recording-metrics.ts';
import { type Answer, ScriptedStream, ScriptedTransport } from './scripted-transport.ts';
import { SilentLogger } from './silent-logger.ts';

const widgets: ResourceKind = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
};

export const FAR_VERSION = '1000000';

/** A reflector of `widgets` under a manual clock, over a transport whose answers a test scripts. */
export interface ReflectorBench {
  readonly clock: ManualClock;
  readonly transport: ScriptedTransport;
  readonly cache: IndexedCache<KubeObject>;
  readonly reflector: Reflector;
  readonly log: SilentLogger;
  readonly metrics: RecordingMetrics;
  /** Changes as `added a@1`, in their order. */
  readonly seen: string[];
  /** One word per request: `watch-list`, `watch@5`, `version`, `list`, `list+token`, `full-list`. */
  readonly asked: () => readonly string[];
}

/** `answer` gets no request for the version of the server, and these do not count in its index. */
export function startReflectorBench(
  answer: (request: KubeRequest, index: number) => Answer,
  more: Partial<ReflectorOptions<KubeObject>> & { readonly version?: () => Answer } = {},
): ReflectorBench {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const metrics = new RecordingMetrics();
  const { version = () => page([], FAR_VERSION), ...options } = more;
  let index = 0;
  const transport = new ScriptedTransport((request) =>
    wordOf(request) === 'version' ? version() : answer(request, index++),
  );
  const client = new KubeClient({ transport, clock, metrics });
  const cache = new IndexedCache<KubeObject>({ kind: widgets, log, metrics });
  const seen: string[] = [];
  cache.subscribe((change) => seen.push(textOf(change)));
  const reflector = new Reflector({
    kind: widgets,
    client,
    cache,
    clock,
    log,
    metrics,
    ...options,
  });
  const asked = (): readonly string[] => transport.requests.map(wordOf);
  return { clock, transport, cache, reflector, log, metrics, seen, asked };
}

export function textOf(change: Change<KubeObject>): string {
  const { name, resourceVersion } = change.object.metadata;
  return `${change.kind} ${name}@${resourceVersion}`;
}

export function wordOf({ query = {} }: KubeRequest): string {
  if (query['sendInitialEvents'] === 'true') return 'watch-list';
  if (query['watch'] === 'true') return `watch@${query['resourceVersion']}`;
  if (query['limit'] === undefined) return 'full-list';
  if (query['limit'] === '1') return 'version';
  return query['continue'] === undefined ? 'list' : `list+${query['continue']}`;
}

function widget(name: string, resourceVersion: string): object {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'web', uid: `uid-${name}`, resourceVersion },
  };
}

export function event(type: string, name: string, resourceVersion: string): object {
  return { type, object: widget(name, resourceVersion) };
}

export function bookmark(resourceVersion: string, isInitialEnd = false): object {
  const annotations = isInitialEnd ? { 'k8s.io/initial-events-end': 'true' } : undefined;
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion, annotations } } };
}

export function errorEvent(code: number, reason: string, retryAfterSeconds?: number): object {
  return { type: 'ERROR', object: failure(code, reason, retryAfterSeconds) };
}

export function failure(code: number, reason: string, retryAfterSeconds?: number): object {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return { kind: 'Status', status: 'Failure', code, reason, message: `said ${reason}`, ...details };
}

/** A stream that begins with the whole state `a@1 .. ` at `resourceVersion`. */
export function initialStream(
  names: readonly string[],
  resourceVersion: string,
): { readonly stream: ScriptedStream } {
  const added = names.map((name, index) => event('ADDED', name, `${index + 1}`));
  return { stream: new ScriptedStream().push(...added, bookmark(resourceVersion, true)) };
}

export function page(
  names: readonly string[],
  resourceVersion: string,
  next?: string,
): { readonly status: number; readonly json: unknown } {
  const items = names.map((name, index) => {
    const { metadata } = widget(name, `${index + 1}`) as KubeObject;
    return { metadata };
  });
  return { status: 200, json: { metadata: { resourceVersion, continue: next }, items } };
}
