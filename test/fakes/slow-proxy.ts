import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, request as ask } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SlowProxy {
  /** Base address, plain HTTP. */
  readonly url: string;
  /** From now on every request but a watch waits this long before it is passed on. */
  readonly delayBy: (ms: number) => void;
  readonly stop: () => Promise<void>;
}

/** An API server that is slow for everybody: an HTTP proxy on 127.0.0.1 in front of the real one. */
export async function startSlowProxy(target: {
  readonly url: string;
  readonly caPem: string;
}): Promise<SlowProxy> {
  let delayMs = 0;
  const agent = new Agent({ keepAlive: true, ca: target.caPem });
  const server = createServer((incoming, outgoing) => {
    const { url: path = '/', method = 'GET', headers } = incoming;
    const send = (): void => {
      const sent = ask(new URL(path, target.url), { method, headers, agent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on('error', () => outgoing.destroy());
      outgoing.on('close', () => sent.destroy());
      incoming.pipe(sent);
    };
    if (path.includes('watch=true')) send();
    else void sleep(delayMs).then(send);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayBy: (ms) => {
      delayMs = ms;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
