import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ENTRY } from '../../../deploy/bundle.ts';
import { startOperatorProcess } from '../../surroundings/operator-process.ts';

/** Process 1 of a container is not ended by a signal for which it has no handler: the code would be null here. */
it.each(['SIGTERM', 'SIGINT'] as const)('%s ends an image that still loads', async (signal) => {
  const directory = mkdtempSync(join(tmpdir(), 'albridge-bundle-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const entry = join(directory, 'main.mjs');
  writeFileSync(entry, ENTRY);
  const loading = `console.log('loading'); await new Promise((done) => setTimeout(done, 60_000));`;
  writeFileSync(join(directory, 'operator.mjs'), loading);
  const image = startOperatorProcess({ environment: {}, entry });
  await image.waitForLine(({ msg }) => msg === 'loading');

  image.signal(signal);

  expect(await image.exited).toBe(0);
});
