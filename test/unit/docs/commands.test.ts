import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { readArguments } from '../../../src/cli/arguments.ts';
import { COMMANDS } from '../../../src/cli/commands/commands.ts';
import {
  type CommandBlock,
  commandBlocks,
  exampleBlocks,
  pages,
  readBlocks,
} from '../../deploy/commands.ts';
import { type Fate, namedCommands, npmCommands } from '../../deploy/npm-commands.ts';
import { type RecordedCommand, recordCommands } from '../../deploy/record-commands.ts';
import { LATER } from '../../gates/test-arguments.ts';
import { readAwsCommand } from '../../sandbox/aws-command.ts';
import { pastes, wordsOf } from './test-words.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** How a line begins that somebody would paste into a shell. */
const COMMAND =
  /^(kubectl|npm|npx|node|aws|helm|docker|kind|git|curl|sed|cosign|kubeconform|albridge) /;

interface ReadBlock extends CommandBlock {
  readonly commands: readonly RecordedCommand[];
}

const read = (block: CommandBlock): ReadBlock => ({
  ...block,
  commands: recordCommands(block.text),
});
const blocks = (await commandBlocks()).map(read);
const comments = (await exampleBlocks()).map(read);
const all = [...blocks, ...comments].flatMap(({ commands }) => commands);

/** The files that run commands, as a mark names them. */
const TEST = /(?:\btest\/[\w./-]+\.ts|\.ci\/run)/g;

const UNMARKED =
  'put <!-- run --> above the block, or <!-- not run: TEST runs it -->, or begin it with "# Needs an AWS account …."';

/** What no test has. */
const OUTSIDE = /AWS account|Docker|LocalStack|published release/;

/** Why nothing shows that the commands work, and the reader is not warned. */
function findFault(block: ReadBlock): string | undefined {
  const { commands, mark, needs } = block;
  if (mark === 'run') return undefined; // by test/deploy/documentation.test.ts
  if (mark === undefined) return OUTSIDE.test(needs ?? '') ? undefined : UNMARKED;
  const tests = mark.notRun.match(TEST) ?? [];
  if (tests.length === 0) return `names no test; ${UNMARKED}`;
  const missing = tests.find((path) => !existsSync(resolve(ROOT, path)));
  if (missing !== undefined) return `there is no ${missing}`;
  const paths = tests.map((path) => resolve(ROOT, path));
  if (paths.some((path) => pastes(path, block))) return undefined;
  const known = new Set(paths.flatMap((path) => [...wordsOf(path)]));
  const unknown = commands.flatMap((command) =>
    wordsToRun(command).filter((word) => !known.has(word)),
  );
  return unknown.length === 0
    ? undefined
    : `${tests.join(', ')} does not have ${unknown.join(' ')}`;
}

/** The flags and plain words of a command; a shell's own tools have none, and scripts of npm are looked for below. */
function wordsToRun([program, ...args]: RecordedCommand): readonly string[] {
  if (!/^(kubectl|helm|npm|npx|node|albridge|aws)$/.test(program)) return [];
  const own = program === 'npm' ? args.slice(args.indexOf('--') + 1 || args.length) : args;
  return own
    .flatMap((arg) => (arg.startsWith('-') ? arg.split('=', 1) : arg.split(',')))
    .filter((word) => /^(--?[A-Za-z][\w-]*|[a-z][a-z:-]+)$/.test(word));
}

/** The arguments of `albridge`, however it is started. */
function readOwnCommand([program, ...args]: RecordedCommand): readonly (readonly string[])[] {
  if (program === 'albridge') return [args];
  const start = args.indexOf('--');
  return program === 'npm' && args.slice(0, start).includes('albridge')
    ? [args.slice(start + 1)]
    : [];
}

interface Fence {
  readonly page: string;
  readonly indent: string;
  readonly language: string;
  readonly first: string;
}

async function listFences(): Promise<readonly Fence[]> {
  const read = async (page: string): Promise<readonly Fence[]> => {
    const text = await readFile(resolve(ROOT, page), 'utf8');
    const fences = text.matchAll(/^( *)```(\w*)\n([^\n]*)[^]*?^ *```$/gm);
    return [...fences].map(([, indent = '', language = '', first = '']) => {
      return { page, indent, language, first };
    });
  };
  return (await Promise.all((await pages()).map(read))).flat();
}

