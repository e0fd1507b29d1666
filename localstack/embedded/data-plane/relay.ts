import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { endToEndHeaders, groupHeaders, pairsOf } from './forwarded-headers.ts';
import { answerItself, type OwnAnswer } from './own-answer.ts';

/** One request of a client, and the response to it. */
export interface ClientExchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Of a client that asks for another protocol. */
  readonly upgrade?: { readonly socket: Duplex; readonly head: Buffer };
}

interface RelayOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  /** Headers that are added to the answer, as a flat list. */
  readonly cookies: readonly string[];
}

type Controller = Dispatcher.DispatchController;

/**
 * Carries one exchange with a target back to the client. Every failure of the target ends as in
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html#load-balancer-http-error-codes
 */
export class Relay implements Dispatcher.DispatchHandler {
  readonly #client: ClientExchange;
  readonly #idle: IdleTimer;
  readonly #onOver: () => void;
  readonly #cookies: readonly string[];
  #abort: (reason: Error) => void = () => {};
  #isOver = false;

  constructor(
    client: ClientExchange,
    { clock, idleMs, cookies }: RelayOptions,
    onOver: () => void,
  ) {
    this.#client = client;
    this.#onOver = onOver;
    this.#cookies = cookies;
    const idle = { status: 504, why: 'the target did not answer within the idle timeout' };
    this.#idle = new IdleTimer(clock, idleMs, () => this.fail(idle));
    client.response.once('close', () => this.#end(new Error('the client closed the connection')));
  }

  /** Ends the exchange; where the answer has begun already, by breaking the connection. */
  fail(answer: OwnAnswer): void {
    if (this.#isOver) return;
    this.#end(new Error(answer.why));
    answerItself(this.#client.response, answer);
  }

  onRequestStart(controller: Controller): void {
    this.#abort = (reason) => controller.abort(reason);
    if (this.#isOver) this.#abort(new Error('the exchange is over'));
  }

  onBodySent(): void {
    this.#idle.touch();
  }

  onResponseStart(controller: Controller, status: number): void {
    if (this.#isOver || status < 200) return;
    this.#idle.touch();
    const headers = [...endToEndHeaders(textsOf(controller)), ...this.#cookies];
    const { message, response } = this.#client;
    response.writeHead(status, message.httpVersionMajor === 2 ? groupHeaders(headers) : headers);
    // With the first of the body if that is there already, which is half the writes.
    setImmediate(() => {
      if (!response.writableEnded) response.flushHeaders();
    });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const { response } = this.#client;
    this.#idle.touch();
    if (this.#isOver || response.write(chunk)) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  onResponseEnd(_: Controller, trailers: IncomingHttpHeaders): void {
    if (this.#isOver) return;
    const { message, response } = this.#client;
    // HTTP/1.1 would have to announce them.
    if (message.httpVersionMajor === 2) response.addTrailers(trailers);
    response.end();
    this.#over();
  }

  onResponseError(_: Controller, error: Error): void {
    const isLate = (error as { code?: string }).code === 'UND_ERR_CONNECT_TIMEOUT';
    this.fail({ status: isLate ? 504 : 502, why: `the target failed: ${error.message}` });
  }

  onRequestUpgrade(controller: Controller, ...[, , target]: [number, unknown, Duplex]): void {
    const { response, upgrade } = this.#client;
    if (upgrade === undefined || this.#isOver) return void target.destroy();
    const { socket, head } = upgrade;
    response.detachSocket(socket as Parameters<typeof response.detachSocket>[0]);
    const lines = pairsOf(textsOf(controller)).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
    target.write(head);
    for (const [from, to] of [[socket, target] as const, [target, socket] as const]) {
      from.on('data', () => this.#idle.touch());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.#over();
      });
      from.pipe(to);
    }
    this.#abort = () => target.destroy();
  }

  #end(reason: Error): void {
    if (this.#isOver) return;
    this.#over();
    this.#abort(reason);
  }

  #over(): void {
    this.#isOver = true;
    this.#idle.stop();
    this.#onOver();
  }
}

function textsOf({ rawHeaders }: Controller): string[] {
  return Array.isArray(rawHeaders) ? rawHeaders.map((part) => part.toString('latin1')) : [];
}

/** Fires once nothing has moved for a while. */
class IdleTimer {
  readonly #clock: Clock;
  #touchedMs: number;
  #cancel: () => void;

  constructor(clock: Clock, idleMs: number, fire: () => void) {
    this.#clock = clock;
    this.#touchedMs = clock.monotonicMs();
    const check = (): void => {
      const leftMs = this.#touchedMs + idleMs - clock.monotonicMs();
      if (leftMs <= 0) fire();
      else this.#cancel = clock.setTimer(leftMs, check);
    };
    this.#cancel = clock.setTimer(idleMs, check);
  }

  touch(): void {
    this.#touchedMs = this.#clock.monotonicMs();
  }

  stop(): void {
    this.#cancel();
  }
}
