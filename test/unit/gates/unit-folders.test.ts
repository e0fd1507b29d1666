import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folders that test/unit/`folder` may be about: of src, of the embedded stand-in, of tests, or of the project. */
function listSubjects(folder: string): readonly string[] {
  const embedded = folder.replace(/^localstack\//, 'localstack/embedded/');
  return [join('src', folder), embedded, join('test', folder)];
}

/** A kind of the operator, or else a layer of src: within one a test is about the source file of its name. */
function getArea(path: string): string {
  return path.split('/', path.startsWith('controllers/') ? 2 : 1).join('/');
}

/** The tests that stand elsewhere than the one source file of their name in the same area. */
function findStrays(tests: readonly string[], sources: readonly string[]): readonly string[] {
  return tests.filter((test) => {
    const [folder, name] = [dirname(test), basename(test, '.test.ts')];
    const [source, ...others] = sources.filter((path) => {
      return basename(path, '.ts') === name && getArea(path) === getArea(test);
    });
    if (source === undefined || others.length > 0 || basename(folder) === name) return false;
    return dirname(source) !== folder;
  });
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

  it('has each test next to the one source file of its name', () => {
    const cwd = { cwd: join(ROOT, 'test/unit') };
    const sources = globSync('**/*.ts', { cwd: join(ROOT, 'src') });
    expect(findStrays(globSync('**/*.test.ts', cwd), sources)).toEqual([]);
  });

  it('would report one that stayed behind', () => {
    const [stray, doctor] = ['core/heap.test.ts', 'cli/doctor/doctor.test.ts'];
    const sources = ['core/queue/heap.ts', 'cli/commands/doctor.ts'];
    expect(findStrays([stray, doctor], sources)).toEqual([stray]);
    expect(findStrays([stray], [...sources, 'core/heap.ts'])).toEqual([]);
  });
});
