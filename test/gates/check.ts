import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, resolve } from 'node:path';
import { isCalledPlainly } from '../../deploy/no-arguments.ts';

/**
 * `npm run check`: every gate that needs seconds and no servers. Runs all of them, the unit tests beside
 * the others, shows what each one that failed has printed, and fails at the end if any did.
 */
const root = resolve(import.meta.dirname, '../..');

/** One after the other. */
const gates: Readonly<Record<string, readonly string[]>> = {
  'format, order of imports': ['biome', 'check', '--error-on-warnings', '.'],
  'lint, layer rules': ['node', 'test/gates/lint.ts'],
  types: ['tsc', '-p', '.'],
  'dead code, dependencies': ['knip', '--no-progress'],
  'types mirror the CRDs': ['node', 'crds/mirror.ts', '--check'],
  'docs mirror the code': ['node', 'docs/mirror.ts', '--check'],
};

interface Outcome {
  readonly name: string;
  readonly seconds: string;
  readonly code: number;
  readonly output: string;
}

const failed: string[] = [];
if (isCalledPlainly('check', 'every gate that needs seconds and no servers')) {
  const tests = run('unit tests', ['node', 'test/run.ts', '--project', 'unit']);
  for (const [name, command] of Object.entries(gates)) report(await run(name, command));
  report(await tests);
}
if (failed.length > 0) {
  process.stdout.write(`check failed: ${failed.join('; ')}\n`);
  process.exitCode = 1;
}

function report({ name, seconds, code, output }: Outcome): void {
  if (code === 0) {
    process.stdout.write(`✓ ${name} ${seconds} s${closing(output)}\n`);
    return;
  }
  process.stdout.write(`✗ ${name} ${seconds} s\n${output.trimEnd()}\n`);
  failed.push(name);
}

/** The counts with which a step that passed has closed, if it counts. */
function closing(output: string): string {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  return /^\d+ (files|passed)/.test(last) ? `, ${last}` : '';
}

async function run(name: string, command: readonly string[]): Promise<Outcome> {
  const startMs = performance.now();
  const [tool = '', ...args] = command;
  const PATH = [resolve(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const child = spawn(tool, args, { cwd: root, env: { ...process.env, PATH } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  return { name, seconds, code: code ?? 1, output };
}
