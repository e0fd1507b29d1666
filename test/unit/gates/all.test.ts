import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';
import { type CommandResult, runCommand } from '../../control-plane/run-command.ts';
import { LATER } from '../../gates/test-arguments.ts';
import { plantProject } from './planted-project.ts';

const ALL = resolve(import.meta.dirname, '../../all.ts');

const projects = ['unit', 'long-b', 'aws-localstack'].map(
  (name) => `{ test: { name: '${name}', include: ['${name}.test.ts'] } }`,
);
const good = "import { it } from 'vitest'; it('is well', () => undefined);";
const files = {
  'vitest.config.ts': `export default { test: { projects: [${projects.join()}] } };`,
  'unit.test.ts': good,
  'long-b.test.ts': good,
  'aws-localstack.test.ts': good,
};

function runAll(cwd: string, ...args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, [ALL, ...args], { cwd, env: { NO_COLOR: '1' } });
}

/** The counts with which each half has closed. */
function countsIn({ stdout }: CommandResult): readonly string[] {
  return stdout.split('\n').filter((line) => /^\d+ passed, \d+ failed$/.test(line));
}

describe.concurrent('npm run test:all', { timeout: 180_000 }, () => {
  it('runs npm test, and then what that leaves out', async (test) => {
    using project = plantProject(files);
    const ended = await runAll(project.directory);
    test.expect(countsIn(ended)).toEqual(['1 passed, 0 failed', '2 passed, 0 failed']);
    test.expect(ended.code).toBe(0);
  });

  it.for([
    ['unit', ['0 passed, 1 failed'], 'the second half takes an hour'],
    ['long-b', ['1 passed, 0 failed', '1 passed, 1 failed'], 'the second half counts too'],
  ] as const)('fails with a test of %s', async ([name, counts, why], test) => {
    using project = plantProject({ ...files, [`${name}.test.ts`]: good.replace('undefined', 'x') });
    const ended = await runAll(project.directory);
    test.expect(countsIn(ended), why).toEqual(counts);
    test.expect(ended.code).toBe(1);
  });

  it.for(['--nonsense', '--project=unit', 'unit.test.ts'])(
    'refuses %s before it runs anything',
    async (arg, test) => {
      using project = plantProject(files);
      test.expect(await runAll(project.directory, arg)).toEqual({
        code: 2,
        stdout: '',
        stderr: `test:all: takes no options, not ${arg}; run with --help for usage\n`,
      });
    },
  );

  it('explains itself', async (test) => {
    using project = plantProject(files);
    test.expect(await runAll(project.directory, '--help')).toEqual({
      code: 0,
      stdout:
        'npm run test:all: npm test, then the projects long* and aws-localstack; takes no options\n',
      stderr: '',
    });
  });

  it('is what .ci/run runs in two halves', (test) => {
    const lines = readFileSync(resolve(ALL, '../../.ci/run'), 'utf8').split('\n');
    const suites = lines.filter((line) => line.includes('npm test'));
    const later = LATER.map((name) =>
      name.includes('*') ? `--project='${name}'` : `--project=${name}`,
    );
    test
      .expect(suites)
      .toEqual([
        'npm test </dev/null',
        `ALBRIDGE_TEST_PYTHON=required npm test -- ${later.join(' ')} </dev/null`,
      ]);
  });
});
