import { styleText } from 'node:util';

/** Prints a play in steps: each with a tick and its seconds, plain lines where nobody watches. */
export class Stage {
  readonly #out: NodeJS.WriteStream;
  #steps = 0;
  #isOver = false;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Runs one step; its failure is printed and thrown on. */
  async step<T>(title: string, act: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
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

  /** Nothing is printed after this: what fails from now on fails because everything is stopped. */
  end(): void {
    this.#isOver = true;
  }

  /** A terminal sees the seconds run; elsewhere a long step says once that it goes on. */
  #showClock(title: string, startedMs: number): () => void {
    if (!this.#out.isTTY) {
      const timer = setInterval(
        () => this.#line(`  ${title}: ${this.#seconds(startedMs)}`),
        10_000,
      );
      return () => clearInterval(timer);
    }
    const draw = (): void => {
      if (this.#isOver) return;
      this.#out.write(`\r\x1b[K  ${title} ${this.#seconds(startedMs)}`);
    };
    draw();
    const timer = setInterval(draw, 250);
    return () => {
      clearInterval(timer);
      this.#out.write('\r\x1b[K');
    };
  }

  #seconds(startedMs: number): string {
    return this.#paint('dim', `(${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
  }

  #paint(style: 'green' | 'red' | 'bold' | 'dim', text: string): string {
    return styleText(style, text, { stream: this.#out });
  }

  #line(text: string): void {
    if (this.#isOver) return;
    this.#out.write(`${text}\n`);
  }
}
