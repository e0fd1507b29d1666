import { describe, expect, it } from 'vitest';
import { addTo, cut, removeFrom } from '../../../../src/core/objects/collections.ts';

describe('a list', () => {
  it.each([
    [[], []],
    [[[1]], [1]],
    [
      [
        [1, 2],
        [3, 4],
      ],
      [1, 2, 3, 4],
    ],
    [
      [[1, 2], [3]],
      [1, 2, 3],
    ],
  ])('is cut into %j, two at most in each', (pieces, items) => {
    expect(cut(items, 2)).toEqual(pieces);
  });
});

describe('an index', () => {
  it('has a member once in each of its slots, and no slot without members', () => {
    const index = new Map<string, Set<number>>();
    for (const [slot, member] of [
      ['a', 1],
      ['a', 1],
      ['a', 2],
      ['b', 1],
    ] as const) {
      addTo(index, slot, member);
    }
    expect(index).toEqual(
      new Map([
        ['a', new Set([1, 2])],
        ['b', new Set([1])],
      ]),
    );
    removeFrom(index, 'a', 1);
    removeFrom(index, 'b', 1);
    removeFrom(index, 'c', 1);
    expect(index).toEqual(new Map([['a', new Set([2])]]));
  });
});
