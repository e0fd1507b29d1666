import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { cleanEnvironment } from './gates/clean-environment.ts';
import { judge, lostRun, slowestFiles, type Tally } from './gates/tally.ts';
import { COMPLAINT, findBadArgument, HELP, LATER, readComplaint } from './gates/test-arguments.ts';

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

const args = process.argv.slice(2);
if (args.some((arg) => arg === '--help' || arg === '-h')) {
  process.stdout.write(HELP);
  process.exit();
}
const bad = findBadArgument(args);
if (bad !== undefined) refuse(bad);
const workspace = mkdtempSync(join(tmpdir(), 'albridge-test-'));
const tallyFile = join(workspace, 'tally.json');
const namesProject = args.some((arg) => arg.startsWith('--project'));
const { exitCode, complaint } = await runVitest(
  namesProject ? args : [...LATER.map((name) => `--project=!${name}`), ...args],
);
const tally = existsSync(tallyFile)
  ? (JSON.parse(readFileSync(tallyFile, 'utf8')) as Tally)
  : lostRun;
rmSync(workspace, { recursive: true });
// Neither what tests have printed nor a fault of our own is a complaint about arguments.
const isOfCaller =
  args.length > 0 && tally.files.length === 0 && !complaint.includes(basename(reporter));
const usage = isOfCaller ? readComplaint(complaint) : undefined;
if (usage !== undefined) refuse(usage);
process.stderr.write(complaint);

const verdict = judge(tally, exitCode);
const closing = [
  'slowest files:',
  ...slowestFiles(tally, 10),
  ...(verdict.remark === undefined ? [] : [verdict.remark]),
  verdict.line,
];
process.stdout.write(`${closing.join('\n')}\n`);
process.exitCode = verdict.exitCode;

interface Ended {
  readonly exitCode: number;
  /** Held back, as it may be about the arguments. */
  readonly complaint: string;
}

async function runVitest(args: readonly string[]): Promise<Ended> {
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
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (complaint !== '' || COMPLAINT.test(text)) complaint += text;
    else process.stderr.write(text);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { exitCode: code ?? 1, complaint };
}

function refuse(usage: string): never {
  process.stderr.write(`test: ${usage}; run with --help for usage\n`);
  process.exit(EX_USAGE);
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
