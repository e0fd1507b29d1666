// Lives here: one HTTP exchange over an undici pool.
// May import it: src/kube and src/aws. They own the pools.
// Start with: this file, the only one.

import type { Dispatcher } from 'undici';

/** One request whose answer is read as a whole. */
export interface Exchange {
  readonly origin: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A longer body is not read to its end: the exchange fails with BodyTooLarge. */
  readonly maxBytes?: number | undefined;
  /**
   * Called in the moment in which the request is written to its socket: before that it may wait for
   * a connection, and over an idle one for two turns of the event loop. When it throws, nothing is
   * written, and the exchange fails with what was thrown.
   */
  readonly beforeSend?: (() => void) | undefined;
}

export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`);
    this.name = 'BodyTooLarge';
  }
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** In the pieces in which it came. */
  readonly body: readonly Uint8Array[];
}

/**
 * Rejects with the signal's reason, with what `beforeSend` threw, or with the connection's error; a
 * part of an answer is none. A request that was aborted before it was written is never written.
 * No stream is made for the body, which costs more than all the rest of a short answer.
 * https://undici.nodejs.org/#/docs/api/Dispatcher?id=dispatcherdispatchoptions-handler
 */
export function exchange(pool: Dispatcher, request: Exchange): Promise<Answer> {
  const { origin, path, method, headers, body = null } = request;
  return new Promise((resolve, reject) => {
    request.signal?.throwIfAborted();
    const collector = new Collector(request, { resolve, reject });
    pool.dispatch({ origin, path, method, headers, body }, collector);
  });
}

/** Undici's headers with each name's values in one string. */
export function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const plain = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(plain);
}

interface Promised {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #request: Exchange;
  readonly #promised: Promised;
  readonly #pieces: Uint8Array[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};

  constructor(request: Exchange, promised: Promised) {
    this.#request = request;
    this.#promised = promised;
    request.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#request.signal?.throwIfAborted();
    this.#request.beforeSend?.();
    this.#controller = controller;
  }

  /** Also called for each informational answer (1xx); the last one counts. */
  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = joinHeaders(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#request;
    this.#bytes += piece.length;
    if (this.#bytes > maxBytes) controller.abort(new BodyTooLarge(maxBytes));
    else this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    this.#unlisten();
    const [status, headers, body] = [this.#status, this.#headers, this.#pieces];
    this.#promised.resolve({ status, headers, body });
  }

  onResponseError(_: unknown, error: Error): void {
    this.#unlisten();
    this.#promised.reject(error);
  }

  readonly #onAbort = (): void => {
    const reason = this.#request.signal?.reason as Error;
    if (this.#controller) this.#controller.abort(reason);
    else this.#promised.reject(reason);
  };

  #unlisten(): void {
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }
}
