import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { isCalledPlainly } from '../deploy/no-arguments.ts';
import { LATER } from './gates/test-arguments.ts';

/** `npm run test:all`: `npm test`, and if that succeeds the projects that it leaves out. */
const runner = resolve(import.meta.dirname, 'run.ts');

if (isCalledPlainly('test:all', `npm test, then the projects ${LATER.join(' and ')}`)) {
  process.exitCode = (await run([])) || (await run(LATER.map((name) => `--project=${name}`)));
}

/** Passes signals on, as the runner stops what it started. */
async function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [runner, ...args], { stdio: 'inherit' });
  process.on('SIGINT', () => undefined); // a terminal sends it to the runner as well
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
