import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { inspect, parseArgs } from 'node:util';
import { firstSentence, wholeNumberIn } from '../../deploy/no-arguments.ts';
import { CrashCoverage } from './coverage.ts';
import type { CrashPoint, Job } from './job.ts';
import { MUTATIONS } from './mutations.ts';
import { plant } from './plant.ts';
import type { Outcome } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { parseScenario } from './scenario-file.ts';
import { timeline } from './timeline.ts';
import { StepError, USAGE, UsageError } from './usage.ts';
import type { JobResult } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';
import { pointOf } from './world/fault-board.ts';

/**
 * `npm run simulate -- --seeds N --first S`: the operator in N random worlds. `--seed S [--crash ...]
 * [--trace]` repeats one, `--scenario FILE` one that was shrunk; `--mutation NAME` plants a bug, which
 * must be caught. Exit code 1: a promise was broken; 2: the simulation itself does not work.
 */
const values = readArguments();
const coverage = new CrashCoverage();
const broken: JobResult[] = [];
const met = new Map<string, number>();
let scenarios = 0;
let aimedRuns = 0;

/** The simulation itself does not work: not to be taken for a bug that was caught. */
const EX_BROKEN = 2;
/** Seeds are numbers of 32 bits. */
const MOST = 2 ** 32 - 1;
/** The results of many more do not fit into memory. */
const MOST_SEEDS = 1_000_000;
const MOST_ROUNDS = 12;
const MOST_SHOWN = 3;
/** Scenarios between two lines of progress. */
const PROGRESS_STEP = 100;

// To strip and compile the operator takes longer than a scenario.
enableCompileCache();

// As `| head` does once it has enough.
process.stdout.on('error', () => process.exit());
// Progress that nobody reads is no reason to end.
process.stderr.on('error', () => undefined);

try {
  if (values.help) say(USAGE);
  else await run();
} catch (error) {
  complain(error);
  process.exit(EX_BROKEN);
}

function readArguments(): ReturnType<typeof parseOptions> {
  try {
    return parseOptions();
  } catch (error) {
    complain(new UsageError(firstSentence(error)));
    process.exit(2);
  }
}

function parseOptions() {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  return parseArgs({
    options: {
      help: flag,
      seeds: { type: 'string', default: '500' },
      first: { type: 'string', default: '1' },
      seed: text,
      crash: { type: 'string', multiple: true, default: [] },
      scenario: text,
      trace: flag,
      mutation: text,
      unshrunk: flag,
      met: flag,
    },
  }).values;
}

function complain(error: unknown): void {
  const isUsage = error instanceof UsageError;
  process.stderr.write(
    isUsage ? `simulate: ${error.message}; run with --help for usage\n` : `${inspect(error)}\n`,
  );
}

async function run(): Promise<void> {
  refuseUnused();
  if (values.mutation !== undefined) plantNamed(values.mutation);
  if (values.scenario !== undefined) await repeatFile(values.scenario);
  else if (values.seed !== undefined) await repeatSeed(whole('seed'), values.crash);
  else await runMany(whole('seeds'), whole('first'));
  conclude();
}

/** What would be left aside. */
function refuseUnused(): void {
  refuseNextToFile();
  const isGiven = (name: string): boolean =>
    process.argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  const isOne = values.seed !== undefined || values.scenario !== undefined;
  if (isOne && (isGiven('seeds') || isGiven('first')))
    throw new UsageError('--seeds and --first are of many scenarios, --seed and --scenario of one');
  if (!isOne && (values.trace || values.crash.length > 0))
    throw new UsageError('--trace and --crash are of one scenario: give its --seed too');
  if (!isOne) refuseSeedsBeyond();
}

function refuseNextToFile(): void {
  if (values.scenario === undefined) return;
  if (values.seed !== undefined || values.crash.length > 0)
    throw new UsageError('--seed and --crash do not go with --scenario: its file has both');
}

function refuseSeedsBeyond(): void {
  const last = whole('first') + whole('seeds') - 1;
  if (last > MOST)
    throw new UsageError(`the last of these seeds is ${last}: ${MOST} is the largest`);
}

function plantNamed(name: string): void {
  if (Object.hasOwn(MUTATIONS, name)) return plant(name);
  throw new UsageError(`no mutation "${name}": test/simulation/mutations.ts has all their names`);
}

function conclude(): void {
  if (values.met) sayWhatWasMet();
  const counts = [`${scenarios} scenarios`, `${broken.length} violations`];
  const isMany = values.seed === undefined && values.scenario === undefined;
  // Nobody has aimed at them where something else was broken.
  const missing = isMany && broken.length === 0 ? coverage.missing : [];
  for (const point of missing) say(`not hit: ${point}`);
  if (isMany) counts.push(`${coverage.covered}/${coverage.total} crash points`);
  if (aimedRuns > 0) {
    say(`${aimedRuns} runs more, of calm seeds with kills aimed at what chance had not hit`);
  }
  say(counts.join(', '));
  process.exitCode = exitCodeOf(missing);
}

function exitCodeOf(missing: readonly string[]): 0 | 1 {
  const isIncomplete = missing.length > 0 && values.mutation === undefined;
  return broken.length > 0 || isIncomplete ? 1 : 0;
}

