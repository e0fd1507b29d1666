import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const runner = resolve(import.meta.dirname, '../run.ts');

/** Runs `npm test` with these arguments, and passes signals on, as the runner stops what it started. Returns its exit code. */
export async function runTests(args: readonly string[], env = process.env): Promise<number> {
  const child = spawn(process.execPath, [runner, ...args], { stdio: 'inherit', env });
  process.on('SIGINT', () => undefined); // a terminal sends it to the runner as well
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
