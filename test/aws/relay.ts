import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { findFreePort } from '../control-plane/free-port.ts';

/** What becomes of a request instead of its way to the backend. */
export type RelayEffect =
  | { readonly kind: 'error'; readonly code: string; readonly status: number }
  | { readonly kind: 'page'; readonly status: number; readonly body: string }
  /** The connection breaks; with `isApplied` the backend has carried the request out. */
  | { readonly kind: 'broken'; readonly isApplied: boolean }
  /** The backend's answer without its second half. */
  | { readonly kind: 'half' };

export interface RelayRule {
  /** One operation, or every one. */
  readonly operation?: string;
  /** Text that the request's body must hold. */
  readonly containing?: string;
  /** How many requests it meets; default all. */
  readonly times?: number;
  readonly effect: RelayEffect;
}

export interface RelayedAnswer {
  readonly operation: string;
  readonly status: number;
  readonly body: string;
}

export interface RelayedCall {
  readonly operation: string;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

interface PendingRule extends RelayRule {
  left: number;
}

/**
 * Stands between a client and a backend that cannot fail on demand: hands requests on, notes them,
 * and answers some of them itself.
 */
export class Relay {
  readonly calls: RelayedCall[] = [];
  /** Told of each answer of the backend. */
  onAnswer: ((answer: RelayedAnswer) => void) | undefined;
  readonly #target: URL;
  // LocalStack closes an idle connection after 5 s without having said so: ours is let go before.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16, timeout: 4000 });
  #rules: PendingRule[] = [];
  #server: Server | undefined;
  #port: number;

  /** `port`: default any free one. */
  constructor(target: string, port = 0) {
    this.#target = new URL(target);
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, after the first time on the same port as before. */
  async open(): Promise<void> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch(() => request.socket.destroy());
    });
    // Not one of the system's choice: while it is closed an outgoing connection might take that.
    if (this.#port === 0) this.#port = await findFreePort();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
  }

  /** Nothing listens any more, and what was open is broken. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    if (server !== undefined) await new Promise((closed) => server.close(closed));
  }

  async stop(): Promise<void> {
    await this.close();
    this.#agent.destroy();
  }

  /** Returns what takes the rule back. */
  add(rule: RelayRule): () => void {
    const pending = { ...rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.push(pending);
    return () => {
      this.#rules = this.#rules.filter((one) => one !== pending);
    };
  }

  clearRules(): void {
    this.#rules = [];
  }

  /** Operations that change this balancer, of those handed on. */
  writesOn(arn: string): readonly string[] {
    const named = this.calls.filter(({ body }) => decodeURIComponent(body).includes(arn));
    return named.map(({ operation }) => operation).filter((name) => !name.startsWith('Describe'));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const text = body.toString();
    const operation = /(?:^|&)Action=(\w+)/.exec(text)?.[1] ?? '';
    const effect = this.#effectOn(operation, text);
    const answer = instead(effect) ?? (await this.#handOn(request, body, operation));
    if (effect?.kind === 'broken') return void request.socket.destroy();
    const { length } = answer.body;
    const shown = effect?.kind === 'half' ? answer.body.subarray(0, length / 2) : answer.body;
    const headers = { 'content-type': answer.type, 'content-length': shown.length };
    response.writeHead(answer.status, headers).end(shown);
  }

  async #handOn(request: IncomingMessage, body: Buffer, operation: string): Promise<Answer> {
    this.calls.push({ operation, body: body.toString() });
    const answer = await this.#forward(request, body);
    this.onAnswer?.({ operation, status: answer.status, body: answer.body.toString() });
    return answer;
  }

  #effectOn(operation: string, body: string): RelayEffect | undefined {
    const rule = this.#rules.find(
      (one) =>
        one.left > 0 &&
        (one.operation ?? operation) === operation &&
        body.includes(one.containing ?? ''),
    );
    if (rule !== undefined) rule.left--;
    return rule?.effect;
  }

  #forward(request: IncomingMessage, body: Buffer): Promise<Answer> {
    const options = {
      agent: this.#agent,
      method: request.method,
      headers: { ...request.headers, connection: 'keep-alive' },
    };
    return new Promise((resolve, reject) => {
      const url = new URL(request.url ?? '/', this.#target);
      const sent = httpRequest(url, options, (answer) => {
        const type = answer.headers['content-type'] ?? 'text/xml';
        buffer(answer).then(
          (text) => resolve({ status: answer.statusCode ?? 0, type, body: text }),
          reject,
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** The answer that the backend is not asked for; undefined: ask it. */
function instead(effect: RelayEffect | undefined): Answer | undefined {
  switch (effect?.kind) {
    case 'error':
      return { status: effect.status, type: 'text/xml', body: errorBody(effect) };
    case 'page':
      return { status: effect.status, type: 'text/html', body: Buffer.from(effect.body) };
    case 'broken':
      return effect.isApplied ? undefined : { status: 0, type: '', body: Buffer.of() };
    case 'half':
    case undefined:
      return undefined;
  }
}

/** As AWS writes it: https://smithy.io/2.0/aws/protocols/aws-query-protocol.html */
function errorBody({ code, status }: { readonly code: string; readonly status: number }): Buffer {
  const fault = status >= 500 ? 'Receiver' : 'Sender';
  const error = `<Error><Type>${fault}</Type><Code>${code}</Code><Message>said by AWS</Message></Error>`;
  return Buffer.from(`<ErrorResponse>${error}<RequestId>0</RequestId></ErrorResponse>`);
}
