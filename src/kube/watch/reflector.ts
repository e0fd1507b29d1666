import {
  compareVersions,
  getKey,
  type Key,
  type KubeObject,
} from '../../core/objects/kube-object.ts';
import { type Clock, sleep } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import { OperatorError, readMessage } from '../../core/reconcile/operator-error.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { toOperatorError } from '../client/kube-error.ts';
import { kubeMetrics } from '../client/kube-metrics.ts';
import { buildResourcePath, formatResourceName } from '../client/resource-path.ts';
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
  type Recovery,
  ReflectorDelays,
  WatchTooShort,
} from './recovery.ts';
import { readWatch, type WatchEvent, WatchSilent } from './watch.ts';

export interface ReflectorOptions<T extends KubeObject> extends Collection {
  readonly client: KubeClient;
  /** Written by this reflector alone: a list replaces all of it. */
  readonly cache: Pick<IndexedCache<T>, 'ingest' | 'replace' | 'apply' | 'bookmark'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Stops the reflector like `stop`. */
  readonly signal?: AbortSignal;
  /** Time for which the server keeps one watch open; default 30 to 40. A dead one is noticed 5 s later. */
  readonly watchSeconds?: number;
}

const INITIAL_END = 'k8s.io/initial-events-end';

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
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #markSynced = (): void => {};
  #hasSynced = false;
  #trouble: string | undefined;
  #cause: unknown;
  /** The last watch was silent, which is on record. */
  #wasSilent = false;
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
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
    this.#running = this.#run();
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Undefined while all is well, else one sentence that names the resource and what is wrong. */
  findFault(): string | undefined {
    if (this.#trouble !== undefined || this.#hasSynced) return this.#trouble;
    return `${this.#describeStep()}: not complete yet`;
  }

  /** The failure behind `findFault`; undefined while all is well. */
  findCause(): unknown {
    return this.#cause;
  }

  /** Once it resolves, no request is under way and nobody is called any more. */
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
      const delayMs = await this.#runRound();
      if (delayMs > 0) await sleep(clock, delayMs, signal).catch(() => {});
    }
    parent?.removeEventListener('abort', follow);
  }

  /** Returns how long to wait before the next round, in ms. */
  async #runRound(): Promise<number> {
    try {
      if (this.#isPositionDoubtful) await this.#checkPosition();
      if (this.#position === undefined && this.#pages !== 'never') await this.#list();
      await this.#watch();
      return 0;
    } catch (error) {
      return this.#stopping.signal.aborted ? 0 : this.#recover(error);
    }
  }

  /**
   * etcd that is restored from a backup has lower versions. A watch from a version that the server has yet to reach
   * is accepted, and gets nothing up to it: https://github.com/kubernetes/kubernetes/issues/107457
   */
  async #checkPosition(): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#stopping;
    const version = await readServerVersion({ client, collection: this.#options, signal });
    this.#isPositionDoubtful = false;
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
      path: buildResourcePath(this.#options.kind, { namespace: this.#options.namespace }),
      query: buildWatchQuery(this.#options, watchSeconds, this.#position),
      lifetimeMs: watchSeconds * 1000,
      signal: this.#stopping.signal,
      onOpen: () => this.#onOpen(),
      onTooLong: (bytes) => this.#log.error('skipped an object too large to read', { bytes }),
      onEvent: (event) => this.#onEvent(event),
    });
    if (this.#collected) throw new InitialStateIncomplete();
    this.#wasSilent = false;
    if (livedMs >= HEALTHY_WATCH_MS || events > 0) return;
    metrics.count(kubeMetrics.shortWatches, { name: this.#name });
    throw new WatchTooShort();
  }

  #onOpen(): void {
    this.#options.metrics.count(kubeMetrics.watches, { name: this.#name });
    if (!this.#collected) this.#recordRecovery();
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
    metrics.count(kubeMetrics.lists, { name: this.#name });
    cache.replace(objects, resourceVersion);
    this.#position = resourceVersion;
    this.#hasSynced = true;
    this.#markSynced();
    this.#recordRecovery();
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
    this.#recordFailure(error, recovery, delayMs);
    return delayMs;
  }

  /** Logs a failure once, however often it repeats. */
  #recordFailure(error: unknown, recovery: Recovery, delayMs: number): void {
    const sentence = describeTrouble(this.#describeStep(), error);
    this.#log.debug('watch ended', { sentence, ...recovery, delayMs });
    if (error instanceof WatchSilent) this.#recordSilence(error);
    if (delayMs === 0 || sentence === this.#trouble) return;
    this.#trouble = sentence;
    this.#cause = error;
    if (recovery.pace === 'patient') this.#log.error('cannot watch', { err: error, sentence });
    else this.#log.info('watch interrupted', { sentence, delayMs });
  }

  /** Changes may have been missed until now; where each watch goes silent, the first says so. */
  #recordSilence({ silentMs }: WatchSilent): void {
    if (!this.#wasSilent) this.#log.info('watch was silent, opening it again', { silentMs });
    this.#wasSilent = true;
  }

  #recordRecovery(): void {
    if (this.#trouble !== undefined) this.#log.info('watching again', { after: this.#trouble });
    this.#trouble = undefined;
    this.#cause = undefined;
  }

  #describeStep(): string {
    const { namespace } = this.#options;
    return `watch ${this.#name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
  }
}

function describeTrouble(step: string, error: unknown): string {
  const translated = toOperatorError(step, error);
  if (translated instanceof OperatorError) return translated.message;
  return `${step}: ${readMessage(error)}`;
}

function collect<T extends KubeObject>(
  collected: Map<Key, T>,
  type: Exclude<WatchEvent['type'], 'BOOKMARK'>,
  object: T,
): void {
  if (type === 'DELETED') collected.delete(getKey(object));
  else collected.set(getKey(object), object);
}
