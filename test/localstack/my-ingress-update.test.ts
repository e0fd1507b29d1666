import { describe, expect, it } from 'vitest';
import type { LoadBalancerSnapshot } from '../../localstack/embedded/world-snapshot.ts';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { arnOf, type GivenSpec, isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, standIn } = place;
const [first, second, third] = network.subnets as [string, string, string];
const [web, internal] = network.securityGroups as [string, string];
const IDLE = 'idle_timeout.timeout_seconds';
const DROP = 'routing.http.drop_invalid_header_fields.enabled';

interface Edit {
  readonly why: string;
  readonly before: Partial<GivenSpec>;
  /** A merge patch of the spec. */
  readonly edit: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  /** What the event about the edit says. */
  readonly told: RegExp;
}

const edits: Readonly<Record<string, Edit>> = {
  subnets: {
    why: 'SetSubnets replaces the whole list',
    before: {},
    edit: { subnets: [first, second, third] },
    after: { subnets: expect.toSatisfy((ids: string[]) => ids.length === 3) },
    told: /subnets: observed \[.*\], desired \[.*\]/,
  },
  securityGroups: {
    why: 'SetSecurityGroups replaces the whole list',
    before: { securityGroups: [web] },
    edit: { securityGroups: [web, internal] },
    after: { securityGroups: [web, internal] },
    told: /securityGroups: observed \[.*\], desired \[.*\]/,
  },
  ipAddressType: {
    why: 'there is a call of its own for it',
    before: {},
    edit: { ipAddressType: 'dualstack' },
    after: { ipAddressType: 'dualstack' },
    told: /ipAddressType: observed ipv4, desired dualstack/,
  },
  'an added attribute': {
    why: 'only attributes of the spec are read and written',
    before: {},
    edit: { attributes: { [IDLE]: '120' } },
    after: { attributes: expect.objectContaining({ [IDLE]: '120' }) },
    told: /attribute idle_timeout.timeout_seconds: observed 60, desired 120/,
  },
  'a changed attribute': {
    why: 'what stood there before ours is not recorded anew',
    before: { attributes: { [IDLE]: '120' } },
    edit: { attributes: { [IDLE]: '240' } },
    after: { attributes: expect.objectContaining({ [IDLE]: '240' }) },
    told: /observed 120, desired 240/,
  },
  'a removed attribute': {
    why: 'it gets back the value that AWS had given',
    before: { attributes: { [IDLE]: '120', [DROP]: 'true' } },
    edit: { attributes: { [IDLE]: null } },
    after: { attributes: expect.objectContaining({ [IDLE]: '60', [DROP]: 'true' }) },
    told: /attribute idle_timeout.timeout_seconds: observed 120, desired 60/,
  },
  'all attributes removed': {
    why: 'no attribute in the spec does not mean that none was applied',
    before: { attributes: { [DROP]: 'true' } },
    edit: { attributes: null },
    after: { attributes: expect.objectContaining({ [DROP]: 'false' }) },
    told: /drop_invalid_header_fields.enabled: observed true, desired false/,
  },
  'added and changed tags': {
    why: 'AddTags does both',
    before: { tags: { team: 'web' } },
    edit: { tags: { team: 'shop', stage: 'prod' } },
    after: { tags: expect.objectContaining({ team: 'shop', stage: 'prod' }) },
    told: /tag stage: observed none, desired prod; tag team: observed web, desired shop/,
  },
  'a removed tag': {
    why: 'a tag that we set and that left the spec goes',
    before: { tags: { team: 'web', stage: 'prod' } },
    edit: { tags: { stage: null } },
    after: {
      tags: expect.toSatisfy((tags: object) => !('stage' in tags) && 'team' in tags),
    },
    told: /tag stage: removed/,
  },
};

describe('an edit is applied to the same balancer', { concurrent: true }, () => {
  it.each(Object.entries(edits))('%s', async (_, { before, edit, after, told }) => {
    const objects = await place.createNamespace('edit');
    await objects.create('web', { subnets: [first, second], ...before });
    const arn = arnOf(await objects.whenReady('web'));

    await objects.edit('web', edit);
    const object = await whenReadyAgain(objects);

    expect(arnOf(object)).toBe(arn);
    expect(await balancerOf(objects)).toMatchObject({ arn, ...after });
    await until(`an event like ${told}`, async () => {
      const events = await objects.events('web');
      return events.some(({ reason, note }) => reason === 'UpdatedALB' && told.test(note));
    });
  });

  it('does not change what others have added', async () => {
    const objects = await place.createNamespace('beside');
    await objects.create('web', { subnets: [first, second], tags: { team: 'web' } });
    const arn = arnOf(await objects.whenReady('web'));
    await place.outsider.setTags(arn, { 'cost-center': '4711' });
    await place.outsider.setAttributes(arn, { [DROP]: 'true' });

    await objects.edit('web', { tags: { team: null }, attributes: { [IDLE]: '90' } });
    await whenReadyAgain(objects);

    const { tags, attributes } = await balancerOf(objects);
    expect(tags).toMatchObject({ 'cost-center': '4711' });
    expect(tags).not.toHaveProperty('team');
    expect(attributes).toMatchObject({ [DROP]: 'true', [IDLE]: '90' });
  });

  it('never shows the old spec as ready once the edit was observed', async () => {
    const objects = await place.createNamespace('twice');
    await objects.create('web', { subnets: [first, second] });
    await objects.whenReady('web');
    await objects.edit('web', { subnets: ['subnet-0000000000000000f', second] });
    const stalled = await objects.whenReason('web', 'SubnetNotFound');
    expect(stalled.status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', observedGeneration: stalled.metadata.generation },
      { type: 'Stalled', status: 'True' },
    ]);
    await objects.edit('web', { subnets: [second, third] });
    await whenReadyAgain(objects);
    expect([...(await balancerOf(objects)).subnets].sort()).toEqual([second, third].sort());
  });
});

function whenReadyAgain(objects: MyIngresses): Promise<MyIngress> {
  return objects.when('web', isReady);
}

async function balancerOf({ namespace }: MyIngresses): Promise<LoadBalancerSnapshot> {
  const balancers = await standIn.balancersOf(namespace);
  expect(balancers).toHaveLength(1);
  return balancers[0] as LoadBalancerSnapshot;
}
