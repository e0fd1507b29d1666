import { describe, expect, it } from 'vitest';
import { shortenName } from '../../../../src/core/objects/digests.ts';

describe('a name that is too long for a label', () => {
  it('is left alone up to 63 characters', () => {
    expect(shortenName('a'.repeat(63))).toBe('a'.repeat(63));
  });

  // Objects out there carry these: what is expected here never changes.
  const frozen: Readonly<Record<string, { why: string; name: string; is: string }>> = {
    'of 64 characters': {
      why: 'one too many',
      name: 'a'.repeat(64),
      is: `${'a'.repeat(54)}-ffe054fe`,
    },
    'whose head ends in a dot and a hyphen': {
      why: 'a label that ended so would be refused with some suffixes, and looks odd with all',
      name: `${'a'.repeat(52)}.-${'b'.repeat(20)}`,
      is: `${'a'.repeat(52)}-2f2c092f`,
    },
  };

  it.each(Object.entries(frozen))('is cut, with a hash behind: %s', (_name, { name, is, why }) => {
    expect(shortenName(name), why).toBe(is);
    expect(shortenName(name).length).toBeLessThanOrEqual(63);
  });

  it('stays apart from another one of the same head', () => {
    expect(shortenName(`${'a'.repeat(64)}b`)).not.toBe(shortenName(`${'a'.repeat(64)}c`));
  });

  it('may have another limit', () => {
    expect(shortenName('abcdefghijklmnopqrstuvwxyz', 12)).toMatch(/^abc-[0-9a-f]{8}$/);
  });
});
