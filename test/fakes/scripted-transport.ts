import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
} from '../../src/kube/client/kube-transport.ts';

/** What a scripted API server does with a request. */
export type Answer =
  | { readonly status: number; readonly json: unknown; readonly headers?: Record<string, string> }
  | { readonly stream: ScriptedStream }
  | { readonly error: Error }
  /** No answer until the request is aborted. */
  | 'hang';

/** A promise is an answer that takes its time. */
export type AnswerTo = (request: KubeRequest, index: number) => Answer | Promise<Answer>;

/** A KubeTransport whose answers a test gives; it keeps every request. */
export class ScriptedTransport implements KubeTransport {
  readonly requests: KubeRequest[] = [];
  readonly #answer: AnswerTo;
  #pending = 0;

  constructor(answer: AnswerTo) {
    this.#answer = answer;
  }

  /** Requests without an answer, and streams still open. */
  get pending(): number {
    return this.#pending;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    request.signal?.throwIfAborted();
    request.beforeSend?.();
    this.requests.push(request);
    const answer = await this.#answer(request, this.requests.length - 1);
    if (answer === 'hang') return this.#hang(request);
    if ('error' in answer) throw answer.error;
    if ('stream' in answer) return this.#open(answer.stream, request);
    return jsonResponse(answer.status, answer.json, answer.headers);
  }

  async #hang(request: KubeRequest): Promise<never> {
    request.signal?.throwIfAborted(); // it may have ended while the answer was thought of
    this.#pending += 1;
    try {
      return await new Promise<never>((_, reject) => {
        const { signal } = request;
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    } finally {
      this.#pending -= 1;
    }
  }

  #open(stream: ScriptedStream, request: KubeRequest): KubeResponse {
    this.#pending += 1;
    const onClose = (): void => {
      this.#pending -= 1;
    };
    return { status: 200, headers: {}, body: stream.body(request.signal, onClose) };
  }
}

export function jsonResponse(
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): KubeResponse {
  const bytes = Buffer.from(JSON.stringify(json));
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  return { status, headers, body: body() };
}

/** The body of one watch, written by the test while it is read. */
export class ScriptedStream {
  readonly #chunks: (Uint8Array | Error | undefined)[] = [];
  #wake = (): void => {};

  /** One line of JSON per value, all in one chunk. */
  push(...values: readonly unknown[]): this {
    return this.pushBytes(
      Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join('')),
    );
  }

  pushBytes(bytes: Uint8Array): this {
    return this.#add(bytes);
  }

  /** Ends the body in good order. */
  end(): this {
    return this.#add(undefined);
  }

  /** Breaks the connection. */
  break(error: Error = new Error('other side closed')): this {
    return this.#add(error);
  }

  async *body(signal: AbortSignal | undefined, onClose: () => void): AsyncGenerator<Uint8Array> {
    const wake = (): void => this.#wake();
    signal?.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        while (this.#chunks.length === 0 && !signal?.aborted) await this.#arrival();
        signal?.throwIfAborted();
        const chunk = this.#chunks.shift();
        if (chunk === undefined) return;
        if (chunk instanceof Error) throw chunk;
        yield chunk;
      }
    } finally {
      signal?.removeEventListener('abort', wake);
      onClose();
    }
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #add(chunk: Uint8Array | Error | undefined): this {
    this.#chunks.push(chunk);
    this.#wake();
    return this;
  }
}

/** A watch that begins with all objects of a collection, and has no change. */
export function collection(...objects: readonly object[]): Answer {
  const stream = new ScriptedStream();
  for (const object of objects) stream.push({ type: 'ADDED', object });
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  stream.push({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '7', annotations } } });
  return { stream };
}
