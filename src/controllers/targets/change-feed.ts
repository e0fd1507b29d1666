import type { Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type Enqueue, KeyQueue } from '../../core/queue/key-queue.ts';

interface Reader {
  /** The answer that the reader has, or will come for. */
  answer: string;
  toldMs: number;
}

/** Of one key, between two wakes. */
const INTERVAL_MS = 1_000;

/** Wakes the reader of a key whose answer is another than the one that it has, at most once a second. */
export class ChangeFeed {
  readonly #clock: Clock;
  readonly #describe: (key: Key) => string;
  readonly #queue: KeyQueue;
  readonly #readers = new Map<Key, Reader>();

  /** `describe`: the answer as far as a change of it counts. */
  constructor(clock: Clock, describe: (key: Key) => string) {
    this.#clock = clock;
    this.#describe = describe;
    this.#queue = new KeyQueue(clock);
  }

  /** Wakes a reader for changes from here on; for a reader that is known already, earlier ones that it has not read count too. */
  follow(key: Key): void {
    if (!this.#readers.has(key)) this.recordRead(key);
  }

  /** The reader has the present answer. */
  recordRead(key: Key): void {
    const answer = this.#describe(key);
    const known = this.#readers.get(key);
    if (known) known.answer = answer;
    else this.#readers.set(key, { answer, toldMs: Number.NEGATIVE_INFINITY });
  }

  forget(key: Key): void {
    this.#readers.delete(key);
  }

  /** The reader is about to ask, and need not be woken for that. */
  awaitRead(key: Key): void {
    const reader = this.#readers.get(key);
    if (reader) reader.toldMs = this.#clock.monotonicMs();
  }

  /** The answer may have changed. */
  check(key: Key): void {
    const reader = this.#readers.get(key);
    if (reader === undefined) return;
    const dueMs = reader.toldMs + INTERVAL_MS;
    this.#queue.add(key, { afterMs: dueMs - this.#clock.monotonicMs() });
  }

  /** Resolves after `stop`. */
  async run(enqueue: Enqueue): Promise<void> {
    for (let taken = await this.#queue.take(); taken; taken = await this.#queue.take()) {
      this.#wake(taken.key, enqueue);
      this.#queue.done(taken.key);
    }
  }

  stop(): void {
    this.#queue.shutDown();
  }

  #wake(key: Key, enqueue: Enqueue): void {
    const reader = this.#readers.get(key);
    if (reader === undefined) return;
    const answer = this.#describe(key);
    if (answer === reader.answer) return;
    reader.answer = answer;
    reader.toldMs = this.#clock.monotonicMs();
    enqueue(key);
  }
}
