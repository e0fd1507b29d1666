import { describe, expect, it } from 'vitest';
import type { LoadBalancerSnapshot } from '../../localstack/embedded/world-snapshot.ts';
import { arnOf, isReady, readyOf } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, outsider, standIn } = place;
const [first, second, third] = network.subnets as [string, string, string];
const [web, internal] = network.securityGroups as [string, string];
/** Our own last write must have settled (10 s) before a picture of the account may be believed. */
const LONG_MS = 90_000;

interface Meddling {
  readonly why: string;
  readonly meddle: (arn: string) => Promise<void>;
  readonly isMended: (balancer: LoadBalancerSnapshot) => boolean;
  readonly told: RegExp;
}

const meddlings: Readonly<Record<string, Meddling>> = {
  'a changed tag': {
    why: 'tags of the spec are ours to keep',
    meddle: (arn) => outsider.setTags(arn, { team: 'other' }),
    isMended: ({ tags }) => tags['team'] === 'web',
    told: /^Repaired ALB \S+: tag team: observed other, desired web$/,
  },
  'a removed tag': {
    why: 'tags of the spec are ours to keep',
    meddle: (arn) => outsider.removeTags(arn, 'team'),
    isMended: ({ tags }) => tags['team'] === 'web',
    told: /^Repaired ALB \S+: tag team: observed none, desired web$/,
  },
  'the records beside the ownership tags': {
    why: 'UID and managed-by prove nothing, so their loss is drift and no release',
    meddle: (arn) => outsider.removeTags(arn, 'albridge.io/uid', 'albridge.io/managed-by'),
    isMended: ({ tags }) =>
      'albridge.io/uid' in tags && tags['albridge.io/managed-by'] === 'albridge',
    told: /^Repaired ALB \S+: tag albridge.io\/uid: observed none.*tag albridge.io\/managed-by: observed none/,
  },
  'other subnets': {
    why: 'the spec names them',
    meddle: (arn) => outsider.setSubnets(arn, [second, third]),
    isMended: ({ subnets }) => [...subnets].sort().join() === [first, second].sort().join(),
    told: /^Repaired ALB \S+: subnets: observed \[/,
  },
  'other security groups': {
    why: 'the spec names them',
    meddle: (arn) => outsider.setSecurityGroups(arn, [internal]),
    isMended: ({ securityGroups }) => securityGroups.join() === web,
    told: /^Repaired ALB \S+: securityGroups: observed \[/,
  },
  'another IP address type': {
    why: 'the default is ours as well',
    meddle: (arn) => outsider.setIpAddressType(arn, 'dualstack'),
    isMended: ({ ipAddressType }) => ipAddressType === 'ipv4',
    told: /^Repaired ALB \S+: ipAddressType: observed dualstack, desired ipv4$/,
  },
};

describe('what others change in AWS is repaired by the drift scan', { concurrent: true }, () => {
  it.each(Object.entries(meddlings))('%s', async (_, { meddle, isMended, told }) => {
    const objects = await place.createNamespace('drift');
    await objects.create('web', {
      subnets: [first, second],
      securityGroups: [web],
      tags: { team: 'web' },
    });
    const arn = arnOf(await objects.whenReady('web'));

    await meddle(arn);
    await until(
      'the repair',
      async () => {
        const balancer = await standIn.balancer(arn);
        return balancer !== undefined && isMended(balancer);
      },
      LONG_MS,
    );

    expect((await objects.event('web', 'DriftRepaired')).note).toMatch(told);
    expect(arnOf(await objects.when('web', isReady))).toBe(arn);
  });

  it('a deleted balancer is recreated, and an event reports it', async () => {
    const objects = await place.createNamespace('vanished');
    await objects.create('web', { subnets: [first, second] });
    const arn = arnOf(await objects.whenReady('web'));

    await outsider.deleteBalancer(arn);
    const event = await objects.event('web', 'ALBVanished', LONG_MS);
    const object = await objects.when('web', (seen) => isReady(seen) && arnOf(seen) !== arn);

    expect(event).toMatchObject({ type: 'Warning', note: expect.stringContaining(arn) });
    const left = await standIn.balancersOf(objects.namespace);
    expect(left.map((balancer) => balancer.arn)).toEqual([arnOf(object)]);
  });

  it('a lost ownership tag is a release: a conflict, neither repaired nor deleted', async () => {
    const objects = await place.createNamespace('released');
    await objects.create('web', { subnets: [first, second] });
    const arn = arnOf(await objects.whenReady('web'));

    await outsider.removeTags(arn, 'albridge.io/name');
    const before = await standIn.balancer(arn);
    const object = await objects.whenReason('web', 'NameConflict', LONG_MS);

    expect(readyOf(object)?.message).toContain('has lost its ownership tags');
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect(await standIn.balancer(arn)).toEqual(before);
    expect((await objects.event('web', 'LeftALB')).note).toContain('Left ALB');
    await outsider.deleteBalancer(arn);
  });

  it('a state that AWS reports later is shown: impaired, then active again', async () => {
    const objects = await place.createNamespace('impaired');
    await objects.create('web', { subnets: [first, second] });
    const { name } = (await objects.whenReady('web')).status.alb as { name: string };

    await standIn.pinState(name, { code: 'active_impaired', reason: 'no free addresses' });
    const impaired = await objects.whenReason('web', 'LoadBalancerImpaired', LONG_MS);
    expect(impaired.status.alb?.state).toBe('active_impaired');
    expect(readyOf(impaired)?.message).toContain('no free addresses');

    await standIn.unpinState(name);
    await objects.annotate('web', { 'albridge.io/reconcile-requested-at': 'now' });
    await objects.whenReady('web');
  });
});
