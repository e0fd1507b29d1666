import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assignPriorities,
  type PriorityQuestion,
} from '../../../../../src/controllers/my-ingress/rules/priorities.ts';

interface Case {
  readonly order: readonly string[];
  readonly placed?: Readonly<Record<string, number>>;
  readonly foreign?: readonly number[];
  readonly gives: Readonly<Record<string, number>>;
  readonly why: string;
}

const cases: Readonly<Record<string, Case>> = {
  'the first rules': {
    order: ['a', 'b'],
    gives: { a: 100, b: 200 },
    why: 'gaps of 100',
  },
  'two in one gap': {
    order: ['a', 'x', 'y', 'b'],
    placed: { a: 100, b: 200 },
    gives: { a: 100, x: 134, y: 167, b: 200 },
    why: 'evenly, so that both sides keep room',
  },
  'one before all': {
    order: ['x', 'a'],
    placed: { a: 1, b: 200 },
    gives: { x: 100, a: 200, b: 300 },
    why: 'no number is left before 1, so all move',
  },
  'rules of others': {
    order: ['a', 'x', 'b'],
    placed: { a: 10, b: 13 },
    foreign: [11],
    gives: { a: 10, x: 12, b: 13 },
    why: 'their priorities are nobody else’s',
  },
  'rules of others in a new numbering': {
    order: ['b', 'a'],
    placed: { a: 100, b: 200 },
    foreign: [150, 300],
    gives: { b: 100, a: 200 },
    why: 'they lie between ours, and stay',
  },
  'rules of others on a number of the grid': {
    order: ['a', 'b'],
    foreign: [100],
    gives: { a: 101, b: 201 },
    why: 'the next free one',
  },
  'a rule that will be deleted, where none moves': {
    order: ['a', 'x', 'b'],
    placed: { a: 1, old: 2, b: 4 },
    gives: { a: 1, old: 2, x: 3, b: 4 },
    why: 'it keeps working, and its number is taken until then',
  },
  'a rule that will be deleted, where all move': {
    order: ['b', 'a'],
    placed: { a: 100, old: 150, b: 200 },
    gives: { b: 100, a: 200, old: 300 },
    why: 'it still follows the rule that it followed, and catches no more than before',
  },
  'a rule that will be deleted behind two that change places': {
    order: ['b', 'a'],
    placed: { a: 100, b: 200, old: 300 },
    gives: { b: 100, a: 200, old: 300 },
    why: 'it catches nothing of the one that is last now',
  },
  'little room behind all': {
    order: ['a', 'x'],
    placed: { a: 49_901 },
    gives: { a: 49_901, x: 49_950 },
    why: 'a gap of 100 would end behind the last priority, a smaller one does not',
  },
  'the end of all numbers': {
    order: ['a', 'x'],
    placed: { a: 50_000 },
    gives: { a: 100, x: 200 },
    why: '50000 is the last priority',
  },
};

describe('priorities of', () => {
  it.each(Object.entries(cases))('%s', (_, { order, placed = {}, foreign = [], gives, why }) => {
    const list = Object.entries(placed).map(([key, priority]) => ({ key, priority }));
    const assigned = assignPriorities({ order, placed: list, foreign: new Set(foreign) });
    expect(Object.fromEntries(assigned), why).toEqual(gives);
  });

  it('any rules keep the order, are all different and are not moved without need', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const assigned = assignPriorities(asked);
        const numbers = asked.order.map((key) => assigned.get(key) ?? Number.NaN);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        const all = [...assigned.values(), ...asked.foreign];
        expect(new Set(all).size).toBe(all.length);
        expect(Math.max(...numbers, 1)).toBeLessThanOrEqual(50_000);
        expect(Math.min(...numbers, 1)).toBeGreaterThan(0);
        for (const { key, priority } of asked.placed.filter((one) => !isKept(asked, one))) {
          const before = asked.placed.filter((one) => one.priority < priority);
          const kept = before.filter((one) => isKept(asked, one));
          const last = Math.max(0, ...kept.map((one) => assigned.get(one.key) ?? 0));
          expect(assigned.get(key)).toBeGreaterThan(last);
        }
        if (!isInOrder(asked)) return;
        const moved = asked.placed.filter(({ key, priority }) => assigned.get(key) !== priority);
        if (hasRoom(asked)) expect(moved).toEqual([]);
      }),
    );
  });
});

const question: fc.Arbitrary<PriorityQuestion> = fc
  .record({
    order: fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e', 'f']),
    priorities: fc.uniqueArray(
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 50_000 })),
      { minLength: 5, maxLength: 8 },
    ),
  })
  .map(({ order, priorities: [first = 1, second = 2, ...rest] }) => ({
    order,
    placed: rest.map((priority, index) => ({ key: 'abcxyz'.charAt(index), priority })),
    foreign: new Set([first, second]),
  }));

function isKept({ order }: PriorityQuestion, { key }: { readonly key: string }): boolean {
  return order.includes(key);
}

function isInOrder({ order, placed }: PriorityQuestion): boolean {
  const numbers = order.flatMap((key) => placed.find((one) => one.key === key)?.priority ?? []);
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

/** Six rules fit wherever no two numbers that are taken, and neither end, are closer than this. */
function hasRoom({ placed, foreign }: PriorityQuestion): boolean {
  const numbers = [0, ...placed.map(({ priority }) => priority), ...foreign, 50_001];
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted.every((number, index) => index === 0 || number - (sorted[index - 1] ?? 0) > 6);
}
