import { request as requestHttp } from 'node:http';
import { connect, type OutgoingHttpHeaders } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { type Clock, startDeadline } from '../../../src/core/ports/clock.ts';
import { countOwnTime } from '../own-time.ts';
import type { ProbeOutcome } from './health-judgement.ts';
import type { TargetTable } from './target-table.ts';

export interface Probe {
  readonly protocol: 'HTTP' | 'HTTPS';
  readonly version: 'HTTP1' | 'HTTP2' | 'GRPC';
  /** As it is registered. */
  readonly id: string;
  readonly port: number;
  readonly path: string;
  readonly timeoutMs: number;
}

/**
 * One health check over a connection of its own: a GET, or a call of gRPC; certificates are not verified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
export async function probeTarget(
  probe: Probe,
  { clock, targets }: { readonly clock: Clock; readonly targets: TargetTable },
  stopping: AbortSignal,
): Promise<ProbeOutcome> {
  const limit = startDeadline(countOwnTime(clock), probe.timeoutMs, stopping);
  const aborted = untilAborted(limit.signal);
  let stopWaiting = (): void => {};
  const mapped = new Promise<string>((resolve) => {
    stopWaiting = targets.whenMapped(probe.id, probe.port, resolve);
  });
  try {
    const address = await Promise.race([mapped, aborted]);
    const request = probe.version === 'HTTP1' ? requestStatus : requestHttp2Status;
    const code = await Promise.race([request(probe, address, limit.signal), aborted]);
    return { kind: 'answered', code };
  } catch {
    return { kind: limit.signal.aborted ? 'timedOut' : 'failed' };
  } finally {
    stopWaiting();
    limit.release();
  }
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html */
const USER_AGENT = 'ELB-HealthChecker/2.0';

function requestStatus(
  { protocol, id, port, path }: Probe,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  const headers = { host: `${id}:${port}`, 'user-agent': USER_AGENT };
  const options = { agent: false, headers, signal, rejectUnauthorized: false };
  const send = protocol === 'HTTPS' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = send(`${protocol.toLowerCase()}://${address}${path}`, options, (response) => {
      response.on('error', () => {}); // the code is all that counts
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** An empty message: not compressed, of length 0. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
const EMPTY_MESSAGE = Buffer.alloc(5);

/** The status of HTTP/2, or that of gRPC. */
function requestHttp2Status(probe: Probe, address: string, signal: AbortSignal): Promise<number> {
  const isGrpc = probe.version === 'GRPC';
  const origin = `${probe.protocol.toLowerCase()}://${address}`;
  const session = connect(origin, { rejectUnauthorized: false });
  return new Promise<number>((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request(toProbeHeaders(probe), { endStream: !isGrpc, signal });
    if (isGrpc) stream.end(EMPTY_MESSAGE);
    let code: string | number | string[] | undefined;
    stream.on('response', (headers) => {
      code = isGrpc ? headers['grpc-status'] : headers[':status'];
    });
    stream.on('trailers', (trailers) => {
      if (isGrpc) code ??= trailers['grpc-status'];
    });
    stream.on('error', reject);
    stream.on('close', () => {
      if (code === undefined) reject(new Error('the target has answered without a status'));
      else resolve(Number(code));
    });
    stream.resume();
  }).finally(() => session.destroy());
}

function toProbeHeaders({ id, path, port, version }: Probe): OutgoingHttpHeaders {
  const isGrpc = version === 'GRPC';
  return {
    ...{ ':method': isGrpc ? 'POST' : 'GET', ':path': path, ':authority': `${id}:${port}` },
    'user-agent': USER_AGENT,
    ...(isGrpc && { 'content-type': 'application/grpc', te: 'trailers' }),
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
