import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';

export interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

export interface Asked {
  readonly path?: string;
  /** Default: the DNS name of the load balancer. */
  readonly host?: string;
}

const http = new HttpAgent({ keepAlive: true });
const https = new HttpsAgent({ keepAlive: true });

/** Sends a GET to a listener of the stand-in, as from outside by the host's name; any certificate will do. */
export function askListener(
  { address, dnsName, protocol }: ListenerAddress,
  { path = '/', host = dnsName }: Asked = {},
): Promise<Answer> {
  const url = `${protocol.toLowerCase()}://${address}${path}`;
  const headers = { host };
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
        resolve({ status, location: given.location, body: Buffer.concat(chunks).toString() });
      });
    });
  });
}
