import { readFile } from 'node:fs/promises';
import type { LogLine } from './operator-process.ts';

/** What an operator that logs into `file` has logged about one object, `namespace/name`. */
export async function logLinesAbout(file: string, key: string): Promise<readonly LogLine[]> {
  return (await logLines(file)).filter((line) => line['key'] === key);
}

/** All that it has logged. */
export async function logLines(file: string): Promise<readonly LogLine[]> {
  const text = await readFile(file, 'utf8');
  // The last line may be half written.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
}
