import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';

const SOURCES = new URL('../../src/', import.meta.url);

/** The source of a mutation's file with the bug in it. Throws if its place is gone or not the only one. */
function mutated({ file, find, replace }: Pick<Mutation, 'file' | 'find' | 'replace'>): string {
  const source = readFileSync(new URL(file, SOURCES), 'utf8');
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(
      `the place of the bug stands ${parts.length - 1} times in src/${file}: ${find}`,
    );
  }
  return parts.join(replace);
}

/** From now on the file is loaded with the bug; call before anything imports it. */
export function plant(name: string): void {
  const mutation = MUTATIONS[name];
  if (mutation === undefined) throw new Error(`no mutation "${name}"`);
  plantMutation(mutation);
}

/** The same with a bug of the caller's own. */
export function plantMutation(mutation: Pick<Mutation, 'file' | 'find' | 'replace'>): void {
  const source = mutated(mutation);
  const { href } = new URL(mutation.file, SOURCES);
  const format = href.endsWith('.json') ? 'json' : 'module-typescript';
  registerHooks({
    load: (url, context, next) =>
      url === href ? { format, source, shortCircuit: true } : next(url, context),
  });
}
