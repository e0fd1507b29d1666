import { expect, it } from 'vitest';
import { readMessage } from '../../../../src/core/reconcile/operator-error.ts';

it.each([
  { thrown: new TypeError('x is undefined'), message: 'x is undefined' },
  { thrown: 'x is undefined', message: 'x is undefined' },
  { thrown: undefined, message: 'undefined' },
])('reads "$message" of $thrown', ({ thrown, message }) => {
  expect(readMessage(thrown)).toBe(message);
});
