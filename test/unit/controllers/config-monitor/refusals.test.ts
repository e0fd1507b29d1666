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

describe('a template that cannot be changed for now', () => {
  const options = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;

  async function refuse(isUnanswered: boolean): Promise<void> {
    bench.cluster.deploy('admin', 1, { app: 'frontend' });
    await bench.deploy(2);
    await bench.monitor({ strategy: 'Rollout' });
    const restart = bench.cluster.restart.bind(bench.cluster);
    bench.cluster.restart = async (workload, at) => {
      if (workload.name === 'admin') throw new OperatorError({ ...options, isUnanswered });
      return restart(workload, at);
    };
    await bench.change('two', 60_000);
  }

  it('keeps no other workload from its restart, and is reported after the deadline', async () => {
    await refuse(false);
    expect(bench.kept()).toBe(1);
    expect(bench.condition('Reconciling')).toBe('True ApiServerUnavailable');
    await bench.clock.advance(700_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    expect(bench.message('Stalled')).toContain('2 of 3 pods are restarted; no; 1 pods keep');
    expect(bench.toldOn('Deployment').at(-1)).toContain('ProgressDeadlineExceeded');
  });

  it('is not reported in place of an API server that asks for time', async () => {
    await refuse(false);
    const busy = { reason: 'ApiServerBusy', message: 'later', healedBy: 'time' } as const;
    bench.cluster.deployAs(
      {
        name: 'db',
        labels: { app: 'frontend' },
        isStateful: true,
        minReadySeconds: 0,
        partition: 9,
      },
      1,
    );
    bench.cluster.answer = () => new OperatorError({ ...busy, notBeforeMs: 30_000 });
    await bench.change('three', 60_000);
    expect(bench.condition('Reconciling')).toBe('True ApiServerBusy');
  });

  it('is all that is tried where there was no answer', async () => {
    await refuse(true);
    expect(bench.kept()).toBe(3);
    expect(bench.condition('Reconciling')).toBe('True ApiServerUnavailable');
  });
});
