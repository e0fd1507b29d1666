import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { refuseUnwritable } from '../../../deploy/output.ts';

describe('a file for what a long run finds', () => {
  const place = mkdtempSync(join(tmpdir(), 'albridge-output-'));
  const file = join(place, 'output.json');
  afterAll(() => rmSync(place, { recursive: true }));

  it.each([
    ['a directory', place, 'EISDIR'],
    ['a file in a directory that does not exist', join(place, 'none/a.json'), 'ENOENT'],
    ['a file below a file', join(import.meta.filename, 'a.json'), 'ENOTDIR'],
  ])('is refused before a run if it is %s', (_, to, code) => {
    expect(() => refuseUnwritable('--json', to)).toThrow(
      `--json names ${to}, which cannot be written (${code})`,
    );
  });

  it('is neither made nor changed by the check', () => {
    refuseUnwritable('--json', file);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, 'of an earlier run');
    refuseUnwritable('--json', file);
    expect(readFileSync(file, 'utf8')).toBe('of an earlier run');
  });
});
