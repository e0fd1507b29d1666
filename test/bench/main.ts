import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { removeCallersSettings } from '../gates/clean-environment.ts';
import { Interrupted, interruption } from '../surroundings/interruption.ts';
import { BenchPlace } from './bench-place.ts';
import { figures } from './figures.ts';
import { describeMachine, load } from './machine.ts';
import { jsonReport, type Measured, tableReport } from './report.ts';

/** `npm run bench`: how fast albridge is, in medians of several runs. */

const HELP = `Measures the bundled operator on a real control plane and the AWS stand-in.

Usage: npm run bench [-- --only NAME ...] [--runs N] [--json FILE]
  --only NAME   this figure alone; may be given more than once
  --runs N      runs of each figure, of which the median counts (default 3; start: at least 10)
  --json FILE   every value, for programs
  --help        this text

Figures:
${Object.entries(figures)
  .map(([name, { what }]) => `  ${name.padEnd(16)}${what}`)
  .join('\n')}

Prints a table; progress goes to standard error. All figures take about twelve minutes. Ends with 0
when everything was measured, whatever the values are: they depend on the machine and its load.
Stops everything it started, also on Ctrl-C.
`;

interface Flags {
  readonly names: readonly string[];
  readonly runs: number;
  readonly json: string | undefined;
}

// Nobody's real cluster or account is reached by measuring.
removeCallersSettings(process.env);
const flags = readFlags();
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

async function measureAll(place: BenchPlace, { names, runs, json }: Flags): Promise<void> {
  const machine = describeMachine();
  const all: Measured[] = [];
  for (const name of names) {
    const figure = figures[name];
    if (figure === undefined) continue;
    const tell = (line: string): void => say(`${name}: ${line}`);
    const samples = await figure.measure(place, { runs, say: tell });
    all.push({ name, figure, samples, load: load() });
  }
  if (json !== undefined) await writeFile(json, jsonReport(machine, all));
  process.stdout.write(tableReport(machine, all));
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}

/** undefined: there is nothing to measure. */
function readFlags(): Flags | undefined {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        runs: { type: 'string', default: '3' },
        json: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return undefined;
    }
    return { names: namesOf(values.only), runs: runsOf(values.runs), json: values.json };
  } catch (error) {
    say(`${(error as Error).message}; run with --help for usage`);
    process.exitCode = 2;
    return undefined;
  }
}

function namesOf(only: readonly string[] = Object.keys(figures)): readonly string[] {
  const unknown = only.find((name) => figures[name] === undefined);
  if (unknown !== undefined) throw new Error(`there is no figure ${unknown}`);
  return only;
}

function runsOf(text: string): number {
  const runs = Number(text);
  if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number from 1');
  return runs;
}
