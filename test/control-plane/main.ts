import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { firstSentence, refuseEmpty } from '../../deploy/no-arguments.ts';
import {
  locatePrometheus,
  PROMETHEUS_NAMES,
  type PrometheusName,
} from '../monitoring/debian-prometheus.ts';
import { type BinaryName, binaryNames } from './binaries.ts';
import { type LocateOptions, locateBinaries } from './locate.ts';
import { versions } from './versions.ts';

const help = `Fetches the control plane of the tests ahead of time.

usage: npm run control-plane -- fetch [--assets DIR] [binary ...]

binaries: ${[...binaryNames, ...PROMETHEUS_NAMES].join(', ')} (default: all)
versions: Kubernetes ${versions.kubernetes}, etcd ${versions.etcd}, kwok ${versions.kwok}, helm ${versions.helm}

Each binary is searched in the given directory, on PATH (kubectl only) and in the cache; otherwise it is
downloaded and checked by its checksum, or built with Go ${versions.go} or later. prometheus and promtool, for the
tests of alerts and dashboard, are searched on PATH and in the cache, or unpacked from Debian's package.

  --assets DIR           directory to search first (default: KUBEBUILDER_ASSETS)
  --help                 this text

environment:
  KUBEBUILDER_ASSETS     directory with ready binaries
  ALBRIDGE_DOWNLOAD_BASE mirror: https://HOST/PATH is fetched from BASE/HOST/PATH
  XDG_CACHE_HOME         the cache is XDG_CACHE_HOME/albridge (default: ~/.cache/albridge)
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const parsed = parse(args);
  if (typeof parsed === 'string') return fail(`${parsed}; run with --help for usage`, 2);
  if (parsed.wantsHelp) {
    process.stdout.write(help);
    return 0;
  }
  try {
    const located = await locateBinaries(parsed.names, parsed.options);
    for (const name of parsed.names) print(name, located[name]);
    for (const name of parsed.ofPrometheus) print(name, await locatePrometheus(name));
    return 0;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function print(
  name: string,
  { from, path }: { readonly from: string; readonly path: string },
): void {
  process.stdout.write(`${name}\t${from}\t${path}\n`);
}

interface Request {
  readonly names: readonly BinaryName[];
  readonly ofPrometheus: readonly PrometheusName[];
  readonly options: LocateOptions;
  readonly wantsHelp: boolean;
}

/** A text is what was wrong with the arguments. */
function parse(args: readonly string[]): Request | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, assets: { type: 'string' } },
    });
    const [command, ...wanted] = positionals;
    const wantsHelp = values.help === true || command === undefined;
    const names = pick(binaryNames, wanted);
    const ofPrometheus = pick(PROMETHEUS_NAMES, wanted);
    const known: readonly string[] = [...names, ...ofPrometheus];
    const unknown = wanted.filter((name) => !known.includes(name));
    if (!wantsHelp && command !== 'fetch') return `unknown command: ${command}`;
    if (unknown.length > 0) return `unknown binary: ${unknown.join(', ')}`;
    return { names, ofPrometheus, options: optionsFor(values.assets), wantsHelp };
  } catch (error) {
    return firstSentence(error);
  }
}

function optionsFor(assets: string | undefined): LocateOptions {
  if (assets === undefined) return {};
  refuseEmpty('--assets', assets);
  const isDirectory = statSync(assets, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isDirectory) throw new Error(`--assets: ${assets} is no directory`);
  return { assetsDirectory: assets };
}

/** All of them, unless some are named. */
function pick<Name extends string>(
  all: readonly Name[],
  wanted: readonly string[],
): readonly Name[] {
  return wanted.length === 0 ? all : all.filter((name) => wanted.includes(name));
}

function fail(message: string, exitCode = 1): number {
  process.stderr.write(`control-plane: ${message}\n`);
  return exitCode;
}
