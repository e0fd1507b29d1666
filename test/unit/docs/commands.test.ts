import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { commandBlocks, pages } from '../../deploy/commands.ts';
import { type Fate, namedCommands, npmCommands } from '../../deploy/npm-commands.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** How a line begins that somebody would paste into a shell. */
const COMMAND =
  /^\$? ?(kubectl|npm|npx|node|aws|helm|docker|kind|git|curl|sed|cosign|kubeconform) /;

interface Fence {
  readonly page: string;
  readonly indent: string;
  readonly language: string;
  readonly first: string;
}

async function listFences(): Promise<readonly Fence[]> {
  const read = async (page: string): Promise<readonly Fence[]> => {
    const text = await readFile(resolve(ROOT, page), 'utf8');
    const fences = text.matchAll(/^( *)```(\w*)\n([^\n]*)[^]*?^ *```$/gm);
    return [...fences].map(([, indent = '', language = '', first = '']) => {
      return { page, indent, language, first };
    });
  };
  return (await Promise.all((await pages()).map(read))).flat();
}

describe('the commands of the pages', () => {
  it('stand in blocks that test/deploy/documentation.test.ts reads', async () => {
    const fences = await listFences();
    expect(fences.length).toBeGreaterThan(100);
    const hidden = fences.filter(({ indent, language, first }) => {
      if (language === 'sh') return indent !== '';
      return (
        /^(bash|shell|zsh|console)$/.test(language) || (language === '' && COMMAND.test(first))
      );
    });
    expect(hidden).toEqual([]);
  });

  it('name only tests that exist, where they are not run', async () => {
    const faults = (await commandBlocks()).flatMap(({ page, text, mark }) => {
      const why = typeof mark === 'object' ? mark.notRun : '';
      const files = [...why.matchAll(/\b(?:test|localstack|deploy)\/[\w./-]*\w/g)].map(
        ([path]) => path,
      );
      const missing = files.filter((path) => !existsSync(resolve(ROOT, path)));
      return missing.length === 0
        ? []
        : [`${page}: ${text.split('\n')[0]} (${missing.join(', ')})`];
    });
    expect(faults).toEqual([]);
  });

  it('of npm are scripts of package.json, each run by a test', async () => {
    const named = await namedCommands();
    expect(named).toEqual(Object.keys(npmCommands).toSorted());
    for (const name of named) {
      expect([...Object.keys(manifest.scripts), 'ci']).toContain(name);
      const fate = npmCommands[name] as Fate;
      if ('by' in fate) expect(existsSync(resolve(ROOT, fate.by)), fate.by).toBe(true);
    }
  });
});
