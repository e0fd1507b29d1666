import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** How often a log says that the same thing is still under way. */
const LOG_INTERVAL_MS = 30_000;

/** A terminal, or a file. */
type Output = Writable & { readonly isTTY?: boolean };

interface Note {
  /** What it is about: the text before its first colon. */
  readonly subject: string;
  readonly text: string;
  readonly atMs: number;
}

/** Prints a play in steps: each with a tick and its seconds, plain lines where nobody watches. */
export class Stage {
  readonly #out: Output;
  readonly #now: () => number;
  #steps = 0;
  #note: Note | undefined;
  #isOver = false;

  constructor(out: Output, now = (): number => performance.now()) {
    this.#out = out;
    this.#now = now;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Runs one step; its failure is printed and thrown on. */
  async step<T>(title: string, act: () => Promise<T>): Promise<T> {
    const startedMs = this.#now();
    this.#note = undefined;
    const stopClock = this.#showClock(title, startedMs);
    try {
      const result = await act();
      stopClock();
      this.#line(`${this.#paint('green', '✓')} ${title} ${this.#seconds(startedMs)}`);
      this.#steps += 1;
      return result;
    } catch (error) {
      stopClock();
      this.#line(`${this.#paint('red', '✗')} ${title} ${this.#seconds(startedMs)}`);
      throw error;
    }
  }

  /** What a command printed, as it printed it. */
  show(command: string, output: string): void {
    this.#line(`\n${this.#paint('bold', `$ ${command}`)}\n${output.trimEnd()}\n`);
  }

  say(text: string): void {
    this.#line(text);
  }

  /**
   * Progress within a step. The first note explains and stays. On a terminal each later one takes the place of
   * the one before; a log has a line for each subject, and again when it still goes on after 30 s.
   */
  note(text: string): void {
    const last = this.#note;
    const [subject = ''] = text.split(':');
    const isRepeated = last?.subject === subject && this.#now() - last.atMs < LOG_INTERVAL_MS;
    if (this.#out.isTTY !== true && isRepeated) return;
    this.#note = { subject, text, atMs: this.#now() };
    if (last !== undefined && this.#out.isTTY === true) return;
    this.#line(`${this.#out.isTTY === true ? '\r\x1b[K' : ''}  ${text}`);
  }

  /** Nothing is printed after this: what fails from now on fails because everything is stopped. */
  end(): void {
    this.#isOver = true;
  }

  /** A terminal sees the seconds run; a log gets a line now and then. */
  #showClock(title: string, startedMs: number): () => void {
    if (this.#out.isTTY !== true) {
      const timer = setInterval(
        () => this.#line(`  ${title}: ${this.#seconds(startedMs)}`),
        LOG_INTERVAL_MS,
      );
      return () => clearInterval(timer);
    }
    const draw = (): void => {
      if (this.#isOver) return;
      const note = this.#note === undefined ? '' : ` ${this.#note.text}`;
      this.#out.write(`\r\x1b[K  ${title} ${this.#seconds(startedMs)}${note}`);
    };
    draw();
    const timer = setInterval(draw, 250);
    return () => {
      clearInterval(timer);
      this.#out.write('\r\x1b[K');
    };
  }

  #seconds(startedMs: number): string {
    return this.#paint('dim', `(${((this.#now() - startedMs) / 1000).toFixed(1)} s)`);
  }

  #paint(style: 'green' | 'red' | 'bold' | 'dim', text: string): string {
    return styleText(style, text, { stream: this.#out });
  }

  #line(text: string): void {
    if (this.#isOver) return;
    this.#out.write(`${text}\n`);
  }
}
