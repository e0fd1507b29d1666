import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { runCommand } from '../control-plane/run-command.ts';
import { blocksOf } from '../deploy/commands.ts';
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

beforeAll(async () => {
  poison = await preparePoison();
  directory = await mkdtemp(join(tmpdir(), 'albridge-guides-'));
  const args = ['--dir', directory, '--provisioning-ms', '0'];
  program = await Program.start('test/sandbox/main.ts', args, poison.environment);
  const isThere = async (): Promise<boolean> => (await readdir(directory)).includes('env');
  await until('DIR/env', isThere, 120_000);
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
    const here = text.replaceAll('/tmp/albridge', directory);
    return [why.includes('wants it refused') ? `if ${here.trimEnd()}; then exit 9; fi\n` : here];
  });
}

/** What a shell prints in which the second block of the tutorial, then these blocks are typed. */
async function paste(blocks: readonly string[]): Promise<string> {
  const [first = ''] = await readBlocks('docs/tutorial.md');
  const text = [...(blocks[0] === first ? [] : [first]), ...blocks].join('');
  const { code, stdout, stderr } = await runCommand(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', text],
    {
      env: isolatedEnvironment(process.env, directory),
      cwd: ROOT,
    },
  );
  expect(code, `${stdout}${stderr}`).toBe(0);
  return `${stdout}${stderr}`;
}

describe('a reader with a sandbox', () => {
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
    const printed = await paste(await readBlocks('docs/guide-canary.md'));
    expect(printed).toContain('myingress.demo.rtfm.co.ua/store patched');
  });

  it('follows docs/guide-https.md', async () => {
    const printed = await paste(await readBlocks('docs/guide-https.md'));
    expect(printed).toContain('https://admin.shop.example.com');
  });

  it('leaves nothing in AWS by them', async () => {
    const { stdout } = await runCommand(
      'sh',
      ['-c', `. ${directory}/env; echo $AWS_ENDPOINT_URL`],
      {
        env: isolatedEnvironment(process.env, directory),
        cwd: ROOT,
      },
    );
    expect(await new StandInControl(stdout.trim()).balancers()).toEqual([]);
  });
});
