import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { differenceTable } from '../../../localstack/backends/difference-table.ts';
import type { Difference } from '../../../localstack/difference.ts';
import { differences } from '../../../localstack/differences.ts';

const README = resolve(import.meta.dirname, '../../../localstack/README.md');

it('the table of the README is the one that the tests skip by', async () => {
  expect((await readFile(README, 'utf8')).split('## Differences')[1]).toContain(differenceTable());
});

it.each(Object.entries<Difference>(differences))(
  '%s says what AWS does, where, and who differs',
  (_, row) => {
    expect(row.aws).not.toBe('');
    expect(row.source).toMatch(/^https:\/\/\S+$/);
    expect(Object.values(row.instead).length).toBeGreaterThan(0);
  },
);
