import { describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { commandBlocks } from '../deploy/commands.ts';
import { recordCommands } from '../deploy/record-commands.ts';

/** Commands of the pages that no test types: kubectl and the API server must at least know their words. */

const cluster = accessCluster(inject('surroundings').controlPlane);

/** What writes, and can be tried. */
const WRITE = /^(annotate|apply|create|delete|label|patch|scale)$/;
/** What waits for something, keeps running or needs a container: its options alone are checked. */
const LASTING = /^(diff|logs|port-forward|rollout|wait)$/;
/** What kubectl and the API server say of an object that is not here. */
const ABSENT = /NotFound|not found|No resources found/;

const untyped = (await commandBlocks()).flatMap(({ text, mark }) =>
  recordCommands(text)
    .filter(([program, ...args]) => {
      return program === 'kubectl' && (mark === undefined || args.includes('logs'));
    })
    .map(([, ...args]) => [args.join(' '), args] as const),
);

/** What is wrong with the words of a command, if anything. Nothing is written. */
async function findFault(args: readonly string[]): Promise<string | undefined> {
  const verb =
    args.find((arg, index) => /^[a-z][a-z-]*$/.test(arg) && args[index - 1] !== '-n') ?? '';
  const isLasting = LASTING.test(verb) || args.includes('--watch');
  const trial = isLasting ? ['--help'] : WRITE.test(verb) ? ['--dry-run=server'] : [];
  const { code, stderr } = await cluster.kubectl([...args, ...trial]);
  if (code === 0 || ABSENT.test(stderr)) return undefined;
  return `kubectl ${args.join(' ')}: ${stderr.trim()}`;
}

describe('kubectl', () => {
  it('is asked about all of them', () => {
    expect(untyped.length).toBeGreaterThan(10);
  });

  it.each(untyped)('knows the words of: %s', async (_, args) => {
    expect(await findFault(args)).toBeUndefined();
  });

  it.each([
    [['get', 'myingresss', '-A'], /doesn't have a resource type/],
    [['-n', 'web', 'logs', 'deploy/albridge', '--all-podz'], /unknown flag: --all-podz/],
    [['annotate', 'myingress', 'shop', 'albridge.io/mode'], /at least one annotation|key=value/],
  ])('refuses others: %s', async (args, says) => {
    expect(await findFault(args)).toMatch(says);
  });
});
