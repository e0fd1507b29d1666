import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isCalledPlainly } from '../../deploy/no-arguments.ts';
import { drawRecording, type RecordedLine } from './recording.ts';

/** Runs the demo and draws what it printed into docs/demo.svg; a demo that fails is not drawn. */
const root = resolve(import.meta.dirname, '../..');
const file = resolve(root, 'docs/demo.svg');

if (isCalledPlainly('record', 'runs the demo and draws what it prints as docs/demo.svg')) {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'main.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const startedMs = performance.now();
  const lines: RecordedLine[] = [];
  createInterface(child.stdout).on('line', (text) => {
    process.stdout.write(`${text}\n`);
    lines.push({ text, atMs: performance.now() - startedMs });
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) writeFileSync(file, drawRecording(lines));
  else process.exitCode = 1;
}
