import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** `npm run build`: the operator as one file, dist/main.mjs, with its source map beside it. */

const ROOT = resolve(import.meta.dirname, '..');

export async function bundle(directory = resolve(ROOT, 'dist')): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  const outfile = resolve(directory, 'main.mjs');
  await build({
    entryPoints: [resolve(ROOT, 'src/main.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    sourcemap: 'linked',
    legalComments: 'linked',
    logLevel: 'warning',
    // Dependencies that are CommonJS call require, which ES modules lack.
    banner: {
      js: "import{createRequire as albridgeRequire}from'node:module';const require=albridgeRequire(import.meta.url);",
    },
    plugins: [withoutSideEffects],
  });
  return outfile;
}

/**
 * client-node re-exports some 1,900 generated models that only declare. Its package.json does not
 * say that they have no side effects, so without this all of them would ship.
 */
const withoutSideEffects: Plugin = {
  name: 'client-node-without-side-effects',
  setup: ({ onResolve, resolve: resolveAgain }) => {
    onResolve({ filter: /^@kubernetes\/client-node$|\/gen\// }, async (args) => {
      if (args.pluginData === 'again') return undefined;
      const { path, errors } = await resolveAgain(args.path, {
        resolveDir: args.resolveDir,
        importer: args.importer,
        kind: args.kind,
        pluginData: 'again',
      });
      return errors.length > 0 ? { errors } : { path, sideEffects: false };
    });
  },
};

if (import.meta.main) process.stdout.write(`${await bundle()}\n`);
