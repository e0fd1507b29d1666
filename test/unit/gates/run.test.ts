import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'vitest';
import { HELP } from '../../gates/test-arguments.ts';
import { plantProject } from './planted-project.ts';

const runner = resolve(import.meta.dirname, '../../run.ts');
const config = (settings = ''): string =>
  `export default { test: { include: ['*.test.ts'], ${settings} } };`;
const head = "import { beforeAll, describe, expect, it } from 'vitest';";

interface Run {
  readonly code: number | null;
  readonly lines: readonly string[];
}

interface Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Run>;
}

function start(
  directory: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Started {
  const child = spawn(process.execPath, [runner, ...args], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const finished = once(child, 'close').then(
    ([code]: unknown[]): Run => ({
      code: code as number | null,
      lines: output.trimEnd().split('\n'),
    }),
  );
  return { child, finished };
}

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly line: string;
  readonly code: number;
  readonly why: string;
}

const good = `${head} it('is well', () => undefined);`;

const project = (name: string, file: string): string =>
  `{ test: { name: '${name}', include: ['${file}.test.ts'] } }`;

const cases: Readonly<Record<string, Case>> = {
  'projects that are for test:all': {
    files: {
      'vitest.config.ts': `export default { test: { projects: [${project('unit', 'a')}, ${project('long-b', 'b')}, ${project('aws-localstack', 'c')}] } };`,
      'a.test.ts': good,
      'b.test.ts': `${head} it('b', () => expect(1).toBe(2));`,
      'c.test.ts': `${head} it('c', () => expect(1).toBe(2));`,
    },
    line: '1 passed, 0 failed',
    code: 0,
    why: 'npm test is for each commit: minutes more belong to continuous integration',
  },
  'passed, failed and skipped tests': {
    files: {
      'vitest.config.ts': config(),
      'a.test.ts': `${head} it('a', () => undefined); it('b', () => expect(1).toBe(2)); it.skip('c', () => undefined);`,
    },
    line: '1 passed, 1 failed, 1 skipped',
    code: 1,
    why: 'real counts',
  },
  'only good ones': {
    files: { 'vitest.config.ts': config(), 'a.test.ts': good, 'b.test.ts': good },
    line: '2 passed, 0 failed',
    code: 0,
    why: 'no word of skipped ones where there are none',
  },
  'a file that does not load': {
    files: {
      'vitest.config.ts': config(),
      'a.test.ts': good,
      'b.test.ts': "throw new Error('no');",
    },
    line: '1 passed, 1 failed',
    code: 1,
    why: 'its tests are lost, unseen',
  },
  'a hook that throws': {
    files: {
      'vitest.config.ts': config(),
      'a.test.ts': `${head} it('x', () => undefined); describe('d', () => { beforeAll(() => { throw new Error('no'); }); it('y', () => undefined); });`,
    },
    line: '1 passed, 1 failed, 1 skipped',
    code: 1,
    why: 'the tests behind it never ran',
  },
  'an error after the test': {
    files: {
      'vitest.config.ts': config(),
      'a.test.ts': `${head} it('x', () => { void Promise.reject(new Error('late')); });`,
    },
    line: '1 passed, 1 failed',
    code: 1,
    why: 'nobody waited for it',
  },
  'a globalSetup that fails': {
    files: {
      'vitest.config.ts': config("globalSetup: ['setup.ts']"),
      'setup.ts': "export default () => { throw new Error('no control plane'); };",
      'a.test.ts': good,
    },
    line: '0 passed, 1 failed',
    code: 1,
    why: 'no servers, no tests',
  },
  'a configuration that does not load': {
    files: { 'vitest.config.ts': "throw new Error('no');", 'a.test.ts': good },
    line: '0 passed, 1 failed',
    code: 1,
    why: 'vitest itself fails',
  },
  'no tests at all': {
    files: { 'vitest.config.ts': config() },
    line: '0 passed, 0 failed',
    code: 1,
    why: 'a filter that matches nothing is a slip',
  },
};

/** Arguments, and the one sentence that answers them: the reader of a stack would look for a defect. */
const refused: Readonly<Record<string, string>> = {
  '-v': 'unknown option -v',
  '--version': 'unknown option --version',
  '--nonsense': 'Unknown option `--nonsense`',
  '--project': '--project takes the name of a project, not ""',
  '--project nowhere': 'No projects matched the filter "nowhere"',
  '--shard=x': '--shard <count> must be a positive number',
  '--root /nope': 'Root path does not exist or is not a directory: /nope',
  '--testNamePattern=[': 'Invalid regular expression: /[/: Unterminated character class',
  '--config nope.ts': 'there is no configuration DIR/nope.ts',
  '--reporter=nonsense': 'Failed to load custom Reporter from nonsense',
  '--pool=x': '--pool takes forks, threads, vmForks or vmThreads, not "x"',
  '--maxWorkers=x': '--maxWorkers takes a number, or a percentage of the cores, not "x"',
  '--maxWorkers x': '--maxWorkers takes a number, or a percentage of the cores, not "x"',
};

/** Each case starts vitest, and several at once: on a busy machine that takes its time. */
describe.concurrent('npm test', { timeout: 180_000 }, () => {
  it.for(Object.entries(cases))('closes with real counts: %s', async ([, planting], test) => {
    using project = plantProject(planting.files);
    const { code, lines } = await start(project.directory).finished;
    test.expect({ code, line: lines.at(-1) }).toEqual({ code: planting.code, line: planting.line });
    test.expect(lines.filter((line) => /^\d+ passed, \d+ failed/.test(line))).toHaveLength(1);
  });

  it.for([
    ['b.test.ts', 'there is no test file b.test.ts'],
    ['nothing', 'no test file matches nothing'],
  ])('answers the filter %s, which matches nothing, with one sentence', async (found, test) => {
    const [filter, says] = found as [string, string];
    using project = plantProject({ 'vitest.config.ts': config(), 'a.test.ts': good });
    const { code, lines } = await start(project.directory, {}, [filter]).finished;
    const line = `test: ${says}; run with --help for usage`;
    test.expect({ code, line: lines.at(-1) }).toEqual({ code: 2, line });
    test.expect(lines.filter((one) => /include|filter/.test(one))).toEqual([]);
  });

  it.for(Object.entries(refused))('answers %s with one sentence', async (found, test) => {
    const [args, says] = found;
    using project = plantProject({ 'vitest.config.ts': config(), 'a.test.ts': good });
    const { code, lines } = await start(project.directory, {}, args.split(' ')).finished;
    const sentence = `test: ${says.replace('DIR', project.directory)}; run with --help for usage`;
    test.expect({ code, lines }).toEqual({ code: 2, lines: [sentence] });
  });

  it.for(['--help', '-h'])('explains %s, and what it leaves to test:all', async (help, test) => {
    using project = plantProject({ 'vitest.config.ts': config(), 'a.test.ts': good });
    const { code, lines } = await start(project.directory, {}, ['a.test.ts', help]).finished;
    test.expect({ code, text: lines.join('\n') }).toEqual({ code: 0, text: HELP.trimEnd() });
    test.expect(HELP).toMatch(/--project=NAME.*-t TITLE[^]*npm run test:all[^]*npx vitest --help/);
  });

  it('shows what a configuration throws', async (test) => {
    using project = plantProject({ 'vitest.config.ts': "throw new Error('no');" });
    const { lines } = await start(project.directory).finished;
    test.expect(lines).toContain('Error: no');
    test.expect(lines.join('\n')).toMatch(/^ {4}at .*vitest\.config\.ts/m);
  });

  it('counts the tests that print a complaint of vitest', async (test) => {
    using project = plantProject({
      'vitest.config.ts': config(),
      'a.test.ts': `${head} it('a', () => { console.error('Startup Error\\nError: no'); expect(1).toBe(2); });`,
    });
    const { code, lines } = await start(project.directory).finished;
    test.expect({ code, line: lines.at(-1) }).toEqual({ code: 1, line: '0 passed, 1 failed' });
  });

  it('runs the test file that a filter names by a part of its path', async (test) => {
    using project = plantProject({ 'vitest.config.ts': config(), 'ab.test.ts': good });
    const { code, lines } = await start(project.directory, {}, ['b.test.ts']).finished;
    test.expect({ code, line: lines.at(-1) }).toEqual({ code: 0, line: '1 passed, 0 failed' });
  });

  it("never shows the caller's cluster and account to a test", async (test) => {
    using project = plantProject({
      'vitest.config.ts': config("globalSetup: ['setup.ts']"),
      'setup.ts':
        "import { writeFileSync } from 'node:fs'; export default () => writeFileSync('setup.json', JSON.stringify(process.env));",
      'a.test.ts': `${head} import { writeFileSync } from 'node:fs'; it('x', () => writeFileSync('test.json', JSON.stringify(process.env)));`,
    });
    const poison = { KUBECONFIG: '/poison', AWS_PROFILE: 'poison', AWS_ACCESS_KEY_ID: 'poison' };
    const { code } = await start(project.directory, poison).finished;
    test.expect(code).toBe(0);
    for (const seen of ['setup.json', 'test.json']) {
      const env = readFileSync(join(project.directory, seen), 'utf8');
      test.expect(env).toContain('"PATH"');
      test.expect(env).not.toContain('poison');
    }
  });

  it.for(['SIGINT', 'SIGTERM'] as const)(
    'stops what it has started on %s',
    async (signal, test) => {
      using project = plantProject({
        'vitest.config.ts': config("globalSetup: ['setup.ts']"),
        'setup.ts':
          "import { writeFileSync } from 'node:fs'; export default () => () => writeFileSync('torn-down', '');",
        'a.test.ts': `${head} import { writeFileSync } from 'node:fs'; it('hangs', () => { writeFileSync('running', ''); return new Promise(() => undefined); }, 60_000);`,
      });
      const { child, finished } = start(project.directory);
      await test.expect
        .poll(() => existsSync(join(project.directory, 'running')), { timeout: 120_000 })
        .toBe(true);
      child.kill(signal);
      const { code, lines } = await finished;
      test.expect({ code, line: lines.at(-1)?.slice(0, 18) }).toEqual({
        code: 130,
        line: '0 passed, 0 failed',
      });
      test.expect(existsSync(join(project.directory, 'torn-down'))).toBe(true);
    },
  );
});
