import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Draft } from './rule-case.ts';

const directory = new URL('./traffic-examples/', import.meta.url);

/** Manifests with traffic by file name: examples for users, as soon as one may be applied. */
export function readTrafficExamples(): Readonly<Record<string, Draft>> {
  return Object.fromEntries(
    readdirSync(directory).map((file) => {
      const { spec } = parse(readFileSync(new URL(file, directory), 'utf8')) as Required<Draft>;
      return [file, { spec }];
    }),
  );
}
