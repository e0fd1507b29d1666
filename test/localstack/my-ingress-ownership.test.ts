import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deriveDefaultName } from '../../src/controllers/my-ingress/identity.ts';
import { conditionOf, isReady, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import type { LogLine } from '../surroundings/operator-process.ts';
import { linesOnce, sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, outsider, standIn } = place;
const [first, second, third] = network.subnets as [string, string, string];

let counter = 0;
const uniqueName = (head: string): string => `${head}-${process.pid}-${counter++}`;

/** Somebody else's balancer; returns its ARN. */
function foreignBalancer(
  name: string,
  tags: Readonly<Record<string, string>> = {},
): Promise<string> {
  const settings = { Name: name, Subnets: [first, second] };
  return outsider.createBalancer(settings, tags);
}

interface Foreign {
  readonly why: string;
  readonly tags: (namespace: string, cluster: string) => Readonly<Record<string, string>>;
  /** Of the object, where the balancer has others. */
  readonly subnets?: readonly string[];
  /** In the operator's log; the tenant reads nothing of it. */
  readonly holder: RegExp;
}

const foreigners: Readonly<Record<string, Foreign>> = {
  'of a team that does not use albridge': {
    why: 'AWS answers a create of the same name and settings with the existing balancer',
    tags: () => ({}),
    holder: /^another tool, or an object of albridge/,
  },
  'with other settings': {
    why: 'AWS refuses the create with DuplicateLoadBalancerName',
    tags: () => ({ team: 'other' }),
    subnets: [second, third],
    holder: /^another tool, or an object of albridge/,
  },
  'of another cluster': {
    why: 'two clusters share the account',
    tags: (namespace) => ({
      'albridge.io/cluster': 'elsewhere',
      'albridge.io/namespace': namespace,
      'albridge.io/name': 'web',
    }),
    holder: /of cluster elsewhere/,
  },
  'of another object of this cluster': {
    why: 'two objects ask for the same name',
    tags: (_, cluster) => ({
      'albridge.io/cluster': cluster,
      'albridge.io/namespace': 'other',
      'albridge.io/name': 'web',
    }),
    holder: /MyIngress other\/web/,
  },
};

describe('a balancer that is not ours is never touched', { concurrent: true }, () => {
  it.each(Object.entries(foreigners))('%s', async (_, { tags, subnets, holder }) => {
    const objects = await place.createNamespace('conflict');
    const name = uniqueName('taken');
    const arn = await foreignBalancer(name, tags(objects.namespace, await place.clusterId()));
    const before = await standIn.balancer(arn);

    await objects.create('web', { name, subnets: subnets ?? [first, second] });
    const object = await objects.whenReason('web', 'NameConflict');

    expect(object.status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'NameConflict' },
      { type: 'Stalled', status: 'True', reason: 'NameConflict' },
    ]);
    expect(readyOf(object)?.message).toContain('is held by another object');
    expect(readyOf(object)?.message).not.toMatch(holder);
    expect(JSON.stringify([object, await objects.event('web', 'NameConflict')])).not.toContain(arn);
    const isConflict = ({ reason }: LogLine): boolean => reason === 'NameConflict';
    const lines = (await linesOnce(objects, 'web', isConflict)).filter(isConflict);
    expect(lines).toMatchObject([{ arn, holder: expect.stringMatching(holder) }]);
    expect(readyOf(object)?.message).toContain('choose another spec.name');
    expect(object.status.alb).toBeUndefined();
    expect((await objects.event('web', 'NameConflict')).type).toBe('Warning');

    await objects.startDeleting('web');
    await objects.isGone('web');
    expect({ ...(await standIn.balancer(arn)), state: '' }).toEqual({ ...before, state: '' });
    expect(await standIn.writesOn(arn)).toEqual([]);
    await outsider.deleteBalancer(arn);
  });

  it("a tenant cannot take the default name of another tenant's object by spec.name", async () => {
    const squatter = await place.createNamespace('squatter');
    const victim = await place.createNamespace('victim');
    const { namespace } = victim;
    const name = deriveDefaultName({ cluster: await place.clusterId(), namespace, name: 'web' });
    await squatter.create('web', { name, subnets: [first, second] });
    await squatter.whenReason('web', 'ValidationError');
    await victim.create('web', { subnets: [first, second] });
    expect((await victim.whenReady('web')).status.alb).toMatchObject({ name });
    await squatter.startDeleting('web');
    await squatter.isGone('web');
    expect(await standIn.balancersOf(namespace)).toHaveLength(1);
  });

  it('is taken at once when the other balancer is deleted and a reconcile is requested', async () => {
    const objects = await place.createNamespace('freed');
    const name = uniqueName('freed');
    const arn = await foreignBalancer(name);
    await objects.create('web', { name, subnets: [first, second] });
    await objects.whenReason('web', 'NameConflict');
    await outsider.deleteBalancer(arn);
    await objects.annotate('web', { 'albridge.io/reconcile-requested-at': '1' });
    const object = await objects.whenReady('web');
    expect(object.status.alb).toMatchObject({ name });
    expect(object.status.alb?.arn).not.toBe(arn);
  });
});

const exampleText = await readFile(
  resolve(import.meta.dirname, '../../examples/05-adopt.yaml'),
  'utf8',
);

