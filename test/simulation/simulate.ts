import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Of a search: its seeds are counted, and a busy machine takes longer over them. */
export const SEARCH = { timeout: 3_600_000 } as const;
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** `npm run simulate` with these arguments. */
export async function simulate(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

/** Scenarios, violations, crash points that were hit, and all. */
export const CLOSING = /^(\d+) scenarios, (\d+) violations, (\d+)\/(\d+) crash points$/m;
