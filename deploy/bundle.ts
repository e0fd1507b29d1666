import { chmod, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build, type OnResolveArgs, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { writeLicences } from './licences.ts';
import { isCalledPlainly } from './no-arguments.ts';

/**
 * `npm run build`: dist/main.mjs, which node runs, beside dist/operator.mjs, which is the whole
 * operator in one file, and its source map; and the command line, dist/albridge.mjs.
 */

const ROOT = resolve(import.meta.dirname, '..');

const OLDEST_NODE = manifest.engines.node.replace('>=', '');

/** Runs on Nodes from 18.3 on, and before anything that they lack is asked for. */
const NODE_CHECK = `{
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldest, oldestMinor] = [${OLDEST_NODE.replace('.', ', ')}];
  if (major < oldest || (major === oldest && minor < oldestMinor)) {
    process.stderr.write(
      'albridge needs Node ${OLDEST_NODE} or later, and this is ' + process.versions.node + ': install a newer one, or put it first on the PATH\\n',
    );
    process.exit(1);
  }
}
`;

/**
 * Takes signals while the operator is loaded, since node is process 1 in the image: main.ts replaces these listeners.
 *
 * Half of a start goes into compiling: what V8 has compiled is kept beside the bundle, where only
 * its owner can put it. Where nothing can be written there the operator starts without
 * (https://nodejs.org/api/module.html#moduleenablecompilecacheoptions).
 */
export const ENTRY = `${NODE_CHECK}for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
const { enableCompileCache } = await import('node:module');
const { join } = await import('node:path');
enableCompileCache(join(import.meta.dirname, 'compile-cache'));
await import('./operator.mjs');
`;

/** Returns the path of what node runs. */
export async function bundle(directory = resolve(ROOT, 'dist')): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  const operator = resolve(directory, 'operator.mjs');
  await bundleProgram('src/main.ts', operator, { sourcemap: 'linked' });
  const commandLine = resolve(directory, 'albridge.mjs');
  // It prints no stacks.
  await bundleProgram('src/cli/main.ts', commandLine, { sourcemap: false, first: NODE_CHECK });
  await chmod(commandLine, 0o755);
  const entry = resolve(directory, 'main.mjs');
  await writeFile(entry, ENTRY);
  return entry;
}

async function bundleProgram(
  source: string,
  outfile: string,
  { sourcemap, first = '' }: { readonly sourcemap: 'linked' | false; readonly first?: string },
): Promise<void> {
  await build({
    entryPoints: [resolve(ROOT, source)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: `node${OLDEST_NODE}`,
    // Of an ES module only what is used is kept: of the AWS SDK that is a part.
    mainFields: ['module', 'main'],
    sourcemap,
    // A stack needs names and places; the sources are in the repository.
    sourcesContent: false,
    legalComments: 'linked',
    logLevel: 'warning',
    // Dependencies that are CommonJS call require, which ES modules lack.
    banner: {
      js: `${first}import{createRequire as albridgeRequire}from'node:module';const require=albridgeRequire(import.meta.url);`,
    },
    plugins: [clientNodeWithoutSideEffects, undiciInUse, httpByRequire, withoutUnused],
  });
}

/**
 * client-node re-exports some 1,900 generated models that only declare. Its package.json does not
 * say that they have no side effects, so without this all of them would ship. (Its one side effect
 * gives `File` to versions of Node that are too old for albridge.)
 */
const clientNodeWithoutSideEffects: Plugin = {
  name: 'client-node-without-side-effects',
  setup: ({ onResolve, resolve: resolveAgain }) => {
    onResolve({ filter: /^@kubernetes\/client-node$|^\./ }, async (args) => {
      if (args.pluginData === 'again' || !isClientNode(args)) return undefined;
      const { path, errors } = await resolveAgain(args.path, {
        resolveDir: args.resolveDir,
        importer: args.importer,
        kind: args.kind,
        with: args.with,
        pluginData: 'again',
      });
      return errors.length > 0 ? { errors } : { path, sideEffects: false };
    });
  },
};

function isClientNode({ path, importer }: OnResolveArgs): boolean {
  return !path.startsWith('.') || /[\\/]@kubernetes[\\/]client-node[\\/]/.test(importer);
}

/**
 * undici is one CommonJS module that loads fetch, WebSocket, caches and mocks together with its
 * dispatchers, and no bundler can take that apart: these are the parts in use. Whoever imports
 * another one makes the build fail.
 */
const UNDICI_IN_USE = `
import api from 'undici/lib/api/index.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import errors from 'undici/lib/core/errors.js';
Object.assign(Dispatcher.prototype, api);
export { Agent, EnvHttpProxyAgent, ProxyAgent, errors };
/** Of client-node's API classes, which are not used: their request() would call it. */
export function fetch() {
  throw new Error('fetch of undici is not part of the bundle');
}
`;

const undiciInUse: Plugin = {
  name: 'undici-in-use',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'undici-in-use';
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace }));
    onLoad({ filter: /.*/, namespace }, () => ({ contents: UNDICI_IN_USE, resolveDir: ROOT }));
  },
};

/**
 * An ES import of node:http reads all its exports at once, and WebSocket among them is a getter that
 * loads Node's own undici: some 10 ms and 3 MB. require reads what is asked for.
 */
const httpByRequire: Plugin = {
  name: 'http-by-require',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'http-by-require';
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace } : undefined,
    );
    onLoad({ filter: /.*/, namespace }, () => ({
      contents: "module.exports = require('node:http')",
    }));
  },
};

/**
 * The Prometheus client gathers from clusters of processes and from threads, and pushes: not here.
 * undici's second parser is off unless an environment variable asks for it.
 */
const UNUSED_PARTS: Readonly<Record<string, RegExp>> = {
  '@prometheus-io/client': /^\.\/lib\/(cluster|worker|pushgateway)$/,
  undici: /^\.\.\/milo\/(no-)?simd\.js$/,
};

/**
 * Modules of Node that dependencies load in case, and for which albridge has no case: its pools speak
 * HTTP/1.1 (src/kube/client/undici-transport.ts), and its log is written by the thread that logs. Whoever
 * comes to need one hears of it.
 */
const UNUSED_BUILTINS: Readonly<Record<string, string>> = {
  http2: 'module.exports = { constants: {}, connect: unused };',
  worker_threads: `
    module.exports = { isMainThread: true, markAsUncloneable() {}, Worker: unused };`,
};

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'unused';
    onResolve({ filter: /^(node:)?(http2|worker_threads)$/ }, ({ path }) => ({
      path: path.replace('node:', ''),
      namespace,
    }));
    for (const [name, filter] of Object.entries(UNUSED_PARTS)) {
      onResolve({ filter }, ({ path, importer }) =>
        importer.includes(`/node_modules/${name}/`) ? { path, namespace } : undefined,
      );
    }
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `function unused() {
        throw new Error('${path} is not part of the bundle');
      }
      ${UNUSED_BUILTINS[path] ?? ''}`,
    }));
  },
};

if (import.meta.main && isCalledPlainly('build', 'writes dist/, which the image is made of')) {
  process.stdout.write(`${await bundle()}\n`);
  await writeLicences();
}
