import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServedBench } from './served-bench.ts';

const [OLD, NEW] = ['10.0.0.4', '10.0.0.5'];
const INGRESS = '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses/shop';
const MINUTE_MS = 60_000;

let bench: ServedBench;

beforeEach(async () => {
  bench = new ServedBench();
  await bench.serve([OLD], { readinessGates: true });
});
afterEach(() => bench.stop());

/** A rolling update begins: AWS has yet to find the new pod healthy. */
async function rollOut(): Promise<void> {
  bench.createGatedPod(NEW);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
  await bench.clock.advance(MINUTE_MS);
  expect(bench.registered).toContain(NEW);
}

it('a gate waits for AWS while the MyIngress stands', async () => {
  await rollOut();
  expect(bench.gate(NEW)).toBeUndefined();
  bench.check(NEW, { state: 'healthy' });
  await bench.clock.advance(MINUTE_MS);
  expect(bench.gate(NEW)).toBe('Healthy');
});

describe('a gate waits for AWS while the load balancer goes on to serve', () => {
  it('as deletion protection blocks its deletion', async () => {
    bench.editIngress({ spec: { attributes: { 'deletion_protection.enabled': 'true' } } });
    await bench.clock.advance(MINUTE_MS);
    bench.send('DELETE', INGRESS, {});
    await bench.clock.advance(MINUTE_MS);
    expect(bench.condition('Ready')).toContain('DeletionBlocked');
    await rollOut();
    expect(bench.gate(NEW)).toBeUndefined();
  });

  it('as its deletion waits for the end of a pause', async () => {
    bench.editIngress({ metadata: { annotations: { 'albridge.io/paused': 'true' } } });
    await bench.clock.advance(MINUTE_MS);
    bench.send('DELETE', INGRESS, {});
    await bench.clock.advance(MINUTE_MS);
    await rollOut();
    expect(bench.gate(NEW)).toBeUndefined();
  });
});
