import type { Clock } from '../../core/ports/clock.ts';

export interface JsonLinesOptions {
  readonly clock: Clock;
  /** Longest line that is read, in bytes; default MAX_OBJECT_BYTES. */
  readonly maxLineBytes?: number;
  /** A longer line is skipped, and its length reported. */
  readonly onTooLong: (bytes: number) => void;
}

/** A stream that is not newline-delimited JSON, or is cut inside a line. */
export class JsonLinesError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'JsonLinesError';
  }
}

/**
 * One object at its largest: etcd takes 1.5 MiB (https://etcd.io/docs/v3.6/dev-guide/limit/), and JSON may
 * need six bytes for one (\u0000).
 */
export const MAX_OBJECT_BYTES = 10 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The values of newline-delimited JSON, each as soon as its line is complete. During a long burst
 * it gives the event loop a turn about every 10 ms, so that timers (lease renewal) and other
 * connections are served; a lone line is handed on without a turn. Throws JsonLinesError.
 */
export async function* readJsonLines(
  body: AsyncIterable<Uint8Array>,
  options: JsonLinesOptions,
): AsyncGenerator<unknown, void, undefined> {
  const lines = new LineBuffer(options);
  const burst = new Burst(options.clock);
  for await (const chunk of body) {
    burst.resume();
    for (const line of lines.push(chunk)) {
      if (burst.isLong()) await burst.giveTurn();
      yield parseLine(line);
    }
    burst.pause();
  }
  const rest = lines.rest();
  if (rest.trim() !== '') yield parseLine(rest);
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new JsonLinesError(`a line of ${line.length} characters is not JSON`, error);
  }
}

/** Cuts chunks at newline bytes. 0x0a never occurs inside a UTF-8 sequence, so each line decodes alone. */
class LineBuffer {
  readonly #maxBytes: number;
  readonly #onTooLong: JsonLinesOptions['onTooLong'];
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor({ maxLineBytes = MAX_OBJECT_BYTES, onTooLong }: JsonLinesOptions) {
    this.#maxBytes = maxLineBytes;
    this.#onTooLong = onTooLong;
  }

  *push(chunk: Uint8Array): Generator<string, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = this.rest();
      if (line.trim() !== '') yield line;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Returns the text since the last newline, nothing of a line that is too long; empties the buffer. */
  rest(): string {
    if (this.#bytes > this.#maxBytes) this.#onTooLong(this.#bytes);
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    return text;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else this.#parts.push(part);
  }
}

const TURN_AFTER_MS = 10;

/** How long work has gone on without the event loop having had a chance. */
class Burst {
  readonly #clock: Clock;
  #startedAtMs: number;
  #pausedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAtMs = this.#pausedAtMs = clock.monotonicMs();
  }

  /** A chunk that had to be waited for ends the burst: the event loop ran meanwhile. */
  resume(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#pausedAtMs >= 1) this.#startedAtMs = nowMs;
  }

  pause(): void {
    this.#pausedAtMs = this.#clock.monotonicMs();
  }

  isLong(): boolean {
    return this.#clock.monotonicMs() - this.#startedAtMs >= TURN_AFTER_MS;
  }

  async giveTurn(): Promise<void> {
    await new Promise<void>((resolve) => void this.#clock.setTimer(0, resolve));
    this.#startedAtMs = this.#clock.monotonicMs();
  }
}
