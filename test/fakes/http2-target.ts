import type { IncomingHttpHeaders } from 'node:http2';
import {
  createSecureServer,
  createServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from './certificate.ts';

/** Something that speaks HTTP/2 on the loopback, as a pod of gRPC would. */
export interface Http2Target {
  /** `127.0.0.1:40123` */
  readonly address: string;
  /** Breaks its connections. */
  stop(): Promise<void>;
}

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** Without negotiation, or with TLS and a certificate of its own. */
export async function startHttp2Target(
  answer: Answer,
  { isSecure = false }: { readonly isSecure?: boolean } = {},
): Promise<Http2Target> {
  const sessions = new Set<ServerHttp2Session>();
  const server = isSecure ? createSecureServer(await ownCertificate()) : createServer();
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('error', () => {});
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    answer(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const session of sessions) session.destroy();
    });
  return { address: `127.0.0.1:${port}`, stop };
}

async function ownCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const { certificate, privateKey } = await makeCertificate(['pod'], { algorithm: 'ECDSA' });
  return { cert: certificate, key: privateKey };
}
