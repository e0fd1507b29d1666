import type { Clock } from '../core/clock.ts';
import { JsonLinesError, readJsonLines } from './json-lines.ts';
import type { KubeClient } from './kube-client.ts';
import { type KubeError, kubeErrorOfEvent } from './kube-error.ts';
import type { KubeResponse } from './kube-transport.ts';
import type { Query } from './reflector-request.ts';
import { startWatchdog, type Watchdog } from './reflector-watchdog.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: unknown;
}

export interface WatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly path: string;
  readonly query: Query;
  /** How long the server is asked to keep the watch open. */
  readonly lifetimeMs: number;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  /** An event of so many bytes was skipped. */
  readonly onTooLong: (bytes: number) => void;
  /** Called as soon as the line is there; never after the signal has aborted. */
  readonly onEvent: (event: WatchEvent) => void;
}

export interface WatchEnd {
  readonly livedMs: number;
  /** Bookmarks not counted. */
  readonly events: number;
}

/** The stream broke after it had been opened. */
export class WatchBroken extends Error {
  readonly livedMs: number;

  constructor(livedMs: number, cause: unknown) {
    super('the watch broke off', { cause });
    this.name = 'WatchBroken';
    this.livedMs = livedMs;
  }
}

/** The server ended the watch by an ERROR event. */
export class WatchErrorEvent extends Error {
  readonly status: KubeError;

  constructor(status: KubeError) {
    super(status.message, { cause: status });
    this.name = 'WatchErrorEvent';
    this.status = status;
  }
}

/**
 * One watch, from its request to its end. Resolves when the server ends it in good order. Throws
 * what the client throws for the request, and WatchSilent, WatchBroken, WatchErrorEvent,
 * JsonLinesError for the stream.
 */
export async function readWatch(options: WatchOptions): Promise<WatchEnd> {
  const watchdog = startWatchdog(options);
  const { signal } = watchdog;
  try {
    const { path, query } = options;
    const response = await options.client.stream({
      method: 'GET',
      path,
      query,
      signal,
      lane: 'watch',
    });
    return await readEvents(options, response, watchdog);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    watchdog.release();
  }
}

async function readEvents(
  options: WatchOptions,
  response: KubeResponse,
  watchdog: Watchdog,
): Promise<WatchEnd> {
  const { clock, onEvent, onTooLong } = options;
  const openedAtMs = clock.monotonicMs();
  const livedMs = (): number => clock.monotonicMs() - openedAtMs;
  let events = 0;
  options.onOpen();
  try {
    for await (const line of readJsonLines(watchdog.guard(response.body), { clock, onTooLong })) {
      watchdog.signal.throwIfAborted();
      const event = eventOf(line);
      if (event.type !== 'BOOKMARK') events += 1;
      onEvent(event);
    }
    return { livedMs: livedMs(), events };
  } catch (error) {
    if (error instanceof JsonLinesError || error instanceof WatchErrorEvent) throw error;
    throw new WatchBroken(livedMs(), error);
  }
}

function eventOf(line: unknown): WatchEvent {
  const { type, object } = line as { readonly type?: unknown; readonly object?: unknown };
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type, object };
    case 'ERROR':
      throw new WatchErrorEvent(kubeErrorOfEvent(object));
    default:
      throw new JsonLinesError('a line is not a watch event');
  }
}
