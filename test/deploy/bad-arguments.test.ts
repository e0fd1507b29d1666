import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from './commands.ts';

/** Every command of the project, programs that its pages name included, and what people get wrong: an unknown option, and bad values. */

const ROOT = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

const values: Readonly<Record<string, readonly string[]>> = {
  start: ['extra'],
  record: ['extra'],
  demo: ['--backend nowhere', '--quota x', '--quota -5', '--quota=', 'extra'],
  sandbox: [
    '',
    '--dir',
    '--dir=',
    '--dir /nowhere --nodes x',
    '--dir /nowhere --nodes=',
    '--dir /nowhere --provisioning-ms=',
    '--dir /nowhere --budget x',
    '--dir /nowhere --nodes -5',
    '--dir /proc',
    '--dir /proc/x',
    '--dir package.json/x',
  ],
  test: [
    ...['-v', '--version', '--project', '--project nowhere', '--root /nope', '--config nope.ts'],
    ...['--shard=x', '--testNamePattern=[', '--reporter=nonsense', '--pool=x', '--maxWorkers=x'],
    'test/nope.test.ts',
  ],
  'test:all': ['--project=unit', 'extra'],
  'test:aws': [
    ...['--backend nowhere', '--backend', '--backend http://127.0.0.1:1', '--like nobody'],
    ...['--backend aws extra', '--backend aws --like moto', '--backend aws --record /nope/x.json'],
  ],
  localstack: ['', 'nowhere', 'up --port x', 'up --port 99999', 'up --port -5', 'up down'],
  check: ['extra'],
  gen: ['extra'],
  build: ['extra'],
  docs: ['--out', '--out /proc/x', '--out /proc/x/y', 'extra'],
  release: [
    '',
    '--version x',
    '--version',
    '--version 9.9.9 --dry-run --image x:1',
    '--version 9.9.9 --dry-run --app=',
    '--version 9.9.9 --dry-run --out /proc/x',
    '--version 9.9.9 --dry-run --out /proc/x/y',
    'extra',
  ],
  undeploy: ['--kustomization=', '--timeout x', '--timeout -5', '--timeout', 'extra'],
  'control-plane': [
    'nowhere',
    'fetch nowhere',
    '--assets',
    'fetch --assets=',
    'fetch --assets /nope',
  ],
  bench: [
    ...['--runs x', '--runs -5', '--only nowhere', 'extra'],
    ...['--json /nope/x.json', '--svg=', '--svg /proc/x', '--svg package.json/x'],
  ],
  'bench:stand-ins': ['--runs x', '--runs 0', '--runs -5', 'extra'],
  simulate: [
    '--seeds x',
    '--seeds -5',
    '--seed 1 --crash x',
    '--scenario package.json',
    '--mutation x',
    'extra',
  ],
};

/** Those that the pages call by `node`, and no script does. */
const programs: Readonly<Record<string, readonly string[]>> = {
  'localstack/embedded/main.ts': ['--port x', '--budget half', '--quota=', 'extra'],
  'localstack/seed.ts': ['extra'],
  'test/browser/screenshots.ts': ['extra'],
};

const all = { ...values, ...programs };

const cases = Object.entries(all).flatMap(([script, bad]) =>
  ['--nonsense', ...bad].map((line) => ({ script, line })),
);

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(script: string, line: string): Promise<Answer> {
  const [, ...args] = (manifest.scripts[script] ?? `node ${script}`).split(' ');
  const more = line.split(' ').filter((word) => word !== '');
  return new Promise((done) => {
    execFile(process.execPath, [...args, ...more], { cwd: ROOT }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

describe('a command of the project', { concurrent: true }, () => {
  it('is in the table, unless it is a tool of others', () => {
    // The command line answers as test/unit/cli/run.test.ts says.
    const others = ['format', 'albridge'];
    expect(Object.keys(values).toSorted()).toEqual(
      Object.keys(manifest.scripts)
        .filter((script) => !others.includes(script))
        .toSorted(),
    );
  });

  it('is in the table if a page calls it by node', async () => {
    const places = [...(await pages()), ...globSync('localstack/**/*.md', { cwd: ROOT })];
    const texts = places.map((page) => readFileSync(resolve(ROOT, page), 'utf8')).join('\n');
    const named = [...texts.matchAll(/\bnode (?:--\S+ )*([\w./-]+\.ts)\b/g)].map(
      ([, file = '']) => file,
    );
    const scripts = Object.values(manifest.scripts).flatMap((script) => script.split(' '));
    const others = named.filter((file) => !scripts.includes(file));
    expect([...new Set(others)].toSorted()).toEqual(Object.keys(programs));
  });

  it.each(cases)(
    'answers `$script $line` with one sentence and no stack',
    async ({ script, line }) => {
      const { code, out, err } = await run(script, line);
      expect(out).toBe('');
      expect(err).toMatch(/^[\w:-]+( aws)?: [^\n]+; run with --help for usage\n$/);
      expect(err).not.toMatch(/positional argument|ambiguous|\. [A-Z]/);
      expect([2, 78]).toContain(code);
    },
  );

  it.each(Object.keys(all))('answers `%s --help` with its usage', async (script) => {
    const { code, out, err } = await run(script, '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/npm run|Usage:|usage:|^node /);
  });
});
