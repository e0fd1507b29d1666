import type { Clock } from '../core/clock.ts';
import type { Answer } from './http-server.ts';
import type { Exposition } from './metrics.ts';

const FRESH_MS = 1000;

/**
 * Serves /metrics. Collecting costs milliseconds and the text some hundred kB, so scrapes of one
 * second share one collection and one buffer, however many ask.
 */
export function serveMetrics(
  collect: () => Promise<Exposition>,
  clock: Clock,
): (url: URL) => Promise<Answer> {
  let shared: Promise<Answer> | undefined;
  let staleAtMs = 0;
  const share = async (): Promise<Answer> => {
    staleAtMs = Number.POSITIVE_INFINITY;
    const answer = await answerMetrics(collect);
    staleAtMs = clock.monotonicMs() + FRESH_MS;
    return answer;
  };
  return async ({ pathname }) => {
    if (pathname !== '/metrics') return { status: 404, body: 'this port serves /metrics\n' };
    if (shared === undefined || clock.monotonicMs() >= staleAtMs) shared = share();
    return shared;
  };
}

async function answerMetrics(collect: () => Promise<Exposition>): Promise<Answer> {
  try {
    const { contentType, text } = await collect();
    return { status: 200, body: Buffer.from(text), contentType };
  } catch {
    return { status: 500, body: 'the metrics could not be collected\n' };
  }
}
