import {
  compareVersions,
  getKey,
  type Key,
  type KubeObject,
} from '../../core/objects/kube-object.ts';
import { type Clock, sleep } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { kubeMetrics } from '../client/kube-metrics.ts';
import { buildResourcePath, formatResourceName } from '../client/resource-path.ts';
import { Confirmation } from './confirmation.ts';
import {
  buildWatchQuery,
  type Collection,
  drawWatchSeconds,
  listAll,
  readServerVersion,
} from './list.ts';
import type { IndexedCache } from './object-cache.ts';
import {
  decideRecovery,
  HEALTHY_WATCH_MS,
  InitialStateIncomplete,
  ReflectorDelays,
  WatchTooShort,
} from './recovery.ts';
import { WatchTrouble } from './trouble.ts';
import { readWatch, type WatchEvent } from './watch.ts';

export interface ReflectorOptions<T extends KubeObject> extends Collection {
  readonly client: KubeClient;
  /** Written by this reflector alone: a list replaces all of it. */
  readonly cache: Pick<IndexedCache<T>, 'ingest' | 'replace' | 'apply' | 'bookmark'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Time for which the server keeps one watch open; default 30 to 40. A dead one is noticed 5 s later. */
  readonly watchSeconds?: number;
}

const INITIAL_END = 'k8s.io/initial-events-end';
/** A first state of this age is as good as a confirmed one. */
const RECENT_MS = 5_000;

/**
 * Keeps `cache` equal to a collection of the API server: state and changes come over one watch
 * where the server can do that, else list in pages and watch. It continues through broken
 * connections, lost positions and missing rights, and reads everything again only when the position
 * is lost. The first request leaves before the constructor returns.
 */
