import type { Dispatcher } from 'undici';

/**
 * The same pool, whose requests call `check` in the moment in which they are written to their socket:
 * before that a request may wait for a connection, and over an idle one for two turns of the event
 * loop. Where `check` throws, nothing is written, and the request fails with what was thrown.
 * https://undici.nodejs.org/#/docs/api/Dispatcher?id=dispatchercomposeinterceptors-interceptor
 */
export function checkedBeforeSend(pool: Dispatcher, check: (() => void) | undefined): Dispatcher {
  if (check === undefined) return pool;
  return pool.compose(
    (dispatch) => (options, handler) => dispatch(options, new CheckedHandler(handler, check)),
  );
}

type Handler = Dispatcher.DispatchHandler;
type Arguments<Method extends keyof Handler> = Parameters<NonNullable<Handler[Method]>>;

/** Hands everything on, after the check. */
class CheckedHandler implements Handler {
  readonly #inner: Handler;
  readonly #check: () => void;

  constructor(inner: Handler, check: () => void) {
    this.#inner = inner;
    this.#check = check;
  }

  onRequestStart(...args: Arguments<'onRequestStart'>): void {
    this.#check();
    this.#inner.onRequestStart?.(...args);
  }

  onResponseStart(...args: Arguments<'onResponseStart'>): void {
    this.#inner.onResponseStart?.(...args);
  }

  onResponseData(...args: Arguments<'onResponseData'>): void {
    this.#inner.onResponseData?.(...args);
  }

  onResponseEnd(...args: Arguments<'onResponseEnd'>): void {
    this.#inner.onResponseEnd?.(...args);
  }

  onResponseError(...args: Arguments<'onResponseError'>): void {
    this.#inner.onResponseError?.(...args);
  }
}
