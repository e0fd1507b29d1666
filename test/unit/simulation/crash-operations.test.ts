import { expect, it } from 'vitest';
import { operations } from '../../../src/aws/client/operations.ts';
import { listUnreachedOperations } from '../../simulation/crash-operations.ts';

const POINTS = Object.keys(operations).map((operation) => `aws ${operation}`);

it('misses no operation where each is a crash point, by whatever it selects', () => {
  const byName = POINTS.map((point) => `${point} by name/unanswered`);
  expect(listUnreachedOperations(byName)).toEqual([]);
});

it('names an operation of the table that is no crash point', () => {
  const others = POINTS.filter((point) => point !== 'aws ModifyListenerAttributes');
  expect(listUnreachedOperations([...others, 'kube PUT leases'])).toEqual([
    'ModifyListenerAttributes',
  ]);
});
