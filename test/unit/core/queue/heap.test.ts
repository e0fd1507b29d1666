import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from '../../../../src/core/queue/heap.ts';

interface Item {
  readonly rank: number;
}

describe('Heap', () => {
  it('hands out what was pushed in order, whatever was removed in between', () => {
    const operation = fc.oneof(
      fc.record({ do: fc.constant('push' as const), rank: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ do: fc.constant('remove' as const), at: fc.nat() }),
      fc.record({ do: fc.constant('pop' as const) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const heap = new Heap<Item>((a, b) => a.rank < b.rank);
        const model = new Set<Item>();
        for (const operation of operations) {
          if (operation.do === 'push') pushBoth(heap, model, operation.rank);
          if (operation.do === 'remove') removeBoth(heap, model, operation.at);
          if (operation.do === 'pop') popBoth(heap, model);
          expect(heap.size).toBe(model.size);
          expect(heap.peek()?.rank).toBe(lowest(model));
        }
        while (model.size > 0) popBoth(heap, model);
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });

  it('empties in order whatever was removed from the middle of many', () => {
    const ranks = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 20, maxLength: 60 });
    const removals = fc.array(fc.nat(), { minLength: 5, maxLength: 20 });
    fc.assert(
      fc.property(ranks, removals, (pushed, removed) => {
        const heap = new Heap<Item>((a, b) => a.rank < b.rank);
        const model = new Set<Item>();
        for (const rank of pushed) pushBoth(heap, model, rank);
        for (const at of removed) removeBoth(heap, model, at);
        while (model.size > 0) popBoth(heap, model);
      }),
      { numRuns: 500 },
    );
  });

  it('says that an item was not there', () => {
    const heap = new Heap<Item>((a, b) => a.rank < b.rank);
    const item = { rank: 1 };
    expect(heap.remove(item)).toBe(false);
    heap.push(item);
    expect(heap.remove(item)).toBe(true);
    expect(heap.remove(item)).toBe(false);
  });
});

function pushBoth(heap: Heap<Item>, model: Set<Item>, rank: number): void {
  const item = { rank };
  heap.push(item);
  model.add(item);
}

function removeBoth(heap: Heap<Item>, model: Set<Item>, at: number): void {
  const item = [...model][at % Math.max(1, model.size)];
  if (item === undefined) return;
  expect(heap.remove(item)).toBe(true);
  model.delete(item);
}

function popBoth(heap: Heap<Item>, model: Set<Item>): void {
  const popped = heap.pop();
  expect(popped?.rank).toBe(lowest(model));
  if (popped !== undefined) expect(model.delete(popped)).toBe(true);
}

function lowest(model: Set<Item>): number | undefined {
  const ranks = [...model].map(({ rank }) => rank);
  return ranks.length === 0 ? undefined : Math.min(...ranks);
}
