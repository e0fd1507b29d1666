import { existsSync, globSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** For `npm run test:all`: journeys of minutes, and the stand-in held to LocalStack, in Python. */
export const LATER = ['long*', 'aws-localstack'];

/** The answer to `npm test -- --help`. */
export const HELP = `npm test -- [part of a path ...] [--project=NAME] [-t TITLE]: runs the tests, and ends with their counts.

  part of a path   only the test files whose path has this part
  --project=NAME   only the tests of this project of vitest.config.ts; may be repeated
  -t TITLE         only the tests whose title has this pattern

Without --project it leaves out the projects ${LATER.join(' and ')}: npm run test:all runs them too.
Other options of vitest: npx vitest --help.
`;

/** Values over which vitest stumbles with a stack of its own, once it runs: the pattern of a good one, and its name. */
const VALUES: Readonly<Record<string, readonly [RegExp, string]>> = {
  '--project': [/./, 'the name of a project'],
  '--pool': [/^(forks|threads|vmForks|vmThreads)$/, 'forks, threads, vmForks or vmThreads'],
  '--maxWorkers': [/^\d+%?$/, 'a number, or a percentage of the cores'],
};

/** The complaint about arguments that vitest ignores, or answers at length. */
export function findBadArgument(args: readonly string[]): string | undefined {
  // Of `vitest run` without effect: it would run everything.
  const ignored = args.find((arg) => arg === '-v' || arg === '--version');
  if (ignored !== undefined) return `unknown option ${ignored}`;
  const missing = args.find((arg, index) => isMissing(arg, args[index - 1]));
  if (missing !== undefined) return `there is no test file ${missing}`;
  return args.map((arg, index) => findBadValue(arg, args[index + 1])).find(Boolean);
}

/** The name of a test file of which there is none. vitest takes any part of a path, and says so at length. */
function isMissing(arg: string, before = ''): boolean {
  const isOfOption = arg.startsWith('-') || before.startsWith('-');
  if (isOfOption || !arg.endsWith('.test.ts') || existsSync(arg)) return false;
  const files = globSync('**/*.test.ts', { exclude: ['**/node_modules/**'] });
  return !files.some((file) => file.includes(arg));
}

function findBadValue(arg: string, next = '-'): string | undefined {
  const [option = '', value = next.startsWith('-') ? '' : next] = arg.split('=');
  const [pattern, good] = VALUES[option] ?? [/^/];
  return pattern.test(value) ? undefined : `${option} takes ${good}, not "${value}"`;
}

/** Where vitest begins to complain on stderr, before any test. */
export const COMPLAINT = /failed to load config|Startup Error|CACError|No test files found/;

/** The complaint of vitest about its arguments, without the stack. */
export function readComplaint(stderr: string): string | undefined {
  const text = stripVTControlCharacters(stderr);
  const [, filter] = /^filter: (.+)$/m.exec(text) ?? [];
  // Where a setup fails there are no files either.
  if (filter !== undefined && !/Unhandled Error/.test(text))
    return `no test file matches ${filter}`;
  const [, project] = /The filter matched no projects: (.+?)\. /.exec(text) ?? [];
  if (project !== undefined) return `there is no project ${project}`;
  const [, config] = /failed to load config from (.+)/.exec(text) ?? [];
  if (config !== undefined) {
    // One that is there and throws needs its stack.
    const isMissingFile = text.includes('Cannot resolve entry module');
    return isMissingFile ? `there is no configuration ${config}` : undefined;
  }
  const [, complaint] = /^(?:CACError|.*Startup Error.*\n\w*Error): (.+?)\.?$/m.exec(text) ?? [];
  return complaint;
}
