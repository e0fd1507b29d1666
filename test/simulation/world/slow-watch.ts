import type { Clock } from '../../../src/core/ports/clock.ts';
import { lineOf } from '../api-model/model-transport.ts';
import type { FeedEvent, WatchFeed } from '../api-model/watch-feed.ts';
import { ByteStream } from '../byte-stream.ts';
import type { FaultBoard } from './fault-board.ts';
import type { Life } from './life.ts';

interface SlowWatchParts {
  readonly world: Clock;
  readonly board: FaultBoard;
  readonly life: Life;
  readonly plural: string;
  /** The watches that are open, this one included while it is. */
  readonly watches: Set<SlowWatch>;
}

const BOOKMARK_MS = 60_000;

/** One open watch on its way from the server to a process: late, but in order. */
export class SlowWatch {
  readonly body: ByteStream;
  readonly #parts: SlowWatchParts;
  readonly #feed: WatchFeed;
  readonly #stop: (() => void)[] = [];
  readonly #arrived: (() => void)[] = [];
  #lastDueMs = 0;
  #isSilent = false;

  constructor(parts: SlowWatchParts, feed: WatchFeed, signal: AbortSignal | undefined) {
    this.#parts = parts;
    this.#feed = feed;
    this.body = new ByteStream(signal, () => this.#close());
    parts.watches.add(this);
    this.#stop.push(feed.open((event) => this.#tell(event)));
    this.#bookmarkLater();
    this.#stop.push(parts.world.setTimer(feed.timeoutMs, () => this.#end()));
    signal?.addEventListener('abort', () => this.#close(), { once: true });
  }

  get plural(): string {
    return this.#parts.plural;
  }

  /** A half-open connection: nothing arrives any more, and nobody says so. */
  fallSilent(): void {
    this.#isSilent = true;
  }

  break(): void {
    this.#arrived.push(() => this.body.fail(new Error('other side closed')));
    this.#parts.life.reach(() => this.#arrived.shift()?.());
    this.#close();
  }

  #tell(event: FeedEvent): void {
    const { world, board } = this.#parts;
    const bytes = lineOf(event);
    this.#later(() => this.body.push(bytes));
    const isObject = event.type !== 'BOOKMARK';
    if (isObject && board.tellsTwice(world.monotonicMs())) this.#later(() => this.body.push(bytes));
  }

  #bookmarkLater(): void {
    const cancel = this.#parts.world.setTimer(BOOKMARK_MS, () => {
      if (this.#parts.life.isDead) return this.#close();
      this.#tell(this.#feed.bookmark());
      this.#bookmarkLater();
    });
    this.#stop[1] = cancel;
  }

  #end(): void {
    this.#tell(this.#feed.bookmark());
    this.#later(() => this.body.end());
    this.#close();
  }

  #later(deliver: () => void): void {
    const { world, board, life, plural } = this.#parts;
    const nowMs = world.monotonicMs();
    const dueMs = Math.max(
      this.#lastDueMs,
      nowMs + 1 + 4 * world.random() + board.watchLagMs(plural, nowMs),
    );
    this.#lastDueMs = dueMs;
    world.setTimer(dueMs - nowMs, () => {
      if (this.#isSilent) return;
      // A process that was stopped reads later and in any order, but each connection in its own.
      this.#arrived.push(deliver);
      life.reach(() => this.#arrived.shift()?.());
    });
  }

  #close(): void {
    this.#parts.watches.delete(this);
    for (const stop of this.#stop.splice(0)) stop();
  }
}
