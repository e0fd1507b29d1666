import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { connect } from 'node:tls';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';

export interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  /** Cookies that it sets, as a client sends them back. */
  readonly cookie: string;
  readonly body: string;
}

export interface Asked {
  readonly path?: string;
  /** Default: the DNS name of the load balancer. */
  readonly host?: string;
  readonly cookie?: string;
}

/** What connects at once fits into the queue of a socket that listens (511), whatever holds up its process. */
const CONNECTIONS = { maxSockets: 400, maxFreeSockets: 400 } as const;

const http = new HttpAgent({ keepAlive: true, ...CONNECTIONS });
const https = new HttpsAgent({ keepAlive: true });

/** Sends a GET to a listener of the stand-in, as from outside by the host's name; any certificate will do. */
export function askListener(
  { address, dnsName, protocol }: ListenerAddress,
  { path = '/', host = dnsName, cookie }: Asked = {},
): Promise<Answer> {
  const url = `${protocol.toLowerCase()}://${address}${path}`;
  const headers = { host, ...(cookie !== undefined && { cookie }) };
  return new Promise((resolve, reject) => {
    const request =
      protocol === 'HTTPS'
        ? requestHttps(url, { agent: https, headers, servername: host, rejectUnauthorized: false })
        : requestHttp(url, { agent: http, headers });
    request.on('error', reject).end();
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: given } = response;
        const set = (given['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ');
        const body = Buffer.concat(chunks).toString();
        resolve({ status, location: given.location, cookie: set, body });
      });
    });
  });
}

/** The names in the certificate that a client is shown which asks for this host. */
export function askCertificate(
  { address }: ListenerAddress,
  servername: string,
): Promise<string | undefined> {
  const [host, port] = address.split(':');
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const socket = connect({ host, port: Number(port), servername, rejectUnauthorized: false });
  socket.on('error', reject);
  socket.on('secureConnect', () => {
    resolve(socket.getPeerCertificate().subjectaltname);
    socket.destroy();
  });
  return promise;
}

/** Requests one after the other on several connections, until stopped: all answers, oldest first. */
export class RequestStream {
  readonly answers: Answer[] = [];
  readonly #running: Promise<unknown>;
  #isStopped = false;

  constructor(listener: ListenerAddress, asked: Asked = {}, connections = 4) {
    const askOn = async (): Promise<void> => {
      while (!this.#isStopped) this.answers.push(await askListener(listener, asked));
    };
    this.#running = Promise.all(Array.from({ length: connections }, askOn));
    this.#running.catch(() => {}); // thrown by stop
  }

  /** Throws where a connection failed: a load balancer answers whatever becomes of its targets. */
  async stop(): Promise<readonly Answer[]> {
    this.#isStopped = true;
    await this.#running;
    return this.answers;
  }
}
