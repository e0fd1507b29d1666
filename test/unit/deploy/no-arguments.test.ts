import { parseArgs } from 'node:util';
import { describe, expect, it } from 'vitest';
import { firstSentence, refuseEmpty, wholeNumberIn } from '../../../deploy/no-arguments.ts';

/** What a command of the project says of arguments that it does not take. */

function complaintAbout(args: readonly string[]): string {
  try {
    parseArgs({ args: [...args], options: { runs: { type: 'string' } } });
  } catch (error) {
    return firstSentence(error);
  }
  return '';
}

describe('a complaint about arguments is one sentence', () => {
  it.each([
    [['bar'], "unexpected argument 'bar'"],
    [['--frob'], "unknown option '--frob'"],
    [['--runs'], "option '--runs <value>' argument missing"],
    [
      ['--runs', '-1'],
      '--runs takes a value; one that begins with a hyphen follows an equals sign (--runs=-1)',
    ],
  ])('%j', (args, says) => {
    expect(complaintAbout(args)).toBe(says);
  });

  it('leaves the words of others as they are', () => {
    expect(firstSentence(new Error('AWS. Or not'))).toBe('AWS. Or not');
  });
});

it('a whole number has digits and nothing else', () => {
  expect(['0', '007', '50'].map(wholeNumberIn)).toEqual([0, 7, 50]);
  for (const text of ['', ' ', '-1', '1.5', '1e3', '0x1', 'x']) {
    expect(wholeNumberIn(text), text).toBeNaN();
  }
});

it('a directory has a name', () => {
  expect(() => refuseEmpty('--dir', '')).toThrow('--dir takes a directory, not an empty text');
  refuseEmpty('--dir', '.');
  refuseEmpty('--dir', undefined);
});
