import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Clock, startDeadline } from '../../../src/core/ports/clock.ts';
import type { ProbeOutcome } from './health-judgement.ts';
import type { TargetTable } from './target-table.ts';

export interface Probe {
  readonly protocol: 'HTTP' | 'HTTPS';
  /** As it is registered. */
  readonly id: string;
  readonly port: number;
  readonly path: string;
  readonly timeoutMs: number;
}

/**
 * One health check: a GET over a connection of its own; certificates are not verified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
export async function probeTarget(
  probe: Probe,
  { clock, targets }: { readonly clock: Clock; readonly targets: TargetTable },
  stopping: AbortSignal,
): Promise<ProbeOutcome> {
  const limit = startDeadline(clock, probe.timeoutMs, stopping);
  const aborted = untilAborted(limit.signal);
  let stopWaiting = (): void => {};
  const mapped = new Promise<string>((resolve) => {
    stopWaiting = targets.whenMapped(probe.id, probe.port, resolve);
  });
  try {
    const address = await Promise.race([mapped, aborted]);
    const code = await Promise.race([requestStatus(probe, address, limit.signal), aborted]);
    return { kind: 'answered', code };
  } catch {
    return { kind: limit.signal.aborted ? 'timedOut' : 'failed' };
  } finally {
    stopWaiting();
    limit.release();
  }
}

function requestStatus(
  { protocol, id, port, path }: Probe,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html
  const headers = { host: `${id}:${port}`, 'user-agent': 'ELB-HealthChecker/2.0' };
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

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