describe('the commands of the pages', () => {
  it('stand in blocks that test/deploy/documentation.test.ts reads', async () => {
    const fences = await listFences();
    expect(fences.length).toBeGreaterThan(100);
    const hidden = fences.filter(({ indent, language, first }) => {
      if (language === 'sh') return indent !== '';
      // A line that begins with `$` is followed by what it prints.
      const isPasted = /^(text)?$/.test(language) && COMMAND.test(first);
      return isPasted || /^(bash|shell|zsh|console)$/.test(language);
    });
    expect(hidden).toEqual([]);
  });

  it('are each run by a test that knows them, or say to their reader what they need', () => {
    expect(blocks.length).toBeGreaterThan(90);
    const faults = blocks.flatMap((block) => {
      const fault = findFault(block);
      return fault === undefined ? [] : [`${block.page}: ${block.text.split('\n')[0]}: ${fault}`];
    });
    expect(faults).toEqual([]);
    const typist = readFileSync(resolve(ROOT, 'test/deploy/reference-pages.test.ts'), 'utf8');
    expect(typist, 'those in the comments of examples').toContain('await exampleBlocks()');
  });

  it.each([
    ['', 'kubectl get pods', /^put <!-- run --> above/],
    ['<!-- not run: names an object of yours -->\n', 'kubectl get pods', /^names no test/],
    [
      '<!-- not run: test/gone.test.ts runs it -->\n',
      'kubectl get pods',
      /^there is no test\/gone/,
    ],
    [
      '<!-- not run: test/sandbox/guides.test.ts runs it -->\n',
      'kubectl cordon --all',
      /guides.test.ts does not have cordon --all$/,
    ],
    ['', '# Needs an AWS account\naws elbv2 describe-tags', /^put <!-- run --> above/],
    ['', '# Needs an AWS account.\naws elbv2 describe-tags', undefined],
    ['', '# Needs your own object.\nkubectl get pods', /^put <!-- run --> above/],
    ['<!-- run -->\n', 'kubectl get pods', undefined],
  ])('are found without a mark: %s%s', (comment, lines, fault) => {
    const markdown = `# New\n\n${comment}\`\`\`sh\n${lines}\n\`\`\`\n`;
    const [block] = readBlocks('docs/new.md', markdown).map(read);
    const found = block && findFault(block);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });

  it.each([
    ['docs/uninstall.md', '--kustomization my-cluster', '--kustomisation my-cluster'],
    ['docs/uninstall.md', 'helm uninstall albridge', 'helm uninstall albrige'],
    ['docs/uninstall.md', '--namespace albridge-system --wait', '--namespace albrigde --wait'],
    [
      'docs/uninstall.md',
      '--namespace albridge-system --wait',
      '--namespace albridge-system --weit',
    ],
    ['docs/upgrade.md', 'helm upgrade albridge', 'helm upgrade albrigde'],
    ['docs/upgrade.md', '--namespace albridge-system', '--namespaze albridge-system'],
    ['docs/upgrade.md', '--values my-values.yaml --rollback', '--valuez my-values.yaml --rollback'],
    ['docs/install.md', '--rollback-on-failure', '--rollback-on-failur'],
    ['docs/upgrade.md', '--take-ownership --force', '--take-ownershop --force'],
    ['docs/upgrade.md', '--force-conflicts', '--force-conflict'],
    ['docs/install.md', 'helm upgrade albridge', 'helm upgrade albrigde'],
    ['docs/install.md', 'helm install albridge', 'helm instal albridge'],
  ])('of %s are wrong with one letter of %s changed', async (page, right, wrong) => {
    const markdown = await readFile(resolve(ROOT, page), 'utf8');
    const faults = (text: string): number =>
      readBlocks(page, text).filter((block) => findFault(read(block)) !== undefined).length;
    expect(markdown).toContain(right);
    expect(faults(markdown)).toBe(0);
    expect(faults(markdown.replaceAll(right, wrong))).toBeGreaterThan(0);
  });

  it.each([
    ['readiness-gates', 'kubectl -n web rollout restrat deploymnt', 'restrat deploymnt'],
    [
      'guardrails',
      'kubectl delete validatingadmissionpolicies albridge-gardrails',
      'albridge-gardrails',
    ],
    ['reference-pages', 'kubectl get pods --al-namespaces', '--al-namespaces'],
  ])('are wrong where the words stand nowhere in %s.test.ts: %s', (name, command, words) => {
    const mark = `<!-- not run: test/deploy/${name}.test.ts runs it -->`;
    const [block] = readBlocks('docs/new.md', `${mark}\n\`\`\`sh\n${command}\n\`\`\`\n`).map(read);
    expect(block && findFault(block)).toContain(words);
  });

  it('of albridge and of aws elbv2 have the form that these programs take', () => {
    const ours = all.flatMap(readOwnCommand);
    expect(ours.length).toBeGreaterThan(8);
    for (const args of ours) {
      // NAMESPACE stands for a name.
      const named = args.map((arg) => (/^[A-Z]+$/.test(arg) ? arg.toLowerCase() : arg));
      expect(() => readArguments(named, COMMANDS), args.join(' ')).not.toThrow();
    }
    const aws = all.filter(([program, service]) => program === 'aws' && service === 'elbv2');
    expect(aws.length).toBeGreaterThan(5);
    for (const [, ...args] of aws) {
      expect(() => readAwsCommand(args), args.join(' ')).not.toThrow();
    }
  });

  it('name only files of the repository that exist', () => {
    const paths = all
      .flat()
      .filter((word) => /^(examples|deploy(?!\/albridge$)|crds|docs|src)(\/[\w./-]*)?$/.test(word));
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(resolve(ROOT, path)))).toEqual([]);
  });

  it('of continuous integration have every project of npm run test:all', async () => {
    const run = await readFile(resolve(ROOT, '.ci/run'), 'utf8');
    const flags = LATER.map((project) => `--project=${project}`);
    expect(flags.length).toBeGreaterThan(1);
    expect(flags.filter((flag) => !run.replaceAll("'", '').includes(flag))).toEqual([]);
  });

  it('of npm are scripts of package.json, each run by a test', async () => {
    const named = await namedCommands();
    expect(named).toEqual(Object.keys(npmCommands).toSorted());
    for (const name of named) {
      expect([...Object.keys(manifest.scripts), 'ci']).toContain(name);
      const fate = npmCommands[name] as Fate;
      if ('by' in fate) expect(existsSync(resolve(ROOT, fate.by)), fate.by).toBe(true);
    }
  });
});
