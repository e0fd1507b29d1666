import { describe, expect, it } from 'vitest';
import { createFailure } from '../../../../../src/core/reconcile/failure.ts';
import { kubeReasons } from '../../../../../src/kube/client/kube-reasons.ts';
import { heal, MINUTE_MS, NEW, OLD, rolling } from './rolling.ts';

/** All writes fail from now on. */
function refuseWrites({ failures }: { readonly failures: Error[] }): void {
  const refusal = createFailure(kubeReasons, 'Forbidden', { observed: 'no' });
  failures.push(...Array.from({ length: 1_000 }, () => refusal));
}

describe('a gate that the API server does not let open', () => {
  it('is tried ever more rarely, whatever becomes of the groups meanwhile', async () => {
    const { bench, pods } = await rolling();
    refuseWrites(pods);
    heal(bench);
    await bench.clock.advance(10 * MINUTE_MS);
    expect(1_000 - pods.failures.length).toBeLessThanOrEqual(20);
    expect(pods.written).toEqual([]);
  });

  it('is tried no more often because endpoints of the namespace change', async () => {
    const { bench, pods } = await rolling();
    refuseWrites(pods);
    heal(bench);
    for (let round = 0; round < 60; round += 1) {
      bench.runPods({ [OLD]: 'ready', [NEW]: 'unready', [`10.0.1.${round + 4}`]: 'ready' });
      await bench.clock.advance(1_000);
    }
    expect(1_000 - pods.failures.length).toBeLessThanOrEqual(12);
  });
});
