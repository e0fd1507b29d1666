import type { Clock } from '../../core/ports/clock.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { type KubeError, parseErrorEvent } from '../client/kube-error.ts';
import type { KubeResponse } from '../client/kube-transport.ts';
import { JsonLinesError, readJsonLines } from './json-lines.ts';
import type { Query } from './list.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: unknown;
}

export interface WatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly path: string;
  readonly query: Query;
  /** Time for which the server is asked to keep the watch open. */
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
  const watchdog = new Watchdog(options);
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
      const event = parseEvent(line);
      if (event.type !== 'BOOKMARK') events += 1;
      onEvent(event);
    }
    return { livedMs: livedMs(), events };
  } catch (error) {
    if (error instanceof JsonLinesError || error instanceof WatchErrorEvent) throw error;
    throw new WatchBroken(livedMs(), error);
  }
}

function parseEvent(line: unknown): WatchEvent {
  const { type, object } = line as { readonly type?: unknown; readonly object?: unknown };
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type, object };
    case 'ERROR':
      throw new WatchErrorEvent(parseErrorEvent(object));
    default:
      throw new JsonLinesError('a line is not a watch event');
  }
}

/** The server was to end the watch and did not: the connection is dead although nobody closed it. */
export class WatchSilent extends Error {
  readonly silentMs: number;

  constructor(silentMs: number) {
    super(`the watch did not end in time and was silent for ${silentMs} ms`);
    this.name = 'WatchSilent';
    this.silentMs = silentMs;
  }
}

/** Silence for so long after a watch was to end. */
const GRACE_MS = 5_000;

/**
 * A half-open connection looks like a quiet one. Bookmarks come only about every minute
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks), so a watch is asked
 * to end after a shorter time, and one that does not end then is dead.
 */
class Watchdog {
  readonly #clock: Clock;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #follow = (): void => this.#controller.abort(this.#parent.reason);
  #lastByteAtMs: number;
  #cancel = (): void => {};

  constructor({ clock, lifetimeMs, signal }: WatchOptions) {
    this.#clock = clock;
    this.#parent = signal;
    this.#lastByteAtMs = clock.monotonicMs();
    this.#arm(lifetimeMs + GRACE_MS);
    if (signal.aborted) this.#follow();
    signal.addEventListener('abort', this.#follow, { once: true });
  }

  /** Aborts with WatchSilent, and together with the watch's own signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The same bytes; each chunk proves that the connection lives. */
  async *guard(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.#lastByteAtMs = this.#clock.monotonicMs();
      yield chunk;
    }
  }

  release(): void {
    this.#cancel();
    this.#parent.removeEventListener('abort', this.#follow);
  }

  #arm(delayMs: number): void {
    this.#cancel = this.#clock.setTimer(delayMs, () => {
      const silentMs = this.#clock.monotonicMs() - this.#lastByteAtMs;
      if (silentMs >= GRACE_MS) this.#controller.abort(new WatchSilent(silentMs));
      else this.#arm(GRACE_MS - silentMs);
    });
  }
}
