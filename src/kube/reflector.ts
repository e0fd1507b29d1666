import { type Clock, jitter, sleep } from '../core/clock.ts';
import { type Key, type KubeObject, keyOf } from '../core/kube-object.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import { OperatorError } from '../core/operator-error.ts';
import type { KubeClient } from './kube-client.ts';
import { toOperatorError } from './kube-error.ts';
import type { CacheWriter } from './object-cache.ts';
import { ReflectorBackoff } from './reflector-backoff.ts';
import { listAll } from './reflector-list.ts';
import { reflectorMetrics, resourceName } from './reflector-metrics.ts';
import {
  HEALTHY_WATCH_MS,
  InitialStateIncomplete,
  type Recovery,
  recoveryFrom,
  WatchTooShort,
} from './reflector-recovery.ts';
import {
  type Collection,
  collectionPath,
  drawWatchSeconds,
  watchQuery,
} from './reflector-request.ts';
import { readWatch, type WatchEvent } from './reflector-watch.ts';

export interface ReflectorOptions<T extends KubeObject> extends Collection {
  readonly client: KubeClient;
  /** Written by this reflector alone: a list replaces all of it. */
  readonly cache: CacheWriter<T>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Stops the reflector like `stop`. */
  readonly signal?: AbortSignal;
  /** How long the server keeps one watch open; default 30 to 40. A dead one is noticed 5 s later. */
  readonly watchSeconds?: number;
}

export interface Reflector {
  /** Resolves once the cache holds the whole collection; stays pending if stopped before. */
  readonly synced: Promise<void>;
  hasSynced(): boolean;
  /** Undefined while all is well, else one sentence that names the resource and what is wrong. */
  health(): string | undefined;
  /** Once it resolves, no request is under way and nobody is called any more. */
  stop(): Promise<void>;
}

/**
 * Keeps `cache` equal to a collection of the API server: state and changes come over one watch
 * where the server can do that, else list in pages and watch. It goes on for ever, over broken
 * connections, lost positions and missing rights, and reads everything again only when the server
 * says that the position is lost. The first request leaves before this returns.
 */
export function startReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector {
  return new RunningReflector(options);
}

const INITIAL_END = 'k8s.io/initial-events-end';

