import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { countOwnTime } from '../own-time.ts';
import { endToEndHeaders, groupHeaders, groupTrailers, pairsOf } from './forwarded-headers.ts';
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
  /** Headers that the answer has in place of the target's own. */
  readonly replaced: ReadonlyMap<string, string>;
}

/** Not adjustable: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html#http-504-issues */
const CONNECT_TIMEOUT_MS = 10_000;

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
  readonly #replaced: ReadonlyMap<string, string>;
  readonly #stopConnecting: () => void;
  #abort: (reason: Error) => void = () => {};
  #isOver = false;

  constructor(
    client: ClientExchange,
    { clock, idleMs, cookies, replaced }: RelayOptions,
    onOver: () => void,
  ) {
    this.#client = client;
    this.#onOver = onOver;
    this.#cookies = cookies;
    this.#replaced = replaced;
    const late = { status: 504, why: 'no connection to the target within 10 s' };
    const limits = countOwnTime(clock);
    this.#stopConnecting = limits.setTimer(CONNECT_TIMEOUT_MS, () => this.fail(late));
    this.#idle = new IdleTimer(clock, idleMs, () => this.fail(describeSilence(client)));
    client.response.once('close', () => this.#end(new Error('the client closed the connection')));
  }

  /** Ends the exchange; where the answer has begun already, by breaking the connection. */
  fail(answer: OwnAnswer): void {
    if (this.#isOver) return;
    this.#end(new Error(answer.why));
    answerItself(this.#client.response, answer);
  }

  /** The target is connected, TLS included. */
  onRequestStart(controller: Controller): void {
    this.#stopConnecting();
    this.#abort = (reason) => controller.abort(reason);
    if (this.#isOver) this.#abort(new Error('the exchange is over'));
  }

  onBodySent(): void {
    this.#idle.touch();
  }

  onResponseStart(controller: Controller, status: number): void {
    if (this.#isOver || status < 200) return;
    this.#idle.touch();
    const sent = pairsOf(endToEndHeaders(textsOf(controller)));
    const kept = sent.filter(([name]) => !this.#replaced.has(name.toLowerCase()));
    const headers = [...kept.flat(), ...[...this.#replaced].flat(), ...this.#cookies];
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
    if (message.httpVersionMajor === 2) response.addTrailers(groupTrailers(trailers));
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
    this.#stopConnecting();
    this.#idle.stop();
    this.#onOver();
  }
}

/** Whoever has its turn: the client that has not sent all of its body, or the target. */
function describeSilence({ message, upgrade }: ClientExchange): OwnAnswer {
  if (upgrade !== undefined || message.complete) {
    return { status: 504, why: 'the target did not answer within the idle timeout' };
  }
  const why = 'the client did not send the rest of its request within the idle timeout';
  return { status: 408, why, isLast: true };
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