export class Reflector<T extends KubeObject = KubeObject> {
  /** Resolves once the cache holds the whole collection; stays pending if stopped before. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions<T>;
  readonly #name: string;
  readonly #log: Logger;
  readonly #delays: ReflectorDelays;
  readonly #trouble: WatchTrouble;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** Ends the request that is under way, or the wait for the next one. */
  #round = new AbortController();
  #markSynced = (): void => {};
  #syncedAtMs: number | undefined;
  #confirmation: Confirmation | undefined;
  #position: string | undefined;
  /** The last round failed: the server may have other versions when it is back. */
  #isPositionDoubtful = false;
  #pages: 'never' | 'once' | 'always' = 'never';
  /** The state that a watch sends first, while it is incomplete. */
  #collected: Map<Key, T> | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#name = formatResourceName(options.kind);
    this.#log = options.log.child({
      resource: this.#name,
      ...(options.namespace !== undefined && { namespace: options.namespace }),
    });
    this.#delays = new ReflectorDelays(options.clock);
    this.#trouble = new WatchTrouble(options, this.#log);
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
    this.#running = this.#run();
  }

  hasSynced(): boolean {
    return this.#syncedAtMs !== undefined;
  }

  /**
   * Resolves once the cache holds what the API server had at the first call. A watch that is open may be dead, so it is
   * opened again: a server sends at once what it has since the position. Resolves also after a minute without success,
   * and at once where the first state has just come or is still to come.
   */
  async confirm(): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    const ageMs = nowMs - (this.#syncedAtMs ?? nowMs);
    if (ageMs >= RECENT_MS) this.#confirmation ??= this.#reopen();
    await this.#confirmation?.done;
  }

  /** Undefined while all is well, else one sentence that names the resource and what is wrong. */
  findFault(): string | undefined {
    const { sentence } = this.#trouble;
    if (sentence !== undefined || this.hasSynced()) return sentence;
    return this.#trouble.describe('not complete yet');
  }

  /** The failure behind `findFault`; undefined while all is well. */
  findCause(): unknown {
    return this.#trouble.cause;
  }

  /** Once it resolves, no request is under way and nobody is called any more. */
  stop(): Promise<void> {
    this.#stopping.abort();
    this.#round.abort();
    return this.#running;
  }

  #reopen(): Confirmation {
    this.#isPositionDoubtful = this.#position !== undefined;
    this.#round.abort();
    return new Confirmation({
      clock: this.#options.clock,
      signal: this.#stopping.signal,
      onLate: () => {
        const fault = this.#trouble.sentence;
        this.#log.error('cannot confirm the cache, working with it as it is', { fault });
      },
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#round = new AbortController();
      const delayMs = await this.#runRound();
      if (delayMs > 0)
        await sleep(this.#options.clock, delayMs, this.#round.signal).catch(() => {});
    }
  }

  /** Returns how long to wait before the next round, in ms. */
  async #runRound(): Promise<number> {
    try {
      if (this.#isPositionDoubtful) await this.#checkPosition();
      if (this.#position === undefined && this.#pages !== 'never') await this.#list();
      await this.#watch();
      return 0;
    } catch (error) {
      return this.#round.signal.aborted ? 0 : this.#recover(error);
    } finally {
      this.#confirmation?.interrupt();
    }
  }

  /**
   * etcd that is restored from a backup has lower versions. A watch from a version that the server has yet to reach
   * is accepted, and gets nothing up to it: https://github.com/kubernetes/kubernetes/issues/107457
   */
  async #checkPosition(): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#round;
    const version = await readServerVersion({ client, collection: this.#options, signal });
    this.#isPositionDoubtful = false;
    this.#confirmation?.noteServerVersion(version);
    if (this.#position === undefined || compareVersions(this.#position, version) <= 0) return;
    this.#log.info('the API server has lower versions than before, reading all again', {
      version,
      position: this.#position,
    });
    this.#position = undefined;
  }

  async #list(): Promise<void> {
    const { client, cache } = this.#options;
    this.#collected = undefined;
    const objects: T[] = [];
    const resourceVersion = await listAll({
      client,
      collection: this.#options,
      signal: this.#round.signal,
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
      path: buildResourcePath(this.#options.kind, { namespace: this.#options.namespace }),
      query: buildWatchQuery(this.#options, watchSeconds, this.#position),
      lifetimeMs: watchSeconds * 1000,
      signal: this.#round.signal,
      onOpen: () => this.#onOpen(),
      onTooLong: (bytes) => this.#log.error('skipped an object too large to read', { bytes }),
      onEvent: (event) => this.#onEvent(event),
    });
    if (this.#collected) throw new InitialStateIncomplete();
    this.#trouble.recordGoodEnd();
    if (livedMs >= HEALTHY_WATCH_MS || events > 0) return;
    metrics.count(kubeMetrics.shortWatches, { name: this.#name });
    throw new WatchTooShort();
  }

  #onOpen(): void {
    this.#options.metrics.count(kubeMetrics.watches, { name: this.#name });
    if (this.#collected) return;
    this.#trouble.recordRecovery();
    this.#confirmation?.check(this.#position);
  }

  #onEvent(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') return this.#onBookmark(event.object as KubeObject);
    const { cache } = this.#options;
    const object = cache.ingest(event.object);
    if (this.#collected) return collect(this.#collected, event.type, object);
    cache.apply({ type: event.type, object });
    this.#position = object.metadata.resourceVersion;
    this.#confirmation?.check(this.#position);
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
    const { cache, clock, metrics } = this.#options;
    metrics.count(kubeMetrics.lists, { name: this.#name });
    cache.replace(objects, resourceVersion);
    this.#position = resourceVersion;
    this.#syncedAtMs ??= clock.monotonicMs();
    this.#markSynced();
    this.#confirmation?.prove();
    this.#trouble.recordRecovery();
  }

  #recover(error: unknown): number {
    const recovery = decideRecovery(error, this.#collected !== undefined);
    this.#options.metrics.count(kubeMetrics.watchFailures, {
      name: this.#name,
      next: `${recovery.pace}${recovery.isRelist ? '-relist' : ''}`,
    });
    if (recovery.isRelist) this.#position = undefined;
    this.#isPositionDoubtful = this.#position !== undefined;
    if (recovery.pages && this.#pages !== 'always') this.#pages = recovery.pages;
    const delayMs = this.#delays.drawMs(recovery);
    this.#trouble.recordFailure(error, recovery, delayMs);
    return delayMs;
  }
}

function collect<T extends KubeObject>(
  collected: Map<Key, T>,
  type: Exclude<WatchEvent['type'], 'BOOKMARK'>,
  object: T,
): void {
  if (type === 'DELETED') collected.delete(getKey(object));
  else collected.set(getKey(object), object);
}
