import { parseArgs } from 'node:util';
import { firstSentence, refuseEmpty, wholeNumberIn } from '../../deploy/no-arguments.ts';
import { makeWritable, refuseUnwritable } from '../../deploy/output.ts';
import { removeCallersSettings } from '../gates/clean-environment.ts';
import { Interrupted, interruption } from '../surroundings/interruption.ts';
import { BenchPlace } from './bench-place.ts';
import { figures } from './figures.ts';
import { describeMachine, load } from './machine.ts';
import { type Measured, writeReports } from './report.ts';

/** `npm run bench`: how fast albridge is, in medians of several runs. */

const HELP = `Measures the bundled operator on a real control plane and the AWS stand-in.

Usage: npm run bench [-- --only NAME ...] [--runs N] [--json FILE] [--svg DIR]
  --only NAME   only this figure; may be given more than once
  --runs N      runs of each figure; the median is reported (default 3; start: at least 10)
  --json FILE   writes every value as JSON
  --svg DIR     writes the charts of the figures that have some, into DIR, which it makes; \`npm run gen\`
                copies the numbers of those in docs/charts into docs/performance.md
  --help        this text

Figures:
${Object.entries(figures)
  .map(([name, { what }]) => `  ${name.padEnd(20)}${what}`)
  .join('\n')}

Prints a table, and progress on standard error. All figures take about half an hour. Exits with 0
if everything was measured, regardless of the values: they depend on the machine and its load.
Stops everything that it started, also on Ctrl-C.
`;

interface Flags {
  readonly names: readonly string[];
  readonly runs: number;
  readonly json: string | undefined;
  readonly svg: string | undefined;
}

// Nobody's real cluster or account is reached by measuring.
removeCallersSettings(process.env);
const flags = await readFlags();
if (flags !== undefined) await run(flags);

async function run(flags: Flags): Promise<void> {
  const place = new BenchPlace(say);
  const interrupted = interruption();
  interrupted.catch(() => {}); // raced below
  try {
    await Promise.race([measureAll(place, flags), interrupted]);
  } catch (error) {
    process.exitCode = error instanceof Interrupted ? 130 : 1;
    say((error as Error).message);
  }
  await place.stop();
  process.exit();
}

async function measureAll(place: BenchPlace, { names, runs, json, svg }: Flags): Promise<void> {
  const machine = describeMachine();
  const all: Measured[] = [];
  for (const name of names) {
    const figure = figures[name];
    if (figure === undefined) continue;
    const tell = (line: string): void => say(`${name}: ${line}`);
    const samples = await figure.measure(place, { runs, say: tell });
    all.push({ name, figure, samples, load: load() });
  }
  const print = (text: string): void => void process.stdout.write(text);
  await writeReports(machine, all, { json, svg, print });
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

/** undefined: there is nothing to measure. */
async function readFlags(): Promise<Flags | undefined> {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        runs: { type: 'string', default: '3' },
        json: { type: 'string' },
        svg: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return undefined;
    }
    const { json, svg } = values;
    const flags = { names: namesOf(values.only), runs: runsOf(values.runs), json, svg };
    await refuseLost(flags);
    return flags;
  } catch (error) {
    say(`${firstSentence(error)}; run with --help for usage`);
    process.exitCode = 2;
    return undefined;
  }
}

/** Half an hour of measuring must find its places. */
async function refuseLost({ json, svg }: Flags): Promise<void> {
  refuseEmpty('--svg', svg);
  if (json !== undefined) refuseUnwritable('--json', json);
  if (svg !== undefined) await makeWritable(svg);
}

function namesOf(only: readonly string[] = Object.keys(figures)): readonly string[] {
  const unknown = only.find((name) => !Object.hasOwn(figures, name));
  if (unknown === undefined) return only;
  throw new Error(`there is no figure ${unknown}: --only takes ${Object.keys(figures).join(', ')}`);
}

function runsOf(text: string): number {
  const runs = wholeNumberIn(text);
  if (!Number.isSafeInteger(runs) || runs < 1)
    throw new Error('--runs takes a whole number from 1');
  return runs;
}
