import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readsPage, wordsOf } from './test-words.ts';

const directory = mkdtempSync(join(tmpdir(), 'albridge-words-'));
afterAll(() => rmSync(directory, { recursive: true }));

const write = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

describe('the words of a test', () => {
  let words: ReadonlySet<string>;
  beforeAll(() => {
    write('far.ts', "run('far');\n");
    write('near.ts', "import './far.ts';\nexport const NEAR = ['uninstall', '--near'];\n");
    const lines = [
      "import { NEAR } from './near.ts';",
      "// drain 'cordon'",
      "/* 'evict' */ run('apply', \"--wait\", `kubectl get pods -o wide ${NEAR}`);",
      "it('says that a taint is scaled', () => run('https://example.com/a')); // 'top'",
      "const QUOTE = text.replace(/'/g, ''); run('--after');",
    ];
    words = wordsOf(write('one.test.ts', lines.join('\n')));
  });

  it.each(['apply', '--wait', 'get', 'wide', 'https://example.com/a', '--after'])(
    'are %s',
    (word) => {
      expect(words).toContain(word);
    },
  );

  it.each(['uninstall', '--near'])('are %s of a file that it imports', (word) => {
    expect(words).toContain(word);
  });

  it.each(['drain', 'cordon', 'evict', 'taint', 'scaled', 'top', 'far'])(
    'are not %s, of a comment, of prose or of a file further away',
    (word) => {
      expect(words).not.toContain(word);
    },
  );
});

describe('a test reads a page', () => {
  const page = 'docs/uninstall.md';

  it.each([
    ['await blocksOf(', "const blocks = await blocksOf('docs/uninstall.md');", true],
    ['a comment', "// as await blocksOf('docs/uninstall.md') does", false],
    ['a name alone', "const PAGE = 'docs/uninstall.md'; await blocksOf('docs/install.md');", false],
  ])('by %s', (_name, text, isRead) => {
    expect(readsPage(write('reads.test.ts', text), page)).toBe(isRead);
  });
});
