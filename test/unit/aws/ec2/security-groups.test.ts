import { describe, expect, it } from 'vitest';
import type { Permission } from '../../../../src/aws/ec2/security-groups.ts';
import { STALENESS_BOUND_MS } from '../../../../src/aws/elbv2/load-balancers.ts';
import { never } from '../client/scripted-aws-api.ts';
import { trafficBench } from '../elbv2/traffic-bench.ts';

const tags = { 'albridge.io/cluster': 'c1', 'albridge.io/resource': 'security-group/frontend' };
const frontend = { name: 'albridge-web', description: 'of web/shop', vpcId: 'vpc-main', tags };

function from(kind: Permission['source']['kind'], value: string, port = 80): Permission {
  return { protocol: 'tcp', fromPort: port, toPort: port, source: { kind, value } };
}

const open = [from('ipv4', '0.0.0.0/0'), from('ipv6', '::/0'), from('ipv4', '10.0.0.0/8', 443)];

describe('a security group', () => {
  it('is created with its tags, opened in one call, and found by them', async () => {
    const { securityGroups, sent } = trafficBench();
    const id = await securityGroups.create(frontend);
    await securityGroups.allow(id, [...open, from('security-group', 'sg-web', 9000)]);
    expect(sent()).toEqual(['CreateSecurityGroup', 'AuthorizeSecurityGroupIngress']);
    const [found, ...others] = await securityGroups.find({ tags }, never);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      securityGroup: { id, name: frontend.name, vpcId: 'vpc-main' },
      tags,
    });
    expect(found?.securityGroup.ingress).toHaveLength(4);
    for (const permission of open) expect(found?.securityGroup.ingress).toContainEqual(permission);
    expect(await securityGroups.find({ ids: [id] }, never)).toEqual([found]);
    expect(await securityGroups.find({ vpcId: 'vpc-main', name: frontend.name }, never)).toEqual([
      found,
    ]);
  });

  it('is opened further though part of it is open already, and closed likewise', async () => {
    const { securityGroups } = trafficBench();
    const id = await securityGroups.create(frontend);
    const [first, ...rest] = open as [Permission, ...Permission[]];
    await securityGroups.allow(id, [first]);
    await securityGroups.allow(id, open);
    await securityGroups.allow(id, open);
    const ingress = async () =>
      (await securityGroups.find({ ids: [id] }, never))[0]?.securityGroup.ingress;
    expect(await ingress()).toHaveLength(3);
    await securityGroups.revoke(id, [first]);
    await securityGroups.revoke(id, open);
    await securityGroups.revoke(id, rest);
    expect(await ingress()).toEqual([]);
  });

  it('is opened to others than a source that does not exist', async () => {
    const { securityGroups, clock, sent } = trafficBench();
    const id = await securityGroups.create(frontend);
    await clock.advance(STALENESS_BOUND_MS);
    sent();
    const opening = securityGroups.allow(id, [...open, from('security-group', 'sg-none')]);
    await expect(opening).rejects.toMatchObject({ reason: 'InvalidSecurityGroup' });
    const [found] = await securityGroups.find({ ids: [id] }, never);
    expect(found?.securityGroup.ingress).toHaveLength(3);
  });

  it('that is new is tried once, as AWS may refuse the group itself', async () => {
    const { securityGroups, clock, sent, traffic } = trafficBench();
    const id = await securityGroups.create(frontend);
    await clock.advance(STALENESS_BOUND_MS - 1);
    const unknown = Array.from({ length: 20 }, (_, at) => from('security-group', `sg-${at}`));
    sent();
    // Another payer's clients know of it too.
    for (const groups of [securityGroups, traffic().securityGroups]) {
      const opening = groups.allow(id, unknown);
      await expect(opening).rejects.toMatchObject({ reason: 'InvalidSecurityGroup' });
      expect(sent()).toEqual(['AuthorizeSecurityGroupIngress']);
    }
  });

  it('is repaired in its tags, by value', async () => {
    const { securityGroups } = trafficBench();
    const id = await securityGroups.create(frontend);
    await securityGroups.addTags(id, { team: 'web' });
    await securityGroups.removeTags(id, { team: 'other' });
    const read = async () => (await securityGroups.find({ ids: [id] }, never))[0]?.tags;
    expect(await read()).toEqual({ ...tags, team: 'web' });
    await securityGroups.removeTags(id, { team: 'web' });
    expect(await read()).toEqual(tags);
  });

  it('is found by those whose inbound rules refer to it', async () => {
    const { securityGroups } = trafficBench();
    const id = await securityGroups.create(frontend);
    const other = await securityGroups.create({ ...frontend, name: 'pods', tags: {} });
    expect(await securityGroups.find({ referringTo: id }, never)).toEqual([]);
    await securityGroups.allow(other, [from('ipv4', '10.0.0.0/8'), from('security-group', id)]);
    const found = await securityGroups.find({ referringTo: id }, never);
    expect(found.map(({ securityGroup }) => securityGroup.id)).toEqual([other]);
  });

  it('that is gone is absent, and deleted already', async () => {
    const { securityGroups } = trafficBench();
    const id = await securityGroups.create(frontend);
    await securityGroups.delete(id);
    await securityGroups.delete(id);
    expect(await securityGroups.find({ ids: [id] }, never)).toEqual([]);
  });

  it('that a balancer uses is not deleted, and time heals that', async () => {
    const { securityGroups, loadBalancers, shop } = trafficBench();
    const id = await securityGroups.create(frontend);
    await loadBalancers.setSecurityGroups(shop, [id]);
    await expect(securityGroups.delete(id)).rejects.toMatchObject({
      reason: 'DependencyViolation',
      healedBy: 'time',
      message: expect.stringContaining(`delete security group ${id}: `) as string,
    });
  });

  it('of a name that is taken is a conflict', async () => {
    const { securityGroups } = trafficBench();
    await securityGroups.create(frontend);
    await expect(securityGroups.create(frontend)).rejects.toMatchObject({
      reason: 'DuplicateSecurityGroup',
      healedBy: 'person',
    });
  });

  it('that the policy denies names what EC2 denied', async () => {
    const { securityGroups, model } = trafficBench();
    model.control.setPolicy('000000000000', {
      Statement: [{ Sid: 'a', Effect: 'Allow', Action: 'ec2:Describe*', Resource: '*' }],
    });
    await expect(securityGroups.create(frontend)).rejects.toMatchObject({
      reason: 'AccessDenied',
      message: expect.stringContaining('allow ec2:CreateSecurityGroup in the IAM policy') as string,
    });
  });
});

describe('the VPC of subnets', () => {
  it('is read once', async () => {
    const { securityGroups, traffic, sent } = trafficBench();
    expect(await securityGroups.findVpc(['subnet-a', 'subnet-b'], never)).toBe('vpc-main');
    expect(await traffic().securityGroups.findVpc(['subnet-b'], never)).toBe('vpc-main');
    expect(sent()).toEqual(['DescribeSubnets']);
  });

  it('of a subnet that does not exist is not known', async () => {
    const { securityGroups } = trafficBench();
    expect(await securityGroups.findVpc(['subnet-none'], never)).toBeUndefined();
    expect(await securityGroups.findVpc(['subnet-a'], never)).toBe('vpc-main');
  });
});
