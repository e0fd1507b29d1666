import { beforeAll, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { type CommandBlock, commandBlocks, exampleBlocks } from '../deploy/commands.ts';
import { recordCommands } from '../deploy/record-commands.ts';
import { deployBase } from '../surroundings/deploy-base.ts';

/** Commands of the pages that no test types: kubectl and the API server must at least know their words. */

const cluster = accessCluster(inject('controlPlane'));

/** What writes, and can be tried. */
const WRITE = /^(annotate|apply|create|delete|label|patch|scale)$/;
/** What waits for something, keeps running or needs a container: its options alone are checked. */
const LASTING = /^(logs|port-forward|rollout|wait)$/;
/** What kubectl and the API server say of an object that is not here. */
const ABSENT = /NotFound|not found|No resources found/;
/** Words of docs/alerts.md that a reader replaces. */
const PLACES: Readonly<Record<string, string>> = { KIND: 'myingress', NAMESPACE: 'default' };

beforeAll(async () => {
  await deployBase(cluster);
});

function isTyped({ page, mark, needs }: CommandBlock): boolean {
  if (page.startsWith('examples/') || needs !== undefined) return false;
  return mark === 'run' || !mark?.notRun.includes('page-commands');
}

async function listUntyped(): Promise<readonly (readonly string[])[]> {
  const blocks = [...(await commandBlocks()), ...(await exampleBlocks())];
  const commands = blocks.flatMap((block) =>
    recordCommands(block.text).filter((command) => !isTyped(block) || command[1] === 'logs'),
  );
  const ours = commands.filter(([program]) => program === 'kubectl');
  return ours.map(([, ...args]) => args.map((arg) => PLACES[arg] ?? arg));
}

/** What is wrong with the words of a command, if anything. Nothing is written. */
async function findFault(args: readonly string[]): Promise<string | undefined> {
  const verb = args.find((arg, index) => /^[a-z-]+$/.test(arg) && args[index - 1] !== '-n') ?? '';
  const trial = WRITE.test(verb) ? ['--dry-run=server'] : LASTING.test(verb) ? ['--help'] : [];
  const { code, stderr } = await cluster.kubectl([...args, ...trial]);
  if (code === 0 || ABSENT.test(stderr)) return undefined;
  return `kubectl ${args.join(' ')}: ${stderr.trim()}`;
}

describe('kubectl', () => {
  it('knows the words of each command that no test types', async () => {
    const commands = await listUntyped();
    expect(commands.length).toBeGreaterThan(30);
    const faults: string[] = [];
    for (const args of commands) faults.push(...((await findFault(args)) ?? '').split(/(?!)/));
    expect(faults.filter((fault) => fault !== '')).toEqual([]);
  });

  it.each([
    [['get', 'myingresss', '-A'], /doesn't have a resource type/],
    [['-n', 'web', 'logs', 'deploy/albridge', '--all-podz'], /unknown flag: --all-podz/],
    [['annotate', 'myingress', 'shop', 'albridge.io/mode'], /at least one annotation|key=value/],
  ])('is asked: %s', async (args, says) => {
    expect(await findFault(args)).toMatch(says);
  });
});
