import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sleep } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ConfigMonitorBench } from './bench.ts';

const blocked = { kind: 'blocked', message: 'it would violate the disruption budget' } as const;

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

describe('a refusal to evict', () => {
  it.each([
    ['two budgets', { kind: 'ambiguous', message: 'Two budgets.' } as const],
    [
      'a missing right',
      new OperatorError({ reason: 'Forbidden', message: 'no', healedBy: 'person' }),
    ],
    ['a budget', blocked],
  ])(
    'on pods that crash in turn: the object does not change with each crash (%s)',
    async (_, answer) => {
      bench.cluster.crashAfterMs = 5_000;
      await bench.deploy(1);
      for (const replicas of [2, 3, 4]) {
        bench.cluster.scale('frontend', replicas);
        await bench.clock.advance(2_000);
      }
      await bench.monitor();
      bench.cluster.answer = () => answer;
      await bench.change('two', 3_600_000);
      const { resourceVersion } = bench.object().metadata;
      await bench.clock.advance(7_200_000);
      expect(bench.object().metadata.resourceVersion).toBe(resourceVersion);
    },
  );

  it('is no longer reported for a pod that is gone', async () => {
    await bench.deploy(2);
    await bench.monitor();
    bench.cluster.answer = () => ({ kind: 'ambiguous', message: 'Two budgets.' });
    await bench.change('two', 60_000);
    expect(bench.message('Stalled')).toContain(bench.before[0]);
    const [first] = bench.cluster.pods();
    if (first !== undefined) await bench.cluster.delete(first, 'same');
    await bench.clock.advance(60_000);
    expect(bench.message('Stalled')).toContain(bench.before[1]);
  });

  it('by two budgets is over once another pod, which is asked first by now, is refused by one', async () => {
    await bench.deploy(4);
    await bench.monitor();
    // It goes first while it is not ready for long enough to count as available.
    bench.cluster.scale('frontend', 5);
    bench.cluster.answer = () => ({ kind: 'ambiguous', message: 'Two budgets.' });
    await bench.change('two', 60_000);
    expect(bench.condition('Stalled')).toBe('True MultiplePDBs');
    bench.cluster.answer = () => blocked;
    await bench.clock.advance(600_000);
    expect(bench.condition('Ready')).toBe('False PDBBlocked');
  });

  it('that is on its way changes nothing that another object reports', async () => {
    await bench.deploy(3);
    await bench.monitor({ maxUnavailable: '100%' });
    await bench.monitor({}, 'second');
    bench.cluster.crashAfterMs = 5_000;
    const options = { reason: 'Forbidden', message: 'no right', healedBy: 'person' } as const;
    bench.cluster.answer = ({ metadata: { name } }) =>
      name === bench.before[2] ? new OperatorError(options) : undefined;
    bench.cluster.beforeEviction = () => sleep(bench.clock, 50, new AbortController().signal);
    await bench.change('two', 3_600_000);
    const { resourceVersion } = bench.object('second').metadata;
    await bench.clock.advance(3_600_000);
    expect(bench.object('second').metadata.resourceVersion).toBe(resourceVersion);
  });
});
