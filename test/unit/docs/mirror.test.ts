import { describe, expect, it } from 'vitest';
import { fillHelp } from '../../../docs/command-help.ts';
import { desiredPages, stalePages } from '../../../docs/mirror.ts';

describe('the pages that repeat tables of the code', () => {
  it('are up to date; `npm run gen` writes them', async () => {
    expect((await stalePages()).map((page) => page.path)).toEqual([]);
  });

  it('are found out when the code has moved on', async () => {
    const changed = desiredPages().map((page) => ({ ...page, text: `${page.text}\nnew row` }));
    expect(await stalePages(changed)).toEqual(changed);
  });

  it('are refused where a command has no block for its help', () => {
    expect(() => fillHelp('')).toThrow(
      / differ in status, .*: each has one block <!-- help NAME -->$/,
    );
  });
});
