import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { runCommand } from '../control-plane/run-command.ts';
import { blocksOf } from '../deploy/commands.ts';
import { Outsider } from '../surroundings/outsider.ts';
import { type Poison, preparePoison } from '../surroundings/poison.ts';
import { Program } from '../surroundings/program.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { until } from '../surroundings/until.ts';

/** The tutorial and the guides that work on a laptop, typed in one sandbox. */

const ROOT = resolve(import.meta.dirname, '../..');
/** As the mark above each block begins. */
const MARK = 'test/sandbox/guides.test.ts runs it';

let poison: Poison;
let directory: string;
let program: Program;
/** Of the balancer that the page about adoption adopts. */
let arn = '';

beforeAll(async () => {
  poison = await preparePoison();
  directory = await mkdtemp(join(tmpdir(), 'albridge-guides-'));
  const args = ['--dir', directory, '--provisioning-ms', '0'];
  program = await Program.start('test/sandbox/main.ts', args, poison.environment);
  const isThere = async (): Promise<boolean> => (await readdir(directory)).includes('env');
  await until('DIR/env', isThere, 180_000);
  const aws = `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'aws.ts')}' "$@"\n`;
  await writeFile(join(directory, 'aws'), aws);
  await chmod(join(directory, 'aws'), 0o755);
});

afterAll(async () => {
  await program?.discard();
  await poison?.remove();
  await rm(directory, { recursive: true, force: true });
});

/** The marked blocks of a page, with the directory of this sandbox; one that is to be refused must fail. */
async function readBlocks(page: string): Promise<readonly string[]> {
  return (await blocksOf(page)).flatMap(({ text, mark }) => {
    const why = typeof mark === 'object' ? mark.notRun : '';
    if (!why.startsWith(MARK)) return [];
    const here = text
      .replaceAll('/tmp/albridge', directory)
      .replaceAll('legacy.yaml', `${directory}/legacy.yaml`)
      .replace(/^ARN=.*$/m, `ARN=${arn}`);
    return [why.includes('wants it refused') ? `if ${here.trimEnd()}; then exit 9; fi\n` : here];
  });
}

/** What a shell prints in which the second block of the tutorial, then these blocks are typed. */
async function paste(blocks: readonly string[]): Promise<string> {
  const [first = ''] = await readBlocks('docs/tutorial.md');
  const text = [...(blocks[0] === first ? [] : [first]), ...blocks].join('');
  const environment = isolatedEnvironment(process.env, directory);
  const { code, stdout, stderr } = await runCommand(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', text],
    {
      env: { ...environment, PATH: [directory, environment['PATH'] ?? ''].join(delimiter) },
      cwd: ROOT,
    },
  );
  expect(code, `${stdout}${stderr}`).toBe(0);
  return `${stdout}${stderr}`;
}

/** A page starts a dozen programs, one after the other. */
const PATIENT = { timeout: 600_000 } as const;

describe('a reader with a sandbox', PATIENT, () => {
  it('follows docs/tutorial.md', async () => {
    const printed = await paste(await readBlocks('docs/tutorial.md'));
    expect(printed).toMatch(/^hello +internet-facing +active +\S+ +2\/2 +True/m);
    expect(printed).toContain('CreatedALB');
    expect(printed).toMatch(/└─ backend hello .*2 healthy/);
    expect(printed).toContain('add tags to load-balancer  (tag team: observed none, desired shop)');
    expect(printed).toContain('scheme cannot be changed');
    expect(program.output).toMatch(/curl --connect-to \S+ http:\/\/hello-alb/);
  });

  it('follows docs/guide-canary.md', async () => {
    const blocks = await readBlocks('docs/guide-canary.md');
    const path =
      '{.spec.rules[0].forward[*].weight} {.metadata.generation} {.status.observedGeneration}';
    const read = `kubectl get myingress store -o jsonpath='weights ${path}{"\\n"}'\n`;
    const printed = await paste(blocks.flatMap((block) => [read, block]).slice(1));
    expect(printed.match(/^weights .*/gm)).toEqual([
      'weights 90 10 1 1',
      'weights 50 50 2 2',
      'weights 0 100 3 3',
    ]);
  });

  it('follows docs/guide-https.md', async () => {
    const printed = await paste(await readBlocks('docs/guide-https.md'));
    expect(printed).toContain('https://admin.shop.example.com');
  });

  it('follows docs/guide-adopt.md', async () => {
    const { account, standIn, subnets } = await readAccount();
    arn = await account.createBalancer({ Name: 'legacy', Subnets: [...subnets] }, { team: 'web' });
    await account.createListener(arn, 80);
    const printed = await paste(await readBlocks('docs/guide-adopt.md'));
    expect(printed).toMatch(/^add tags to load-balancer .*\nmyingress.*annotated$/m);
    expect(printed).toMatch(/^legacy +internet-facing +active .*True/m);
    const manifest = await readFile(join(directory, 'legacy.yaml'), 'utf8');
    expect(manifest).toContain(`# aws elbv2 add-tags --resource-arns ${arn} --tags Key=`);
    expect(await account.tags(arn)).toMatchObject({ team: 'web' });
    expect(Object.keys(await account.tags(arn))).not.toContain('albridge.io/cluster');
    const writes = (await standIn.writesOn(arn)).map(({ operation }) => operation);
    expect(new Set(writes)).toEqual(new Set(['AddTags', 'RemoveTags']));
    await account.deleteBalancer(arn);
  });

  it('follows docs/guide-restart.md', async () => {
    const printed = await paste(await readBlocks('docs/guide-restart.md'));
    expect(printed).toContain('secret/shop-password patched');
    expect(printed).toContain('deployment "shop" successfully rolled out');
  });

  it('debugs an operator of a working tree by CONTRIBUTING.md, until Ctrl-C', async () => {
    const blocks = (await blocksOf('CONTRIBUTING.md')).filter(({ text }) =>
      text.includes('--inspect'),
    );
    expect(blocks).toHaveLength(1);
    const [text = ''] = blocks.map((block) => block.text.replaceAll('/tmp/albridge', directory));
    let printed = '';
    for (const seconds of [10, 90]) {
      const until = `timeout --preserve-status --signal INT ${seconds} npx node`;
      const command = text.trimEnd().replace('npx node', until);
      printed = await paste([`${command} || [ $? -gt 128 ]`]);
      if (printed.includes('INFO: working')) break;
    }
    expect(printed).toMatch(/Debugger listening on|address already in use/);
    expect(printed).toMatch(/INFO: working[^]*INFO: stopped/);
  });

  it('leaves nothing in AWS by them', async () => {
    expect(await (await readAccount()).standIn.balancers()).toEqual([]);
  });
});

/** The account behind the sandbox, by the file that it writes for its reader. */
async function readAccount(): Promise<{
  readonly account: Outsider;
  readonly standIn: StandInControl;
  readonly subnets: readonly string[];
}> {
  const text = await readFile(join(directory, 'env'), 'utf8');
  const lines = text.trimEnd().split('\n');
  const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Strings;
  return {
    account: new Outsider(env),
    standIn: new StandInControl(env['AWS_ENDPOINT_URL'] ?? ''),
    subnets: env['ALBRIDGE_ARTICLE_SUBNETS']?.split(',') ?? [],
  };
}

type Strings = Readonly<Record<string, string>>;
