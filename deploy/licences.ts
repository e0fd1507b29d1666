import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * Writes what the licences of the bundled packages ask to be shipped with them: a bundler keeps only
 * the comments that say @license, and most packages have a file instead.
 */

const ROOT = resolve(import.meta.dirname, '..');
const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i;

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly license?: string;
  readonly os?: string;
}

/**
 * Puts `LICENSE` and `THIRD-PARTY-LICENSES.txt` into the directory. Throws where a package names a
 * licence nowhere, neither in package.json nor in a file.
 */
export async function writeLicences(directory = resolve(ROOT, 'dist')): Promise<void> {
  const texts: string[] = [];
  for (const [path, locked] of await shippedPackages()) texts.push(await licenceOf(path, locked));
  await writeFile(join(directory, 'THIRD-PARTY-LICENSES.txt'), texts.join('\n'));
  await cp(resolve(ROOT, 'LICENSE'), join(directory, 'LICENSE'));
}

/** `node_modules/...` of everything that is installed without development dependencies; Node itself is in the base image. */
async function shippedPackages(): Promise<readonly (readonly [string, LockedPackage])[]> {
  const lock = JSON.parse(await readFile(resolve(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(lock.packages).filter(
    ([path, { dev, devOptional, os }]) => path !== '' && !dev && !devOptional && !os,
  );
}

async function licenceOf(path: string, { version, license }: LockedPackage): Promise<string> {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const files = await licenceFiles(resolve(ROOT, path));
  if (license === undefined && files.length === 0) {
    throw new Error(`${name} ${version}: no licence is named, so it cannot be shipped`);
  }
  const head = `${'='.repeat(80)}\n${name} ${version}: ${license ?? 'see below'}\n`;
  return [head, ...files].join('\n');
}

async function licenceFiles(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory)).filter((name) => LICENCE_FILE.test(name)).sort();
  return Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
}