class RunningReflector<T extends KubeObject> implements Reflector {
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions<T>;
  readonly #name: string;
  readonly #log: Logger;
  readonly #failures: ReflectorBackoff;
  readonly #expiries: ReflectorBackoff;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #markSynced = (): void => {};
  #hasSynced = false;
  #trouble: string | undefined;
  #position: string | undefined;
  #pages: 'never' | 'once' | 'always' = 'never';
  /** The state that a watch sends first, while it is incomplete. */
  #collected: Map<Key, T> | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#name = resourceName(options.kind);
    this.#log = options.log.child({
      resource: this.#name,
      ...(options.namespace !== undefined && { namespace: options.namespace }),
    });
    this.#failures = new ReflectorBackoff(options.clock);
    this.#expiries = new ReflectorBackoff(options.clock);
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
    this.#running = this.#run();
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  health(): string | undefined {
    if (this.#trouble !== undefined || this.#hasSynced) return this.#trouble;
    return `${this.#step()}: not complete yet`;
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#running;
  }

  async #run(): Promise<void> {
    const { clock, signal: parent } = this.#options;
    const { signal } = this.#stopping;
    const follow = (): void => this.#stopping.abort();
    if (parent?.aborted) return;
    parent?.addEventListener('abort', follow, { once: true });
    while (!signal.aborted) {
      const delayMs = await this.#round();
      if (delayMs > 0) await sleep(clock, delayMs, signal).catch(() => {});
    }
    parent?.removeEventListener('abort', follow);
  }

  /** Returns how long to wait before the next round, in ms. */
  async #round(): Promise<number> {
    try {
      if (this.#position === undefined && this.#pages !== 'never') await this.#list();
      await this.#watch();
      return 0;
    } catch (error) {
      return this.#stopping.signal.aborted ? 0 : this.#recover(error);
    }
  }

  async #list(): Promise<void> {
    const { client, cache } = this.#options;
    this.#collected = undefined;
    const objects: T[] = [];
    const resourceVersion = await listAll({
      client,
      collection: this.#options,
      signal: this.#stopping.signal,
      onItem: (item) => void objects.push(cache.ingest(item)),
      onRestart: () => void objects.splice(0),
    });
    this.#replace(objects, resourceVersion);
    if (this.#pages === 'once') this.#pages = 'never';
  }

  async #watch(): Promise<void> {
    const { client, clock, metrics } = this.#options;
    const watchSeconds = this.#options.watchSeconds ?? drawWatchSeconds(clock);
    this.#collected = this.#position === undefined ? new Map() : undefined;
    const { livedMs, events } = await readWatch({
      client,
      clock,
      path: collectionPath(this.#options),
      query: watchQuery(this.#options, watchSeconds, this.#position),
      lifetimeMs: watchSeconds * 1000,
      signal: this.#stopping.signal,
      onOpen: () => this.#onOpen(),
      onTooLong: (bytes) => this.#log.error('skipped an object too large to read', { bytes }),
      onEvent: (event) => this.#onEvent(event),
    });
    if (this.#collected) throw new InitialStateIncomplete();
    if (livedMs >= HEALTHY_WATCH_MS || events > 0) return;
    metrics.count(reflectorMetrics.shortWatches, { name: this.#name });
    throw new WatchTooShort();
  }

  #onOpen(): void {
    this.#options.metrics.count(reflectorMetrics.watches, { name: this.#name });
    if (!this.#collected) this.#recovered();
  }

  #onEvent(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') return this.#onBookmark(event.object as KubeObject);
    const { cache } = this.#options;
    const object = cache.ingest(event.object);
    if (this.#collected) return collect(this.#collected, event.type, object);
    cache.apply({ type: event.type, object });
    this.#position = object.metadata.resourceVersion;
  }

  #onBookmark(bookmark: KubeObject): void {
    const { resourceVersion, annotations } = bookmark.metadata;
    if (resourceVersion === undefined) return;
    if (!this.#collected) {
      this.#options.cache.bookmark(resourceVersion);
      this.#position = resourceVersion;
      return;
    }
    if (annotations?.[INITIAL_END] !== 'true') return;
    const objects = [...this.#collected.values()];
    this.#collected = undefined;
    this.#replace(objects, resourceVersion);
  }

  #replace(objects: readonly T[], resourceVersion: string): void {
    const { cache, metrics } = this.#options;
    metrics.count(reflectorMetrics.lists, { name: this.#name });
    cache.replace(objects, resourceVersion);
    this.#position = resourceVersion;
    this.#hasSynced = true;
    this.#markSynced();
    this.#recovered();
  }

  #recover(error: unknown): number {
    const recovery = recoveryFrom(error, this.#collected !== undefined);
    this.#options.metrics.count(reflectorMetrics.failures, {
      name: this.#name,
      next: `${recovery.pace}${recovery.isRelist ? '-relist' : ''}`,
    });
    if (recovery.isRelist) this.#position = undefined;
    if (recovery.pages && this.#pages !== 'always') this.#pages = recovery.pages;
    const delayMs = this.#delayMs(recovery);
    this.#note(error, recovery, delayMs);
    return delayMs;
  }

  #delayMs(recovery: Recovery): number {
    const { clock } = this.#options;
    switch (recovery.pace) {
      case 'now':
        return 0;
      case 'expiry':
        return this.#expiries.nextMsAfterFree();
      case 'patient':
        return this.#failures.nextMs();
      case 'backoff':
        return Math.max(this.#failures.nextMs(), jitter(clock, recovery.retryAfterMs ?? 0, 0.2));
    }
  }

  /** A failure is told once, however often it repeats itself. */
  #note(error: unknown, recovery: Recovery, delayMs: number): void {
    const sentence = sentenceOf(this.#step(), error);
    this.#log.debug('watch ended', { sentence, ...recovery, delayMs });
    if (delayMs === 0 || sentence === this.#trouble) return;
    this.#trouble = sentence;
    if (recovery.pace === 'patient') this.#log.error('cannot watch', { err: error, sentence });
    else this.#log.info('watch interrupted', { sentence, delayMs });
  }

  #recovered(): void {
    if (this.#trouble !== undefined) this.#log.info('watching again', { after: this.#trouble });
    this.#trouble = undefined;
  }

  #step(): string {
    const { namespace } = this.#options;
    return `watch ${this.#name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
  }
}

function sentenceOf(step: string, error: unknown): string {
  const translated = toOperatorError(step, error);
  if (translated instanceof OperatorError) return translated.message;
  return `${step}: ${error instanceof Error ? error.message : String(error)}`;
}

function collect<T extends KubeObject>(
  collected: Map<Key, T>,
  type: Exclude<WatchEvent['type'], 'BOOKMARK'>,
  object: T,
): void {
  if (type === 'DELETED') collected.delete(keyOf(object));
  else collected.set(keyOf(object), object);
}
