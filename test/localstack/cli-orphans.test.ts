import { describe, expect, inject, it } from 'vitest';
import { type CommandLineRun, runAlbridge, typeAlbridge } from '../surroundings/command-line.ts';
import { arnOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { sharedPlace } from './setup-place.ts';

const { awsEnvironment, controlPlane } = inject('surroundings');
const place = sharedPlace();

function albridge(args: readonly string[], environment = {}): Promise<CommandLineRun> {
  const { kubeconfigPath } = controlPlane;
  return runAlbridge(args, { kubeconfigPath, awsEnvironment, environment });
}

/** Deletes an object behind the operator's back: everything of it stays in AWS. Returns the balancer's ARN. */
async function orphan(objects: MyIngresses, name: string): Promise<string> {
  const backends = [{ name: 'web', service: { name: 'web', port: 80 } }];
  await objects.create(name, { subnets: place.network.articleSubnets, backends });
  const made = await objects.when(name, ({ status }) => (status.listeners ?? []).length > 0);
  await objects.annotate(name, { 'albridge.io/paused': 'true' });
  await objects.when(name, ({ status }) =>
    (status.conditions ?? []).some(({ reason }) => reason === 'Paused'),
  );
  await objects.startDeleting(name);
  await objects.patch(name, { metadata: { finalizers: null } });
  await objects.isGone(name);
  return arnOf(made);
}

/** Each command is a process of its own, and a busy machine takes seconds to start one. */
const PATIENT = { timeout: 180_000 } as const;

describe('albridge orphans', PATIENT, () => {
  it('lists what has no object, and deletes it alone after the right number', async () => {
    const objects = await place.createNamespace('cli-orphans');
    const { namespace } = objects;
    const own = ['orphans', '-n', namespace];
    await objects.create('held', { subnets: place.network.articleSubnets });
    const held = arnOf(await objects.whenReady('held'));
    const arn = await orphan(objects, 'lost');

    const listed = await albridge([...own, '-o', 'json']);
    expect(listed.stderr).toBe('');
    const found = JSON.parse(listed.stdout) as readonly { readonly id: string }[];
    expect(found).toEqual([
      { kind: 'load-balancer', id: arn, namespace, name: 'lost' },
      expect.objectContaining({ kind: 'target-group', namespace, name: 'lost' }),
      expect.objectContaining({ kind: 'security-group', namespace, name: 'lost' }),
    ]);

    const refusals: readonly (readonly [readonly string[], object, RegExp])[] = [
      [['--delete'], {}, /without a terminal give the number .* --delete --yes-delete 3\n$/],
      [
        ['--delete', '--yes-delete', '4'],
        {},
        /nothing was deleted: 3 resources can be deleted and "4"/,
      ],
      [['--yes-delete', '3'], {}, /--yes-delete has a meaning only with --delete\n$/],
      [
        ['--delete', '--yes-delete', '3'],
        { ALBRIDGE_CLUSTER_ID: 'another' },
        /nothing was deleted: that another is the id of this cluster is not proved/,
      ],
    ];
    for (const [args, environment, says] of refusals) {
      const refused = await albridge([...own, ...args], environment);
      expect(refused.stderr).toMatch(says);
      expect(refused.exitCode).not.toBe(0);
    }
    expect(await place.standIn.balancer(arn)).toBeDefined();

    const deleted = await albridge([...own, '--delete', '--yes-delete', '3']);
    expect(deleted.stdout).toBe('3 deleted, 0 were gone already\n');
    const audit = deleted.stderr.split('\n').filter((line) => /^\d{4}-.*Z Delete/.test(line));
    expect(audit.map((line) => line.split(' ')[1])).toEqual([
      'DeleteLoadBalancer',
      'DeleteTargetGroup',
      'DeleteSecurityGroup',
    ]);
    for (const { id } of found) expect(audit.join('\n')).toContain(id);
    expect(await place.standIn.balancer(arn)).toBeUndefined();
    expect(await place.standIn.balancer(held)).toBeDefined();
    const again = await albridge([...own, '--delete', '--yes-delete', '3']);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toMatch(
      /: 0 resources can be deleted and "3" was given; check that cluster/,
    );
    expect((await albridge([...own, '--delete'])).exitCode).toBe(0);
    expect(await albridge(own)).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^nothing in AWS account \d{12}, region \S+, is without its object\n$/,
      ),
      stderr: '',
    });
  });

  it('asks for the number on a terminal, and deletes nothing after another one', async () => {
    const objects = await place.createNamespace('cli-typed');
    const arn = await orphan(objects, 'lost');
    const type = (input: string): ReturnType<typeof typeAlbridge> => {
      const { kubeconfigPath } = controlPlane;
      const prompt = /Type 3 to delete these resources: $/;
      const args = ['orphans', '-n', objects.namespace, '--delete'];
      return typeAlbridge(args, { kubeconfigPath, awsEnvironment, prompt, input });
    };

    const refused = await type('2');
    expect(refused.exitCode, refused.stdout).toBe(1);
    expect(refused.stdout).toContain(arn);
    expect(refused.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Type 3 to delete these resources: 2 albridge: nothing was deleted: 3 resources can be deleted and "2" was given; compare the list, then give its number',
    );
    expect(await place.standIn.balancer(arn)).toBeDefined();

    const deleted = await type('3');
    expect(deleted.exitCode, deleted.stdout).toBe(0);
    expect(deleted.stdout).toContain('3 deleted, 0 were gone already\n');
    expect(await place.standIn.balancer(arn)).toBeUndefined();
  });

  it('stops at what AWS refuses, and says what is left', async () => {
    const objects = await place.createNamespace('cli-protected');
    const { namespace } = objects;
    const arn = await orphan(objects, 'lost');
    await place.outsider.setAttributes(arn, { 'deletion_protection.enabled': 'true' });

    const args = ['orphans', '-n', namespace, '--delete', '--yes-delete', '3'];
    const { exitCode, stderr } = await albridge(args);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /\nalbridge: stopped at load-balancer arn:.*protection.*; 0 of 3 are deleted, the rest is as it was\n$/,
    );
    expect(stderr).not.toContain('DeleteTargetGroup');

    await place.outsider.setAttributes(arn, { 'deletion_protection.enabled': 'false' });
    expect((await albridge(args)).exitCode).toBe(0);
  });
});
