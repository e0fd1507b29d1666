/**
 * Mirrors the schema of every `crds/<name>/crd.yaml` into `src/apis/types/<kind>.ts`, the TypeScript types
 * of spec and status.
 *
 *     node crds/mirror.ts           writes what differs
 *     node crds/mirror.ts --check   writes nothing, exits 1 if something differs
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { renderType, type Schema } from './field-types.ts';

const root = join(import.meta.dirname, '..');

/** What a CRD's file becomes: `path` is relative to the repository. */
export interface Mirror {
  readonly path: string;
  readonly source: string;
}

interface CustomResourceDefinition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The mirrors as they should be, one for each CRD in `crds/`. Throws on a CRD of several versions. */
export function desiredMirrors(): readonly Mirror[] {
  return readdirSync(join(root, 'crds'))
    .toSorted()
    .map((name) => `${name}/crd.yaml`)
    .filter((file) => existsSync(join(root, 'crds', file)))
    .map((file) => mirrorOf(file, readFileSync(join(root, 'crds', file), 'utf8')));
}

/** Paths of the mirrors whose file is missing or says something else. */
export function staleMirrors(mirrors: readonly Mirror[]): readonly Mirror[] {
  return mirrors.filter(({ path, source }) => readIfThere(join(root, path)) !== source);
}

/** Mirrors one CRD; `file` is its name inside `crds/`, `text` its YAML. */
export function mirrorOf(file: string, text: string): Mirror {
  const definition = parse(text) as CustomResourceDefinition;
  const [version, ...others] = definition.spec.versions;
  if (version === undefined || others.length > 0) {
    throw new Error(`crds/${file}: one version can be mirrored, found ${1 + others.length}`);
  }
  const kind = definition.spec.names.kind;
  const words = kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  const path = `src/apis/types/${words}.ts`;
  const { spec = {}, status = {} } = version.schema.openAPIV3Schema.properties ?? {};
  const source = [
    `// Written by crds/mirror.ts from crds/${file}; edit that file, then run \`npm run gen\`.`,
    '',
    '/** The spec after admission: what has a default is there. */',
    `export type ${kind}Spec = ${renderType(spec, `crds/${file}: spec`)};`,
    '',
    '/** The last reported status; `observedGeneration` is -1 until albridge has reconciled the object. */',
    `export type ${kind}Status = ${renderType(status, `crds/${file}: status`)};`,
    '',
  ].join('\n');
  return { path, source: format(path, source) };
}

/** In the form that the format check asks for, so that nobody has to format generated code. */
function format(path: string, source: string): string {
  const biome = join(root, 'node_modules', '.bin', 'biome');
  return execFileSync(biome, ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: source,
    encoding: 'utf8',
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function main(args: readonly string[]): number {
  const unknown = args.filter((arg) => arg !== '--check');
  if (unknown.length > 0) {
    console.error(`unknown argument ${unknown.join(' ')}; use: node crds/mirror.ts [--check]`);
    return 2;
  }
  const stale = staleMirrors(desiredMirrors());
  if (args.includes('--check')) return report(stale);
  for (const { path, source } of stale) {
    writeFileSync(join(root, path), source);
    console.log(`wrote ${path}`);
  }
  return 0;
}

function report(stale: readonly Mirror[]): number {
  for (const { path } of stale) console.error(`${path} is out of date; run: npm run gen`);
  return stale.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
