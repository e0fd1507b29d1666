import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { escapeText } from '../../../../src/cli/output/escape.ts';
import { type Format, getColumns, Output } from '../../../../src/cli/output/output.ts';
import { chooseStyle } from '../../../../src/cli/output/style.ts';
import { formatTable, shorten } from '../../../../src/cli/output/table.ts';
import { parseYamlDocuments } from '../../../../src/kube/client/yaml.ts';

function print(format: Format, data: unknown): string {
  let text = '';
  const stream = { write: (piece: string) => void (text += piece) };
  new Output(format, stream, {}).print(data, () => '');
  return text;
}

it.each([
  [true, 80, 80],
  [true, 0, undefined],
  [false, 80, undefined],
])('a terminal (%s) of %s columns has lines of %s', (isTTY, columns, expected) => {
  expect(getColumns({ isTTY, columns, write: () => undefined })).toBe(expected);
});

describe('text of tenants', () => {
  it('moves no cursor and turns no text around', () => {
    expect(escapeText('a\u001b[2Jb\rc\u009b1mü\u202e日')).toBe(
      String.raw`a\u001b[2Jb\u000dc\u009b1mü\u202e日`,
    );
  });

  it.each(['json', 'yaml'] as const)('does neither as %s', (format) => {
    const text = print(format, {
      name: '\u009b2J\u007f\u001b]0;x',
      other: 'a\u202eb\u2066c\u200e',
    });
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u200e\u202e\u2066]/u);
  });

  it('stays the same data as JSON', () => {
    const data = { name: '\u009b2J\u007f\u001b\u202e' };
    expect(JSON.parse(print('json', data))).toEqual(data);
  });

  it('stays the same data as YAML', () => {
    const text = 'a: \\"\u202e\u2066\u061c\n  # b\u009b';
    const data = { name: text, list: [text, 'plain', 1, true, 'true'], empty: null };
    expect(parseYamlDocuments(print('yaml', data))).toEqual([data]);
    expect(print('yaml', { name: 'plain' })).toBe('name: plain\n');
  });
});

describe('colours', () => {
  const red = '\u001b[31mx\u001b[0m';
  const write = (): void => {};

  it.each([
    { why: 'a terminal', stream: { isTTY: true, write }, env: {}, text: red },
    { why: 'a pipe', stream: { write }, env: {}, text: 'x' },
    { why: 'NO_COLOR', stream: { isTTY: true, write }, env: { NO_COLOR: '1' }, text: 'x' },
    { why: 'a dumb terminal', stream: { isTTY: true, write }, env: { TERM: 'dumb' }, text: 'x' },
  ])('are chosen for $why', ({ stream, env, text }) => {
    expect(chooseStyle(stream, env).bad('x')).toBe(text);
  });
});

describe('a table', () => {
  it('aligns cells with colours, and what is not ASCII', () => {
    const { bad } = chooseStyle({ isTTY: true, write: () => {} }, {});
    const lines = formatTable([
      ['NAME', 'READY'],
      [bad('ü'), 'False'],
    ]);
    expect(lines).toBe('NAME  READY\n\u001b[31mü\u001b[0m     False\n');
  });

  it('shortens to a number of characters', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef');
    expect(shorten('abcdefg', 6)).toBe('abcde…');
    const flag = '🇺🇦';
    expect(shorten(flag.repeat(6), 6)).toBe(flag.repeat(6));
    expect(shorten(flag.repeat(7), 6)).toBe(`${flag.repeat(5)}…`);
  });

  it('reads of a long text its beginning alone, also where its characters have many marks', () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    onTestFinished(() => segment.mockRestore());
    expect(shorten('a'.repeat(5_000_000), 6)).toBe('aaaaa…');
    expect(segment.mock.calls).toEqual([['a'.repeat(120)]]);
    expect(shorten(`a${'\u0301'.repeat(5000)}`, 6)).toBe(`a${'\u0301'.repeat(119)}…`);
  });
});
