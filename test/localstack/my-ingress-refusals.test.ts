import { describe, expect, it } from 'vitest';
import { reasonsOfMyIngress } from '../../src/cli/objects/kinds.ts';
import { conditionOf, type GivenSpec, isReady, readyOf } from '../surroundings/my-ingresses.ts';
import { askForALook } from './setup-faults.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, standIn } = place;
const subnets = network.articleSubnets;

interface Refusal {
  readonly why: string;
  readonly spec: GivenSpec;
  readonly reason: keyof typeof reasonsOfMyIngress;
  /** A merge patch of the spec that heals it. */
  readonly cure: Readonly<Record<string, unknown>>;
}

/** Nothing is scripted here: the stand-in judges by AWS's rules. */
const refusals: Readonly<Record<string, Refusal>> = {
  'a subnet that does not exist': {
    why: 'only AWS knows which subnets there are',
    spec: { subnets: [subnets[0] as string, 'subnet-0000000000000000f'] },
    reason: 'SubnetNotFound',
    cure: { subnets },
  },
  'two subnets in one zone': {
    why: 'the zones of subnets are known to AWS alone',
    spec: { subnets: network.sameZoneSubnets },
    reason: 'InvalidConfigurationRequest',
    cure: { subnets },
  },
  'a security group that does not exist': {
    why: 'only AWS knows which groups there are',
    spec: { subnets, securityGroups: ['sg-0000000000000000f'] },
    reason: 'InvalidSecurityGroup',
    cure: { securityGroups: [network.exampleSecurityGroup] },
  },
  'an attribute that AWS does not know': {
    why: 'the list of attributes grows on the side of AWS',
    spec: { subnets, attributes: { 'no.such.attribute': 'true' } },
    reason: 'ValidationError',
    cure: { attributes: null },
  },
  'a value that an attribute does not take': {
    why: 'values are judged by AWS',
    spec: { subnets, attributes: { 'idle_timeout.timeout_seconds': '100000' } },
    reason: 'ValidationError',
    cure: { attributes: { 'idle_timeout.timeout_seconds': '60' } },
  },
};

describe('what only AWS can refuse', { concurrent: true }, () => {
  it.each(Object.entries(refusals))('%s', async (_, { spec, reason, cure }) => {
    const objects = await place.createNamespace('refusal');
    await objects.create('web', spec);

    const refused = await objects.whenReason('web', reason);

    expect(refused.status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason },
      { type: 'Stalled', status: 'True', reason },
    ]);
    expect(readyOf(refused)?.message).toContain(reasonsOfMyIngress[reason].next);
    expect(await objects.event('web', reason)).toMatchObject({ type: 'Warning' });

    await objects.edit('web', cure);
    const object = await objects.when('web', isReady);
    expect(conditionOf(object, 'Stalled')).toBeUndefined();
    expect(await standIn.balancersOf(objects.namespace)).toHaveLength(1);
  });

  it('a balancer that AWS failed to provision', async () => {
    const objects = await place.createNamespace('failed');
    await objects.create('web', { subnets });
    const { status } = await objects.when('web', (seen) => seen.status.alb !== undefined);
    await standIn.pinState(status.alb?.name as string, { code: 'failed', reason: 'no capacity' });
    await askForALook(objects, 'web');
    const failed = await objects.whenReason('web', 'LoadBalancerFailed');
    expect(failed.status.alb?.state).toBe('failed');
    expect(readyOf(failed)?.message).toContain('no capacity');
    expect(conditionOf(failed, 'Stalled')?.status).toBe('True');
    await standIn.unpinState(status.alb?.name as string);
  });
});
