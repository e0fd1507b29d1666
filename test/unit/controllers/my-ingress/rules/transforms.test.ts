import { expect, it } from 'vitest';
import {
  desireTransforms,
  diffTransforms,
  markTransforms,
  readMarks,
} from '../../../../../src/controllers/my-ingress/rules/transforms.ts';

const host = { regex: '^a$', replace: 'b' };
const url = { regex: '^/a', replace: '/b' };

it('transforms differ by what they do and not by their order', () => {
  const desired = desireTransforms({ url, host });
  expect(diffTransforms(desired, [...desired].reverse())).toBe(undefined);
  expect(diffTransforms(desired, [])).toBe(
    'rewrite: observed none, desired host ^a$ to b; url ^/a to /b',
  );
  expect(diffTransforms([], [{ kind: 'unknown', type: 'body-rewrite' }])).toBe(
    'rewrite: observed body-rewrite, desired none',
  );
});

it('a mark says which kinds were written', () => {
  expect(markTransforms(['url', 'host', 'url'])).toEqual({ 'albridge.io/rewrite': 'host+url' });
  expect(readMarks(markTransforms(['url', 'host']))).toEqual(['host', 'url']);
  expect([markTransforms([]), readMarks({})]).toEqual([{}, []]);
});
