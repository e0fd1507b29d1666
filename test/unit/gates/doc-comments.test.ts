import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** A doc comment says what a thing does or is: with its verb or its noun first. */
const QUESTION = /\/\*\*\s+(?:\* )?(?:What|Who)\b.*/g;

function findQuestions(source: string): readonly string[] {
  return source.match(QUESTION) ?? [];
}

describe('a doc comment', () => {
  it('that opens with a question word is found, on one line or several', () => {
    const source = '/** What it is. */\n/** Reads. */\n/**\n * Who asks.\n * What for. */';
    expect(findQuestions(source)).toEqual(['/** What it is. */', '/**\n * Who asks.']);
  });

  it('of src, localstack, deploy or docs never does', () => {
    const sources = globSync('{src,localstack,deploy,docs}/**/*.ts', { cwd: ROOT });
    expect(sources.length).toBeGreaterThan(300);
    const found = sources.flatMap((path) =>
      findQuestions(readFileSync(join(ROOT, path), 'utf8')).map((line) => `${path}: ${line}`),
    );
    expect(found).toEqual([]);
  });
});
