import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pastes, wordsOf } from './test-words.ts';

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

describe('a test pastes a block', () => {
  const block = {
    page: 'docs/uninstall.md',
    section: 'With Helm',
    text: 'helm uninstall albridge',
  };
  const READS = "const blocks = await blocksOf('docs/uninstall.md');";

  it.each([
    ['its heading', `${READS} blocks.find(({ section }) => section === 'With Helm');`, true],
    ['its text', `${READS} blocks.find(({ text }) => text.includes('helm uninstall'));`, true],
    ['its mark', `${READS} blocks.filter(({ mark }) => mark.notRun.startsWith(MARK));`, true],
    ['nothing of it', `${READS} blocks.find(({ text }) => text.includes('helm upgrade'));`, false],
    ['a short word', `${READS} blocks.find(({ text }) => text.includes('helm'));`, false],
    ['a comment', `// as ${READS} does\nconst section = 'With Helm';`, false],
    ['another page', "'docs/uninstall.md'; await blocksOf('docs/install.md'); 'With Helm';", false],
  ])('by %s', (_name, text, isPasted) => {
    expect(pastes(write('pastes.test.ts', text), block)).toBe(isPasted);
  });
});
