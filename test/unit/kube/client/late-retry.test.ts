import { expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';

it.each(['0', '1'])(
  'no request put off with Retry-After: %s is tried again after 30 s',
  async (after) => {
    const clock = new ManualClock();
    const begunMs: number[] = [];
    const transport = new ScriptedTransport(async () => {
      begunMs.push(clock.monotonicMs());
      await sleep(clock, 15_000, new AbortController().signal);
      const json = { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'x' };
      return { status: 429, json, headers: { 'retry-after': after } };
    });
    const client = new KubeClient({ transport, clock, metrics: new RecordingMetrics() });
    const request = client.request({ method: 'PATCH', path: '/x', body: '{}' });
    await expect(clock.finish(request)).rejects.toThrow();
    expect(Math.max(...begunMs)).toBeLessThanOrEqual(31_000);
  },
);
