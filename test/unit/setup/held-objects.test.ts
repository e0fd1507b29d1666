import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServedBench } from './served-bench.ts';

const MINUTE_MS = 60_000;
const HOLDS = [
  ['albridge.io/paused', 'true'],
  ['albridge.io/mode', 'plan'],
] as const;

let bench: ServedBench;

beforeEach(async () => {
  bench = new ServedBench();
  await bench.serve(['10.0.0.4', '10.0.0.5']);
  expect(bench.status.targets).toBe('2/2');
});
afterEach(() => bench.stop());

async function hold(key: string, value: string): Promise<void> {
  bench.editIngress({ metadata: { annotations: { [key]: value } } });
  await bench.clock.advance(MINUTE_MS);
}

describe.each(HOLDS)('an object with %s: %s', (key, value) => {
  it('says that a backend is not resolved once its Service is missing for long', async () => {
    await hold(key, value);
    bench.send('DELETE', '/api/v1/namespaces/web/services/shop', {});
    await bench.clock.advance(10 * MINUTE_MS);
    expect(bench.registered).toEqual([]);
    expect(bench.condition('BackendsResolved')).toMatch(/^False ServiceNotFound/);
  });

  it('does not say of the edited spec that every backend has targets', async () => {
    await hold(key, value);
    bench.editIngress({
      spec: {
        backends: [
          { name: 'shop', service: { name: 'shop', port: 'http' } },
          { name: 'cart', service: { name: 'cart', port: 'http' } },
        ],
        defaultAction: { forward: [{ backend: 'cart' }] },
      },
    });
    await bench.clock.advance(10 * MINUTE_MS);
    const found = bench.status.conditions?.find(({ type }) => type === 'BackendsResolved');
    expect({ status: found?.status, generation: found?.observedGeneration }).not.toEqual({
      status: 'True',
      generation: 2,
    });
  });

  it('counts the targets that are left', async () => {
    await hold(key, value);
    bench.runPods({});
    await bench.clock.advance(20 * MINUTE_MS);
    expect(bench.registered).toEqual([]);
    expect(bench.status.targets).toBe('0/0');
    expect(bench.condition('BackendsResolved')).toContain('False NoReadyEndpoints');
    expect(bench.condition('TargetsHealthy')).toContain('False NoTargets');
  });
});
