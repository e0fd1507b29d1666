import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../deploy/bundle.ts';
import { writeLicences } from '../../deploy/licences.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The directory that the image holds as /app, which nobody can write to. */
    readonly image: string;
  }
}

/** Makes what `npm run build` makes, and leaves it to all files of the project, read-only. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'albridge-image-'));
  const app = join(directory, 'app');
  await bundle(app);
  await writeLicences(app);
  // As in an image: ES modules by package.json's absence of a say, owned by root, writable by nobody.
  await writeFile(join(directory, '.keep'), '');
  for (const name of await readdir(app)) await chmod(join(app, name), 0o444);
  for (const path of [app, directory]) await chmod(path, 0o555);
  project.provide('image', app);
  return async () => {
    for (const path of [directory, app]) await chmod(path, 0o755);
    await rm(directory, { recursive: true, force: true });
  };
}
