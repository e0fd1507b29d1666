import { expect, it } from 'vitest';
import {
  isOfOneObject,
  OperatorError,
  readMessage,
} from '../../../../src/core/reconcile/operator-error.ts';

it.each([
  { thrown: new TypeError('x is undefined'), message: 'x is undefined' },
  { thrown: 'x is undefined', message: 'x is undefined' },
  { thrown: undefined, message: 'undefined' },
])('reads "$message" of $thrown', ({ thrown, message }) => {
  expect(readMessage(thrown)).toBe(message);
});

it.each([
  ['that a person heals', { healedBy: 'person', isUnanswered: true }, true],
  ['of one webhook', {}, true],
  ['without an answer', { isUnanswered: true }, false],
  ['that asks for time', { notBeforeMs: 1000 }, false],
  ['of a lost lease', { reason: 'LeadershipLost' }, false],
] as const)('may spare other objects, or not: a failure %s', (_which, options, spares) => {
  const message = 'refused';
  const error = new OperatorError({ reason: 'Refused', message, healedBy: 'time', ...options });
  expect(isOfOneObject(error)).toBe(spares);
});
