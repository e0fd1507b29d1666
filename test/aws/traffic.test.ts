import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '../../src/aws/ec2/security-groups.ts';
import type { KnownAction, TargetGroupSettings } from '../../src/aws/elbv2/traffic.ts';
import { type AdapterUnderTest, adapterUnderTest } from './adapter.ts';
import { backendUnderTest, isMissing } from './under-test.ts';

const signal = new AbortController().signal;
const tags = { 'albridge.io/cluster': 'c1' };
const notFound: KnownAction = {
  kind: 'fixed-response',
  ...{ statusCode: 404, contentType: 'text/plain', body: 'no rule' },
};
const anybody: Permission = {
  ...{ protocol: 'tcp', fromPort: 80, toPort: 80 },
  source: { kind: 'ipv4', value: '0.0.0.0/0' },
};

/** In somebody's account nothing but balancers is made yet, for only they are cleaned up. */
const isSkipped = isMissing || backendUnderTest().account !== undefined;

describe.skipIf(isSkipped)('what is behind a balancer', () => {
  let aws: AdapterUnderTest;
  beforeAll(() => {
    aws = adapterUnderTest();
  });
  afterAll(() => aws?.close());

  const groupOf = (name: string, vpcId: string): TargetGroupSettings => ({
    ...{ name, vpcId, tags, port: 80, targetType: 'ip', ipAddressType: 'ipv4' },
    ...{ protocol: 'HTTP', protocolVersion: 'HTTP1' },
    healthCheck: {
      ...{ protocol: 'HTTP', port: 'traffic-port', path: '/healthz', matcher: '200-399' },
      ...{ intervalSeconds: 15, timeoutSeconds: 5, healthyThreshold: 2, unhealthyThreshold: 2 },
    },
  });

  it('is built, read back and taken down', async () => {
    const { targetGroups, targets, listeners, rules, tags: all } = aws.traffic();
    const { arn: balancer, vpcId } = await aws.created();
    const settings = groupOf(aws.freshName(), vpcId);
    const group = await targetGroups.create(settings);
    const { tags: _tags, ...described } = settings;
    expect(group).toMatchObject(described);
    // The VPC of a backend is its own affair; an address outside it needs a zone.
    const place = { id: '10.9.9.9', port: 8080 };
    const target = { ...place, zone: 'all' };
    await targets.register(group.arn, [target]);
    expect(await targets.health(group.arn, signal)).toMatchObject([place]);
    const http = { port: 80, protocol: 'HTTP', defaultAction: notFound, tags };
    const listener = await listeners.create(balancer, http);
    expect(await listeners.list(balancer, signal)).toEqual([listener]);
    expect(listener.defaultActions).toEqual([notFound]);
    const conditions = [{ field: 'path-pattern', values: ['/a', '/a/*'] }] as const;
    const action: KnownAction = {
      kind: 'forward',
      targetGroups: [{ arn: group.arn, weight: 1 }],
    };
    const rule = await rules.create(listener.arn, { priority: 100, conditions, action, tags });
    expect(rule).toMatchObject({ priority: 100, conditions, actions: [action] });
    await rules.setPriorities([{ arn: rule.arn, priority: 200 }]);
    const [moved, byDefault] = (await rules.list(listener.arn, signal)) ?? [];
    expect([moved?.priority, byDefault?.priority]).toEqual([200, 'default']);
    expect(await all.read(rule.arn, signal)).toEqual(tags);
    await rules.delete(rule.arn);
    await listeners.delete(listener.arn);
    await targets.deregister(group.arn, [target]);
    await targetGroups.delete(group.arn);
    expect(await targetGroups.find([settings.name], signal)).toEqual([]);
  });

  it('has a security group that is opened, found by its tags, closed and deleted', async () => {
    const { securityGroups } = aws.traffic();
    const { subnets } = aws.settings();
    const vpcId = (await securityGroups.vpcOf(subnets, signal)) ?? '';
    const name = aws.freshName();
    const own = { ...tags, 'albridge.io/resource': name };
    const id = await securityGroups.create({ name, description: 'a test', vpcId, tags: own });
    await securityGroups.allow(id, [anybody]);
    const found = await securityGroups.find({ tags: own }, signal);
    expect(found).toEqual([{ securityGroup: { id, name, vpcId, ingress: [anybody] }, tags: own }]);
    await securityGroups.removeTags(id, tags);
    await securityGroups.revoke(id, [anybody]);
    await securityGroups.delete(id);
    expect(await securityGroups.find({ ids: [id] }, signal)).toEqual([]);
  });
});
