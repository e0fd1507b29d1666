import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Endpoints, podAddress } from '../surroundings/endpoints.ts';
import { arnOf, isReady, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { type Place, startPlace } from './place.ts';
import { isMissing, itLikeAws, itLikeAwsIfAtAll } from './under-test.ts';

const SWEEP = '2s';
/** Our own last write must have settled (10 s) before a picture of the account may be believed. */
const SWEPT_MS = 90_000;

/** What a user of albridge sees, with a real API server and a real operator in front of the backend. */
describe.skipIf(isMissing)('a MyIngress', { concurrent: true }, () => {
  let place: Place;
  let first: string;
  let second: string;
  let third: string;
  let groups: readonly string[];
  beforeAll(async () => {
    place = await startPlace();
    [first, second, third] = place.network.subnets as [string, string, string];
    groups = place.network.securityGroups;
    await place.startOperator({ ALBRIDGE_SWEEP_INTERVAL: SWEEP });
  });
  afterAll(() => place?.stop());

  const balancersOf = async ({ namespace }: MyIngresses): Promise<readonly string[]> => {
    const arns = (await place.outsider.balancers()).map((one) => one.LoadBalancerArn as string);
    const tagged = await Promise.all(
      arns.map(async (arn) => {
        // It may go between the two looks.
        const tags = await place.outsider.tags(arn).catch((error: Error) => {
          if (error.name !== 'LoadBalancerNotFoundException') throw error;
          return undefined;
        });
        return tags?.['albridge.io/namespace'] === namespace ? [arn] : [];
      }),
    );
    return tagged.flat();
  };

  itLikeAwsIfAtAll('custom-subnet-ids', 'of the article becomes a balancer and goes', async () => {
    const objects = await place.createNamespace('article');
    const { namespace } = objects;
    const path = resolve(import.meta.dirname, '../../examples/01-article.yaml');
    await place.kubectl(['apply', '-n', namespace, '-f', '-'], await readFile(path, 'utf8'));
    const object = await objects.whenReady('myapp');
    const table = await place.kubectl(['get', 'myingress', '-n', namespace]);
    expect(table).toMatch(
      new RegExp(
        `^myapp +internet-facing +active +${object.status.alb?.dns} +True +Available`,
        'm',
      ),
    );
    const told = await objects.event('myapp', 'CreatedALB');
    expect(told.note).toBe(`Created ALB: ${object.status.alb?.dns}`);
    await place.kubectl(['delete', 'myingress', 'myapp', '-n', namespace, '--timeout=90s']);
    expect(await balancersOf(objects)).toEqual([]);
  });

  it('has one balancer with the name, tags, attributes and settings asked for', async () => {
    const objects = await place.createNamespace('one');
    await objects.create('web', {
      subnets: [first, second],
      scheme: 'internal',
      securityGroups: groups.slice(0, 1),
      attributes: { 'idle_timeout.timeout_seconds': '120' },
      tags: { team: 'web' },
    });
    const object = await objects.whenReady('web');
    const arn = arnOf(object);
    expect(await balancersOf(objects)).toEqual([arn]);
    expect(await place.outsider.tags(arn)).toEqual({
      team: 'web',
      'albridge.io/managed-by': 'albridge',
      'albridge.io/cluster': await place.clusterId(),
      'albridge.io/namespace': objects.namespace,
      'albridge.io/name': 'web',
      'albridge.io/uid': object.metadata.uid,
    });
    expect(await place.outsider.subnets(arn)).toEqual([first, second].sort());
    const [balancer] = (await place.outsider.balancers()).filter(
      (one) => one.LoadBalancerArn === arn,
    );
    expect(balancer).toMatchObject({
      Scheme: 'internal',
      SecurityGroups: groups.slice(0, 1),
      DNSName: object.status.alb?.dns,
      LoadBalancerName: object.status.alb?.name,
    });
    expect(object.metadata.finalizers).toEqual(['albridge.io/load-balancer']);
    await remove(objects, 'web');
  });

  it('is edited in place', async () => {
    const objects = await place.createNamespace('edit');
    await objects.create('web', { subnets: [first, second], securityGroups: groups.slice(0, 1) });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.edit('web', {
      subnets: [first, third],
      securityGroups: groups,
      ipAddressType: 'dualstack',
      attributes: { 'routing.http2.enabled': 'false' },
      tags: { team: 'shop' },
    });
    expect(arnOf(await objects.whenReady('web'))).toBe(arn);
    expect(await place.outsider.subnets(arn)).toEqual([first, third].sort());
    expect(await place.outsider.tags(arn)).toHaveProperty('team', 'shop');
    await objects.edit('web', { tags: null, attributes: null });
    await objects.whenReady('web');
    expect(await place.outsider.tags(arn)).not.toHaveProperty('team');
    await remove(objects, 'web');
  });

  it('is left alone once it is as desired: later passes write nothing', async () => {
    const objects = await place.createNamespace('silent');
    await objects.create('web', {
      subnets: [first, second],
      tags: { team: 'web' },
      attributes: { 'idle_timeout.timeout_seconds': '90' },
    });
    const object = await objects.whenReady('web');
    const arn = arnOf(object);
    const writes = (): number => place.relay.writesOn(arn).length;
    const before = writes();
    for (const token of ['1', '2']) {
      await objects.annotate('web', { 'albridge.io/reconcile-requested-at': token });
      const isHandled = (seen: typeof object): boolean =>
        seen.status.lastHandledReconcileAt === token;
      await objects.when('web', isHandled);
    }
    expect(writes()).toBe(before);
    expect((await objects.get('web')).status.conditions).toEqual(object.status.conditions);
    await remove(objects, 'web');
  });

  it('has listeners, rules and target groups, edited in place, and takes them with it', async () => {
    const objects = await place.createNamespace('traffic');
    const endpoints = new Endpoints(place.api, objects.namespace);
    await endpoints.create('web', [podAddress(1), podAddress(2)]);
    await endpoints.create('api', [podAddress(3)]);
    const [web, api] = ['web', 'api'].map((name) => ({ name, service: { name, port: 80 } }));
    const rule = (name: string) => {
      return { name, paths: [`/${name}`], forward: [{ backend: 'api' }] };
    };
    await objects.create('shop', {
      ...{ subnets: [first, second], backends: [web, api] },
      ...{ rules: [rule('a'), rule('b')], defaultAction: { forward: [{ backend: 'web' }] } },
    } as object);
    const object = await objects.when(
      'shop',
      (one) => isReady(one) && one.status.targets === '3/3',
    );
    const arn = arnOf(object);
    expect(await place.outsider.listeners(arn)).toEqual({ 80: ['/a', '/b'] });
    const { targetGroups = [], securityGroup } = object.status.owned ?? {};
    const groups = await place.outsider.targetGroups(arn);
    expect(Object.keys(groups).toSorted()).toEqual(targetGroups);
    const targets = Object.values(groups).map((one) => one.targets.join());
    expect(targets.toSorted()).toEqual([[1, 2].map(podAddress).join(), podAddress(3)]);
    expect(securityGroup).toBeDefined();

    await endpoints.set('api', [podAddress(3), podAddress(4)]);
    await objects.edit('shop', {
      backends: [web, { ...api, healthCheck: { path: '/healthz' } }],
      rules: [rule('c'), rule('b'), rule('a')],
      listeners: [80, 8080].map((port) => ({ port, protocol: 'HTTP' })),
    });
    await objects.when('shop', (one) => isReady(one) && one.status.targets === '4/4');
    const paths = ['/c', '/b', '/a'];
    expect(await place.outsider.listeners(arn)).toEqual({ 80: paths, 8080: paths });
    const edited = Object.values(await place.outsider.targetGroups(arn));
    expect(edited.map(({ path = '' }) => path).toSorted()).toEqual(['/', '/healthz']);
    // Of this object's groups: others of this file are made at the same time.
    const made = targetGroups.flatMap((name) => place.relay.writesOn(name));
    expect(made.filter((operation) => operation === 'CreateTargetGroup')).toHaveLength(2);

    const names = [object.status.alb?.name ?? '', ...targetGroups];
    const writes = (): number => names.flatMap((name) => place.relay.writesOn(name)).length;
    const written = writes();
    const token = 'again';
    await objects.annotate('shop', { 'albridge.io/reconcile-requested-at': token });
    await objects.when('shop', ({ status }) => status.lastHandledReconcileAt === token);
    expect(writes()).toBe(written);
    await remove(objects, 'shop');
    for (const name of targetGroups) expect(await place.outsider.hasTargetGroup(name)).toBe(false);
  });

  it('whose balancer someone deletes gets another one, and says so', async () => {
    const objects = await place.createNamespace('vanished');
    await objects.create('web', { subnets: [first, second] });
    const arn = arnOf(await objects.whenReady('web'));
    await place.outsider.deleteBalancer(arn);
    expect((await objects.event('web', 'ALBVanished', SWEPT_MS)).note).toContain(arn);
    const isAnother = async (): Promise<boolean> => arnOf(await objects.whenReady('web')) !== arn;
    await until('another balancer', isAnother);
    expect(await balancersOf(objects)).toEqual([arnOf(await objects.get('web'))]);
    await remove(objects, 'web');
  });

  it('whose tags and subnets someone edits repairs them, and says so', async () => {
    const objects = await place.createNamespace('drift');
    await objects.create('web', { subnets: [first, second], tags: { team: 'web' } });
    const arn = arnOf(await objects.whenReady('web'));
    await place.outsider.setTags(arn, { team: 'other' });
    await place.outsider.setSubnets(arn, [second, third]);
    // One repair, or two where a sweep came between the edits.
    await until(
      'events about both',
      async () => {
        const events = await objects.events('web');
        const repairs = events.filter(({ reason }) => reason === 'DriftRepaired');
        const told = repairs.map(({ note }) => note).join('\n');
        return (
          told.includes('tag team: observed other, desired web') &&
          told.includes('subnets: observed [')
        );
      },
      SWEPT_MS,
    );
    expect(await place.outsider.tags(arn)).toHaveProperty('team', 'web');
    expect(await place.outsider.subnets(arn)).toEqual([first, second].sort());
    await remove(objects, 'web');
  });

  it('never touches a balancer of that name which is not its own', async () => {
    const objects = await place.createNamespace('conflict');
    const name = `taken-${objects.namespace}`;
    const arn = await place.outsider.createBalancer(
      { Name: name, Subnets: [first, second], Scheme: 'internal' },
      { owner: 'other' },
    );
    await objects.create('web', { name, subnets: [first, third], scheme: 'internal' });
    const object = await objects.whenReason('web', 'NameConflict');
    expect(readyOf(object)?.message).not.toContain(arn);
    await remove(objects, 'web');
    expect(place.relay.writesOn(arn)).toEqual([]);
    expect(await place.outsider.tags(arn)).toEqual({ owner: 'other' });
    expect(await place.outsider.subnets(arn)).toEqual([first, second].sort());
    await place.outsider.deleteBalancer(arn);
  });

  it('adopts by consent, and retains without our tags', async () => {
    const objects = await place.createNamespace('adopt');
    const { namespace } = objects;
    const name = `legacy-${namespace}`;
    const arn = await place.outsider.createBalancer(
      { Name: name, Subnets: [first, second], Scheme: 'internal' },
      { 'albridge.io/cluster': await place.clusterId(), 'albridge.io/adopt': `${namespace}/web` },
    );
    await objects.create('web', {
      subnets: [first, second],
      scheme: 'internal',
      adopt: { arn },
      deletionPolicy: 'Retain',
    });
    expect(arnOf(await objects.whenReady('web'))).toBe(arn);
    expect(await place.outsider.tags(arn)).toHaveProperty('albridge.io/name', 'web');
    await remove(objects, 'web');
    expect(await place.outsider.tags(arn)).not.toHaveProperty('albridge.io/name');
    await place.outsider.deleteBalancer(arn);
  });

  it('with subnets that do not exist says so, and is healed by an edit', async () => {
    const objects = await place.createNamespace('refused');
    await objects.create('web', { subnets: ['subnet-00000000', 'subnet-11111111'] });
    const refused = await objects.whenReason('web', 'SubnetNotFound');
    expect(readyOf(refused)?.message).toContain('correct spec.subnets');
    await objects.edit('web', { subnets: [first, second] });
    await objects.whenReady('web');
    await remove(objects, 'web');
  });

  itLikeAws(
    'security-group-exists',
    'with a security group that does not exist says so',
    async () => {
      const objects = await place.createNamespace('group');
      await objects.create('web', {
        subnets: [first, second],
        securityGroups: ['sg-00000000000000000'],
      });
      const object = await objects.when('web', (seen) => readyOf(seen)?.status !== undefined);
      const { reason } = readyOf(object) ?? {};
      await remove(objects, 'web');
      expect(reason).toBe('InvalidSecurityGroup');
    },
  );

  itLikeAwsIfAtAll('deletion-protection', 'waits for the protection to be taken off', async () => {
    const objects = await place.createNamespace('protected');
    const attributes = { 'deletion_protection.enabled': 'true' };
    await objects.create('web', { subnets: [first, second], attributes });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.startDeleting('web');
    await objects.when('web', (seen) => readyOf(seen)?.reason === 'DeletionBlocked');
    expect(await balancersOf(objects)).toEqual([arn]);
    await objects.edit('web', { attributes: { 'deletion_protection.enabled': 'false' } });
    await objects.isGone('web');
    expect(await balancersOf(objects)).toEqual([]);
  });

  it('is created once, although the answer to the create gets lost', async () => {
    const objects = await place.createNamespace('lost');
    const effect = { kind: 'broken', isApplied: true } as const;
    const rule = { operation: 'CreateLoadBalancer', containing: objects.namespace, times: 1 };
    place.relay.add({ ...rule, effect });
    await objects.create('web', { subnets: [first, second] });
    const object = await objects.whenReady('web', 90_000);
    expect(await balancersOf(objects)).toEqual([arnOf(object)]);
    await remove(objects, 'web');
  });

  it('has each thing of its traffic once, although the answer to each create gets lost', async () => {
    const objects = await place.createNamespace('lost-traffic');
    await new Endpoints(place.api, objects.namespace).create('web', [podAddress(1)]);
    const creates = ['CreateSecurityGroup', 'CreateTargetGroup', 'CreateListener', 'CreateRule'];
    const effect = { kind: 'broken', isApplied: true } as const;
    for (const operation of creates) {
      place.relay.add({ operation, containing: objects.namespace, times: 1, effect });
    }
    const backends = [{ name: 'web', service: { name: 'web', port: 80 } }];
    const rules = [{ name: 'a', paths: ['/a'], forward: [{ backend: 'web' }] }];
    await objects.create('shop', { subnets: [first, second], backends, rules });
    const object = await objects.whenReady('shop', 90_000);
    const arn = arnOf(object);
    expect(await place.outsider.listeners(arn)).toEqual({ 80: ['/a'] });
    const groups = Object.keys(await place.outsider.targetGroups(arn));
    expect(groups).toEqual(object.status.owned?.targetGroups);
    await remove(objects, 'shop');
    for (const name of groups) expect(await place.outsider.hasTargetGroup(name)).toBe(false);
  });

  const remove = async (objects: MyIngresses, name: string): Promise<void> => {
    await objects.startDeleting(name);
    await objects.isGone(name, 90_000);
    expect(await balancersOf(objects)).toEqual([]);
  };
});