async function runMany(count: number, first: number): Promise<void> {
  const pool = new WorkerPool(values.mutation);
  try {
    const seeds = Array.from({ length: count }, (_, at) => ({ seed: first + at }));
    await pool.run(seeds, (result) => {
      const isToContinue = note(result);
      reportProgress(count);
      return isToContinue;
    });
    for (let round = 0; round < MOST_ROUNDS && isWorthMore(); round++) {
      await pool.run(coverage.aimed(), note);
    }
  } finally {
    pool.close();
  }
  const told = new Map(broken.map((result) => [result.violation?.invariant, result]));
  for (const result of [...told.values()].slice(0, MOST_SHOWN)) await show(result);
}

function isWorthMore(): boolean {
  return broken.length === 0 && coverage.covered < coverage.total;
}

/** False: one is enough to catch a planted bug. */
function note(result: JobResult): boolean {
  if (result.job.crashes === undefined) scenarios += 1;
  else aimedRuns += 1;
  coverage.add(result);
  noteMet(result.met);
  if (result.violation === undefined) return true;
  broken.push(result);
  return values.mutation === undefined;
}

/** On stderr: stdout has the result alone. */
function reportProgress(count: number): void {
  if (count <= PROGRESS_STEP || scenarios % PROGRESS_STEP > 0) return;
  process.stderr.write(
    `simulate: ${scenarios} of ${count} scenarios, ${broken.length} violations\n`,
  );
}

function noteMet(names: Iterable<string>): void {
  for (const what of names) met.set(what, (met.get(what) ?? 0) + 1);
}

/** A failure, how to repeat it, and what it takes. */
async function show({ job, violation }: JobResult): Promise<void> {
  if (violation === undefined) return;
  const { argumentsOf, scenarioOf } = await loadJobs();
  say(`\n${argumentsOf(job)}\n${violation.invariant}: ${violation.detail}`);
  await showShrunk(scenarioOf(job), violation.invariant);
}

async function showShrunk(scenario: Scenario, invariant: string): Promise<void> {
  if (values.unshrunk) return;
  const { runScenario } = await import('./run-scenario.ts');
  const { shrink } = await import('./shrink.ts');
  const small = await shrink(scenario, invariant);
  const { trace } = await runScenario(small, { isTraced: true });
  say(`shrunk: ${JSON.stringify(small)}`);
  for (const line of [...timeline(trace), '']) say(line);
  for (const line of trace) say(`  ${line}`);
}

/** One scenario: its trace if asked for, and if it fails what it takes to fail. */
async function repeat(scenario: Scenario, job: Job): Promise<void> {
  const { runScenario } = await import('./run-scenario.ts');
  scenarios = 1;
  const result = await runScenario(scenario, { isTraced: values.trace });
  const { violation, trace } = result;
  noteMet(result.met);
  const isShown = values.trace && violation !== undefined;
  for (const line of isShown ? [...timeline(trace), ''] : []) say(line);
  for (const line of trace) say(line);
  if (violation === undefined) return refuseMissed(job.crashes ?? [], result);
  broken.push({ job, violation, crashed: [...result.crashed], met: [...result.met] });
  say(`${violation.invariant}: ${violation.detail}`);
  if (!values.trace) await showShrunk(scenario, violation.invariant);
}

/** Without its kill a run that breaks no promise proves nothing. */
function refuseMissed(crashes: readonly CrashPoint[], { counts, crashed }: Outcome): void {
  for (const { label, phase, nth } of crashes) {
    const point = pointOf(label, phase);
    const count = counts.get(label) ?? 0;
    if (count >= nth && crashed.has(point)) continue;
    const why =
      count < nth ? `this run has ${count} operations "${label}"` : 'another kill came first';
    throw new UsageError(`--crash "${point}/${nth}" killed no process: ${why}`);
  }
}

async function repeatSeed(seed: number, crashes: readonly string[]): Promise<void> {
  const { parseCrash, scenarioOf } = await loadJobs();
  const job = { seed, crashes: crashes.map((text) => crashPointOf(text, parseCrash)) };
  return repeat(scenarioOf(job), job);
}

/** The generator reads a part of src/, which may have the bug: only once that is planted. */
async function loadJobs() {
  return import('./job.ts');
}

function crashPointOf(text: string, parseCrash: (text: string) => CrashPoint): CrashPoint {
  try {
    return parseCrash(text);
  } catch (error) {
    throw new UsageError(firstSentence(error));
  }
}

async function repeatFile(path: string): Promise<void> {
  const scenario = readScenario(path);
  try {
    await repeat(scenario, { seed: scenario.seed });
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new UsageError(`cannot play the scenario ${path}: ${error.message}`);
  }
}

function readScenario(path: string): Scenario {
  try {
    return parseScenario(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`cannot read the scenario ${path}: ${(error as Error).message}`);
  }
}

function sayWhatWasMet(): void {
  for (const what of [...met.keys()].toSorted((a, b) => (a < b ? -1 : 1))) {
    say(`met: ${what} in ${met.get(what)} runs`);
  }
  for (const point of coverage.points.toSorted()) say(`crash point: ${point}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function whole(name: 'seed' | 'seeds' | 'first'): number {
  const text = values[name] ?? '';
  const number = wholeNumberIn(text);
  const [least, most] = name === 'seeds' ? [1, MOST_SEEDS] : [0, MOST];
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}, not "${text}"`);
}
