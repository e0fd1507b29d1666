import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { cleanEnvironment } from './gates/clean-environment.ts';
import { judge, lostRun, slowestFiles, type Tally } from './gates/tally.ts';

/**
 * `npm test [-- what vitest takes]`: runs the tests, those of LATER only where their project is named,
 * away from the caller's cluster and account, and closes with one line of real counts. Ends with 0 only
 * if tests ran and none failed.
 */
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
);
const reporter = resolve(import.meta.dirname, 'gates/tally-reporter.ts');
/** For the programs that tests start: to strip and compile one takes longer than most of what it is to do. */
const compileCache = resolve(import.meta.dirname, '../node_modules/.cache/compiled');

const EX_USAGE = 2;
/** For `npm run test:all`: journeys of minutes, and the stand-in held to LocalStack, in Python. */
const LATER = ['long*', 'aws-localstack'];
const workspace = mkdtempSync(join(tmpdir(), 'albridge-test-'));
const tallyFile = join(workspace, 'tally.json');
const args = process.argv.slice(2);
const missing = args.find(isMissing);
if (missing !== undefined) refuse(`there is no test file ${missing}`);
const namesProject = args.some((arg) => arg.startsWith('--project'));
const exitCode = await runVitest(
  namesProject ? args : [...LATER.map((name) => `--project=!${name}`), ...args],
);
const tally = existsSync(tallyFile)
  ? (JSON.parse(readFileSync(tallyFile, 'utf8')) as Tally)
  : lostRun;
rmSync(workspace, { recursive: true });

const verdict = judge(tally, exitCode);
const closing = [
  'slowest files:',
  ...slowestFiles(tally, 10),
  ...(verdict.remark === undefined ? [] : [verdict.remark]),
  verdict.line,
];
process.stdout.write(`${closing.join('\n')}\n`);
process.exitCode = verdict.exitCode;

async function runVitest(args: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--reporter=default', `--reporter=${reporter}`, ...args],
    {
      stdio: ['inherit', 'inherit', 'pipe'],
      env: {
        NODE_COMPILE_CACHE: compileCache,
        ...cleanEnvironment(process.env),
        TALLY_FILE: tallyFile,
      },
    },
  );
  stopTogether(child);
  let startError = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (startError !== '' || /Startup Error|CACError|No test files found/.test(text))
      startError += text;
    else process.stderr.write(text);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const complaint = usageIn(startError);
  if (complaint === undefined) process.stderr.write(startError);
  if (complaint === undefined) return code ?? 1;
  return refuse(complaint);
}

function refuse(complaint: string): never {
  process.stderr.write(`test: ${complaint}; run with --help for usage\n`);
  rmSync(workspace, { recursive: true });
  process.exit(EX_USAGE);
}

/** The name of a test file of which there is none. vitest says so at length, as it takes any part of a path. */
function isMissing(arg: string, index: number): boolean {
  const isOfOption = arg.startsWith('-') || args[index - 1]?.startsWith('-') === true;
  if (isOfOption || !arg.endsWith('.test.ts') || existsSync(arg)) return false;
  const files = globSync('**/*.test.ts', { exclude: ['**/node_modules/**'] });
  return !files.some((file) => file.includes(arg));
}

/** What vitest has against its arguments, without its stack. */
function usageIn(text: string): string | undefined {
  const [, option] = /CACError: (.+)/.exec(text) ?? [];
  const [, filter] = /^filter: (.+)$/m.exec(stripVTControlCharacters(text)) ?? [];
  // Where a setup fails there are no files either.
  if (filter !== undefined && !/Unhandled Error/.test(text))
    return `no test file matches ${filter}`;
  const [, project] = /The filter matched no projects: (.+?)\. /.exec(text) ?? [];
  return option ?? (project && `there is no project ${project}`);
}

/**
 * The first signal lets vitest stop what it started, and this process then reports; at a terminal
 * Ctrl-C reaches vitest by itself as well. The second signal ends it at once.
 */
function stopTogether(child: ChildProcess): void {
  let isStopping = false;
  const stop = (): void => {
    child.kill(isStopping ? 'SIGKILL' : 'SIGINT');
    isStopping = true;
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
