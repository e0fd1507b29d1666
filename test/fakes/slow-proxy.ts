import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as ask } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
}

export interface SlowProxy {
  /** Base address, plain HTTP. */
  readonly url: string;
  /** From now on every request but a watch waits this long before it is passed on. */
  readonly delayBy: (ms: number) => void;
  /** From now on these requests get no answer. */
  readonly holdBack: (isHeld: (request: ProxiedRequest) => boolean) => void;
  /** What is being held, and has not been given up by its sender. */
  readonly countHeld: () => number;
  /** The most requests that have waited at once. */
  readonly mostDelayed: () => number;
  readonly stop: () => Promise<void>;
}

/** An API server that is slow for everybody: an HTTP proxy on 127.0.0.1 in front of the real one. */
export async function startSlowProxy(
  target: { readonly url: string; readonly caPem: string },
  /** Called when a request has its answer, or its sender gave it up. */
  onEnd: (request: ProxiedRequest) => void = () => {},
): Promise<SlowProxy> {
  const delay = new Delay();
  let isHeld: (request: ProxiedRequest) => boolean = () => false;
  const held = new Set<ProxiedRequest>();
  const agent = new Agent({ keepAlive: true, ca: target.caPem });
  const server = createServer((incoming, outgoing) => {
    const { url: path = '/', method = 'GET' } = incoming;
    const request = { method, path };
    outgoing.on('close', () => {
      held.delete(request);
      onEnd(request);
    });
    const send = (): void => passOn(incoming, outgoing, { url: target.url, agent });
    if (isHeld(request)) held.add(request);
    else if (path.includes('watch=true')) send();
    else void delay.wait().then(send);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayBy: (ms) => {
      delay.ms = ms;
    },
    holdBack: (choose) => {
      isHeld = choose;
    },
    countHeld: () => held.size,
    mostDelayed: () => delay.most,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

class Delay {
  ms = 0;
  /** The most that have waited at once. */
  most = 0;
  #waiting = 0;

  async wait(): Promise<void> {
    this.#waiting += 1;
    this.most = Math.max(this.most, this.#waiting);
    await sleep(this.ms);
    this.#waiting -= 1;
  }
}

function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { url, agent }: { readonly url: string; readonly agent: Agent },
): void {
  const { url: path = '/', method = 'GET', headers } = incoming;
  const sent = ask(new URL(path, url), { method, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  incoming.pipe(sent);
}