/** examples/05-adopt.yaml with this ARN, applied. */
async function applyAdoption({ namespace }: MyIngresses, arn: string): Promise<void> {
  const manifest = exampleText.replace(/arn: arn:\S+/, `arn: ${arn}`);
  expect(manifest).toContain(arn);
  await place.kubectl(['apply', '-n', namespace, '-f', '-'], manifest);
}

/** The example's balancer, in the subnets that it names. */
function legacyBalancer(tags: Readonly<Record<string, string>>): Promise<string> {
  const settings = { Name: uniqueName('legacy'), Subnets: [...network.articleSubnets] };
  return outsider.createBalancer(settings, tags);
}

describe('adoption by examples/05-adopt.yaml', { concurrent: true }, () => {
  it('waits for the consent of the owner, then takes the balancer as it is', async () => {
    const objects = await place.createNamespace('adopt');
    const cluster = await place.clusterId();
    const arn = await legacyBalancer({ owner: 'them', ManagedBy: 'terraform' });

    await applyAdoption(objects, arn);
    const refused = await objects.whenReason('legacy', 'AdoptionRefused');
    expect(readyOf(refused)?.message).toContain(`albridge.io/adopt=${objects.namespace}/legacy`);
    expect(readyOf(refused)?.message).not.toContain(cluster);
    expect(conditionOf(refused, 'Stalled')?.status).toBe('True');
    expect(await standIn.writesOn(arn)).toEqual([]);

    await outsider.setTags(arn, {
      'albridge.io/cluster': cluster,
      'albridge.io/adopt': `${objects.namespace}/legacy`,
    });
    await objects.annotate('legacy', { 'albridge.io/reconcile-requested-at': 'consented' });
    const object = await objects.whenReady('legacy');

    expect(object.status.alb?.arn).toBe(arn);
    expect((await standIn.balancer(arn))?.tags).toMatchObject({
      owner: 'them',
      ManagedBy: 'terraform',
      'albridge.io/cluster': cluster,
      'albridge.io/namespace': objects.namespace,
      'albridge.io/name': 'legacy',
      'albridge.io/uid': object.metadata.uid,
      'albridge.io/managed-by': 'albridge',
    });
    expect((await objects.event('legacy', 'AdoptedALB')).note).toContain('with the consent');
    expect(await standIn.balancersOf(objects.namespace)).toHaveLength(1);
  });

  const refusals: Readonly<Record<string, (namespace: string, cluster: string) => object>> = {
    'consent for another object': (_, cluster) => ({
      'albridge.io/cluster': cluster,
      'albridge.io/adopt': 'other/legacy',
    }),
    'consent for another cluster': (namespace) => ({
      'albridge.io/cluster': 'elsewhere',
      'albridge.io/adopt': `${namespace}/legacy`,
    }),
    'consent, but held by another object': (namespace, cluster) => ({
      'albridge.io/cluster': cluster,
      'albridge.io/adopt': `${namespace}/legacy`,
      'albridge.io/namespace': 'other',
      'albridge.io/name': 'web',
    }),
  };

  it.each(Object.entries(refusals))('refuses %s', async (_, tags) => {
    const objects = await place.createNamespace('refuse');
    const given = tags(objects.namespace, await place.clusterId());
    const arn = await legacyBalancer(given as Readonly<Record<string, string>>);
    await applyAdoption(objects, arn);
    await objects.whenReason('legacy', 'AdoptionRefused');
    await objects.startDeleting('legacy');
    await objects.isGone('legacy');
    expect((await standIn.balancer(arn))?.tags).toEqual(given);
    expect(await standIn.writesOn(arn)).toEqual([]);
  });

  it('refuses a balancer of another scheme before any write', async () => {
    const objects = await place.createNamespace('scheme');
    const arn = await outsider.createBalancer({
      Name: uniqueName('legacy'),
      Subnets: [...network.articleSubnets],
      Scheme: 'internal',
    });
    await outsider.setTags(arn, {
      'albridge.io/cluster': await place.clusterId(),
      'albridge.io/adopt': `${objects.namespace}/legacy`,
    });
    await applyAdoption(objects, arn);
    const object = await objects.whenReason('legacy', 'SpecMismatch');
    expect(readyOf(object)?.message).toMatch(/scheme is internal, spec.scheme is internet-facing/);
    expect(await standIn.writesOn(arn)).toEqual([]);
  });

  it('takes a retained balancer back, as the only way to do so', async () => {
    const objects = await place.createNamespace('retained');
    const name = uniqueName('kept');
    await objects.create('legacy', {
      name,
      subnets: network.articleSubnets,
      deletionPolicy: 'Retain',
    });
    const arn = (await objects.whenReady('legacy')).status.alb?.arn as string;
    await objects.startDeleting('legacy');
    await objects.isGone('legacy');

    await objects.create('again', { name, subnets: network.articleSubnets });
    await objects.whenReason('again', 'NameConflict');

    await outsider.setTags(arn, {
      'albridge.io/cluster': await place.clusterId(),
      'albridge.io/adopt': `${objects.namespace}/legacy`,
    });
    await applyAdoption(objects, arn);
    const object = await objects.when('legacy', isReady);
    expect(object.status.alb?.arn).toBe(arn);
  });
});
