import { describe, expect, it } from 'vitest';
import { isMoreThanQuantity, isSameQuantity } from '../../../../src/core/objects/quantities.ts';

describe('a quantity', () => {
  it.each([
    ['0.5', '500m'],
    [0.5, '500m'],
    [1, '1'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1e3', '1k'],
    ['1E', '1000P'],
    ['100u', '100000n'],
    ['0', '0Mi'],
    ['+1', '1'],
  ])('%s is the same as %s', (given, stored) => {
    expect(isSameQuantity(given, stored)).toBe(true);
    expect(isSameQuantity(stored, given)).toBe(true);
  });

  it.each([
    ['1', '2'],
    ['1G', '1Gi'],
    ['1', '1m'],
    ['-1', '1'],
    ['a', 'a'],
    ['1x', '1x'],
    [undefined, undefined],
    [{}, {}],
  ])('%s is not the same as %s', (one, other) => {
    expect(isSameQuantity(one, other)).toBe(false);
  });

  it.each([
    ['2', '1'],
    ['1001m', '1'],
    ['1Gi', '1G'],
    ['1', '-1'],
  ])('%s is more than %s, and not the other way round', (one, other) => {
    expect(isMoreThanQuantity(one, other)).toBe(true);
    expect(isMoreThanQuantity(other, one)).toBe(false);
  });

  it.each([
    ['1', '1000m'],
    ['a', '1'],
    ['1', undefined],
  ])('%s is not more than %s', (one, other) => {
    expect(isMoreThanQuantity(one, other)).toBe(false);
  });
});
