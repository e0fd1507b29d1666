import { describe, expect, it } from 'vitest';
import { findFaults } from '../../gates/entry-lines.ts';

const entry = (may: string, start = 'this file'): string =>
  `// Lives here: things.\n// May import it: ${may}\n// Start with: ${start}.\n`;

/** src/a is imported by src/b as a whole, and by src/c for one file. */
const sources = {
  'src/a/entry.ts': entry(
    'src/b; src/c takes one.ts. It imports nobody.',
    'this file, then one.ts',
  ),
  'src/a/one.ts': '',
  'src/b/entry.ts': `${entry('nobody.')}import { x } from '../a/entry.ts';`,
  'src/c/entry.ts': `${entry('nobody.')}export { x } from '../a/one.ts';`,
};

describe('the lines of an entry file', () => {
  it('are without a fault where they name who imports the folder', () => {
    expect(findFaults(sources)).toEqual([]);
  });

  const faults: Readonly<Record<string, readonly [Readonly<Record<string, string>>, string]>> = {
    'an importer that is not named': [
      { 'src/d/entry.ts': `${entry('nobody.')}import { x } from '../a/one.ts';` },
      'src/a: src/d/entry.ts imports src/a/one.ts and is not named',
    ],
    'an importer that takes another file than it may': [
      { 'src/c/more.ts': `await import('../a/entry.ts');` },
      'src/a: src/c/more.ts imports src/a/entry.ts and is not named',
    ],
    'an importer that is left out of everyone': [
      { 'src/a/entry.ts': entry('everyone but src/c.') },
      'src/a: src/c/entry.ts imports src/a/one.ts and is not named',
    ],
    'a folder within the folder that is not named': [
      { 'src/b/deep/entry.ts': `${entry('nobody.')}import '../entry.ts';` },
      'src/b: src/b/deep/entry.ts imports src/b/entry.ts and is not named',
    ],
    'a place that imports nothing': [
      { 'src/a/entry.ts': entry('src/b, src/c and src/d.') },
      'src/a: src/d is named and imports nothing of it',
    ],
    'words that are not a place': [
      { 'src/b/entry.ts': entry('whoever needs it.') },
      'src/b: "whoever needs it" is not a place from the root',
    ],
    'a folder without the lines': [
      { 'src/d/entry.ts': '' },
      'src/d: 0 files open with the three lines',
    ],
    'a folder with the lines in two files': [
      { 'src/b/more.ts': entry('nobody.') },
      'src/b: 2 files open with the three lines',
    ],
    'a start that is not there': [
      { 'src/b/entry.ts': entry('nobody.', 'this file, then two.ts') },
      'src/b: starts with two.ts, which is not there',
    ],
  };
  it.each(Object.entries(faults))('report %s', (_name, [changed, fault]) => {
    expect(findFaults({ ...sources, ...changed })).toContain(fault);
  });
});
