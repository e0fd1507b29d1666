import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkUpgradePage, findNotes, linkNotes } from '../../../deploy/release/notes.ts';
import manifest from '../../../package.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '../../..');
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-notes-'));
});

afterEach(() => rm(directory, { recursive: true }));

describe('the notes', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- new\n\n## 1.0.0 - 2026-12-01\n\n- first\n';
  const path = (): string => join(directory, 'CHANGELOG.md');

  it('are the section of the version', async () => {
    await writeFile(path(), changelog);
    expect(await findNotes(path(), '1.0.0', false)).toBe('- first');
    expect(await findNotes(path(), '1.0.0', true)).toBe('- first');
  });

  it('are those of Unreleased in a dry run alone', async () => {
    await writeFile(path(), changelog);
    expect(await findNotes(path(), '2.0.0', true)).toBe('- new');
    await expect(findNotes(path(), '2.0.0', false)).rejects.toThrow('has no section 2.0.0');
  });

  it('lead to the pages of the tag, and have no link where the repository is not known', () => {
    const notes = '- new: [the\n  page](docs/a.md#b), [AWS](https://aws.example/) and `x`';
    expect(linkNotes(notes, 'https://git.example/me/albridge', '1.2.3')).toBe(
      '- new: [the\n  page](https://git.example/me/albridge/blob/v1.2.3/docs/a.md#b), [AWS](https://aws.example/) and `x`',
    );
    expect(linkNotes(notes, undefined, '1.2.3')).toBe(
      '- new: the\n  page, [AWS](https://aws.example/) and `x`',
    );
  });

  it('are not empty', async () => {
    await writeFile(path(), '## Unreleased\n\n## 1.0.0\n');
    await expect(findNotes(path(), '1.0.0', false)).rejects.toThrow('no entry for 1.0.0');
  });
});

describe('the notes for an upgrade', () => {
  const path = (): string => join(directory, 'upgrade.md');
  const write = (...headings: readonly string[]): Promise<void> =>
    writeFile(path(), `# Upgrade\n\n## Notes by version\n\n${headings.join('\n\n- one\n\n')}\n`);

  it('have a heading of the version', async () => {
    await write('### 2.0.0', '### 1.0.0');
    await expect(checkUpgradePage(path(), '2.0.0')).resolves.toBeUndefined();
  });

  it.each([
    [
      ['### Unreleased', '### 1.0.0'],
      'no heading 2.0.0; rename Unreleased there to "2.0.0", and commit',
    ],
    [['### Unreleased', '### 2.0.0'], 'notes under Unreleased; move them below 2.0.0, and commit'],
    [
      ['### 2.0.0-rc.1'],
      'no heading 2.0.0; add "### 2.0.0" above the last one, also without notes, and commit',
    ],
  ])('are refused with %s', async (headings, says) => {
    await write(...headings);
    await expect(checkUpgradePage(path(), '2.0.0')).rejects.toThrow(`docs/upgrade.md has ${says}`);
  });

  it('are read from a page that has the headings so', async () => {
    const page = await readFile(resolve(ROOT, 'docs/upgrade.md'), 'utf8');
    const [, notes = ''] = page.split('\n## Notes by version\n');
    expect(notes).toMatch(
      new RegExp(`^### (?:Unreleased|${manifest.version.replaceAll('.', '\\.')})$`, 'm'),
    );
    const source = await readFile(resolve(ROOT, 'deploy/release/main.ts'), 'utf8');
    expect(source).toContain("await checkUpgradePage(resolve(ROOT, 'docs/upgrade.md'), version)");
  });
});
