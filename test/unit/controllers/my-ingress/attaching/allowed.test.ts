import { expect, it } from 'vitest';
import {
  type AllowedNamespaces,
  isAllowed,
} from '../../../../../src/controllers/my-ingress/attaching/namespace-labels.ts';

const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  team: { team: 'a', stage: 'live' },
  half: { team: 'a' },
  other: { team: 'b', stage: 'live' },
};

function listAllowed(allowed: AllowedNamespaces): readonly string[] {
  return ['web', 'team', 'half', 'other', 'unknown'].flatMap((namespace) => {
    const is = isAllowed(allowed, { own: 'web', namespace }, (name) => LABELS[name]);
    return is === false ? [] : is === undefined ? [`${namespace}?`] : [namespace];
  });
}

const SELECTED = { team: 'a', stage: 'live' };
const cases: Readonly<Record<string, readonly [AllowedNamespaces, readonly string[]]>> = {
  'the own one alone': [{ from: 'Same' }, ['web']],
  all: [{ from: 'All' }, ['web', 'team', 'half', 'other', 'unknown']],
  'those with all of the labels': [
    { from: 'Selector', selector: { matchLabels: SELECTED } },
    ['web', 'team', 'unknown?'],
  ],
  'the own one alone where no label is selected': [
    { from: 'Selector', selector: { matchLabels: {} } },
    ['web', 'unknown?'],
  ],
  'the own one alone without a selector': [{ from: 'Selector' }, ['web', 'unknown?']],
};

it.each(Object.entries(cases))('allows %s', (_name, [allowed, expected]) => {
  expect(listAllowed(allowed)).toEqual(expected);
});
