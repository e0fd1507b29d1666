import { expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ControllerBench } from './controller-bench.ts';

const WAITING = new OperatorError({
  reason: 'BudgetExhausted',
  message: 'in about 7200 s',
  healedBy: 'time',
  retryAfterMs: 7_200_000,
});

it('a status that could not be stored is stored within minutes, also where the turn in the budget is in two hours', async () => {
  const bench = new ControllerBench();
  const object = bench.store('one');
  bench.reconcile = () => Promise.reject(WAITING);
  bench.kube.failNext(
    'applyStatus',
    new OperatorError({
      reason: 'ApiServerUnavailable',
      message: 'etcdserver: leader changed',
      healedBy: 'time',
    }),
  );
  bench.start();
  await bench.clock.advance(6 * 60_000);
  expect(bench.kube.get(object)?.status?.conditions).toMatchObject([
    { type: 'Ready', status: 'False', reason: 'BudgetExhausted' },
    { type: 'Reconciling', status: 'True', reason: 'BudgetExhausted' },
  ]);
});

it('a status that was refused is stored at once when the right to write it is granted', async () => {
  const bench = new ControllerBench();
  const object = bench.store('one');
  bench.reconcile = () => Promise.reject(WAITING);
  bench.kube.failNext(
    'applyStatus',
    new OperatorError({ reason: 'Forbidden', message: 'no', healedBy: 'person' }),
  );
  bench.start();
  await bench.clock.advance(1000);
  bench.controller.requeueFailed('Forbidden');
  await bench.clock.advance(1000);
  expect(bench.kube.get(object)?.status?.conditions?.[0]).toMatchObject({
    reason: 'BudgetExhausted',
  });
});
