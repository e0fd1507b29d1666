/** The body of an answer, written while it is read; one reader. */
export class ByteStream implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  readonly #onClose: () => void;
  #end: { readonly error?: Error } | undefined;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(signal: AbortSignal | undefined, onClose: () => void = () => {}) {
    this.#onClose = onClose;
    signal?.addEventListener('abort', () => this.fail(signal.reason as Error), { once: true });
  }

  push(chunk: Uint8Array): void {
    if (this.#end === undefined) this.#chunks.push(chunk);
    this.#wake?.();
  }

  /** In good order. */
  end(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  /** At once: what was not read yet is lost. */
  fail(error: Error): void {
    if (this.#end?.error) return;
    this.#end = { error };
    this.#chunks.length = 0;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next(), return: () => this.#return() };
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    while (this.#chunks.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) return { done: false, value: chunk };
    this.#close();
    if (this.#end?.error) throw this.#end.error;
    return { done: true, value: undefined };
  }

  async #return(): Promise<IteratorResult<Uint8Array>> {
    this.#close();
    return { done: true, value: undefined };
  }

  #close(): void {
    this.#end ??= {};
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
  }
}
