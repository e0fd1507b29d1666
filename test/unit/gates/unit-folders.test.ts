import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folders that test/unit/`folder` may be about: of src, of the embedded stand-in, of tests, or of the project. */
function listSubjects(folder: string): readonly string[] {
  const embedded = folder.replace(/^localstack\//, 'localstack/embedded/');
  return [join('src', folder), embedded, join('test', folder)];
}

describe('test/unit', () => {
  it('has a subject for each kind of folder', () => {
    expect(listSubjects('core/queue')).toContain('src/core/queue');
    expect(listSubjects('localstack/rules')).toContain('localstack/embedded/rules');
    expect(listSubjects('gates')).toContain('test/gates');
    expect(listSubjects('crds')).toContain('crds');
  });

  it('mirrors them: no folder is left whose subject has moved', () => {
    const tests = globSync('**/*.ts', { cwd: join(ROOT, 'test/unit') });
    const folders = [...new Set(tests.map((path) => dirname(path)))].filter((name) => name !== '.');
    expect(folders.length).toBeGreaterThan(40);
    const lost = folders.filter(
      (folder) => !listSubjects(folder).some((subject) => existsSync(join(ROOT, subject))),
    );
    expect(lost).toEqual([]);
  });
});
