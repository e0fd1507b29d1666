import { expect, it } from 'vitest';
import { operations } from '../../../../src/aws/client/operations.ts';
import type { Permission } from '../../../../src/aws/ec2/security-groups.ts';
import type { KnownAction } from '../../../../src/aws/elbv2/traffic.ts';
import { OPERATOR_KEY, shippedPolicy } from '../../../surroundings/shipped-policy.ts';
import { call } from '../../localstack/seeded-model.ts';
import { CERTIFICATE, certificateArn, POLICY } from '../../localstack/traffic/traffic-model.ts';
import { never } from '../client/scripted-aws-api.ts';
import { groupSettings, type TrafficBench, trafficBench } from './traffic-bench.ts';

const tags = { 'albridge.io/cluster': 'c1' };
const notFound: KnownAction = { kind: 'fixed-response', statusCode: 404 };
const conditions = [{ field: 'path-pattern', values: ['/a'] }] as const;
const anybody: Permission = {
  ...{ protocol: 'tcp', fromPort: 80, toPort: 80 },
  source: { kind: 'ipv4', value: '0.0.0.0/0' },
};
const https = {
  ...{ port: 443, protocol: 'HTTPS', sslPolicy: POLICY, certificate: CERTIFICATE },
  defaultAction: notFound,
};
const SERVER = 'routing.http.response.server.enabled';
const frontend = { name: 'frontend', description: 'x', vpcId: 'vpc-main' };

/** The stand-in evaluates the shipped policy for the cluster c1, on a balancer of this one. */
function benchOf(cluster: string): TrafficBench {
  const bench = trafficBench({ limits: { 'rules-per-application-load-balancer': 1 } });
  const Tags = [{ Key: 'albridge.io/cluster', Value: cluster }];
  call(bench.model, 'AddTags', { ResourceArns: [bench.shop], Tags });
  bench.model.control.setPolicy(OPERATOR_KEY, shippedPolicy('c1'));
  return bench;
}

it('the shipped policy lets albridge do all that traffic takes to what is its own', async () => {
  const { targetGroups, targets, listeners, rules, tags: all, ...bench } = benchOf('c1');
  const { certificates, securityGroups, clock, shop } = bench;
  const group = await securityGroups.create({ ...frontend, tags });
  await securityGroups.allow(group, [anybody]);
  await securityGroups.addTags(group, { team: 'web' });
  expect(await securityGroups.find({ ids: [group] }, never)).toHaveLength(1);
  expect(await securityGroups.findVpc(['subnet-a'], never)).toBe('vpc-main');
  expect(await clock.finish(certificates.list(0, never))).toEqual([]);
  const { arn } = await targetGroups.create({ ...groupSettings, name: 'api' });
  await targetGroups.setHealthCheck(arn, groupSettings.healthCheck, 'HTTP1');
  await targetGroups.setAttributes(arn, { 'stickiness.enabled': 'true' });
  await targets.register(arn, [{ id: '10.0.0.9', port: 80 }]);
  const listener = (await listeners.create(shop, { ...https, tags })).arn;
  await listeners.modify(listener, { port: 8443 });
  await listeners.setAttributes(listener, { [SERVER]: 'false' });
  await listeners.addCertificate(listener, certificateArn(2));
  await listeners.removeCertificate(listener, certificateArn(2));
  const rule = await rules.create(listener, { priority: 1, conditions, action: notFound, tags });
  await rules.modify(rule.arn, { action: { kind: 'fixed-response', statusCode: 503 } });
  await rules.setPriorities([{ arn: rule.arn, priority: 2 }]);
  const surplus = { priority: 3, conditions, action: notFound, tags };
  await expect(rules.create(listener, surplus)).rejects.toThrow(
    '(rules-per-application-load-balancer is 1)',
  );
  for (const one of [arn, listener, rule.arn]) {
    await all.add([one], { team: 'web' });
    await all.remove([one], ['team']);
    expect(await clock.finish(all.read(one, never))).toMatchObject(tags);
  }
  expect(await targets.readHealth(arn, never)).toHaveLength(1);
  expect(await targetGroups.listForBalancer(shop, never)).toEqual([]);
  expect(await targetGroups.readAttributes(arn, never)).toMatchObject({
    'stickiness.enabled': 'true',
  });
  expect(await listeners.list(shop, never)).toHaveLength(1);
  expect(await listeners.listCertificates(listener, never)).toEqual([CERTIFICATE]);
  expect(await listeners.readAttributes(listener, never)).toMatchObject({ [SERVER]: 'false' });
  expect(await rules.list(listener, never)).toHaveLength(2);
  await targets.deregister(arn, [{ id: '10.0.0.9', port: 80 }]);
  await rules.delete(rule.arn);
  await listeners.delete(listener);
  await targetGroups.delete(arn);
  await securityGroups.revoke(group, [anybody]);
  await securityGroups.removeTags(group, { team: 'web' });
  await securityGroups.delete(group);
  const balancers = Object.keys(operations).filter((one) => ON_BALANCERS.test(one));
  expect([...new Set([...bench.sent(), ...balancers])].sort()).toEqual(
    Object.keys(operations).sort(),
  );
});

/** Those of a load balancer alone: test/unit/deploy/iam-policy.test.ts has its life. */
const ON_BALANCERS = /LoadBalancer|^Set(Subnets|SecurityGroups|IpAddressType)$/;

const foreign: Readonly<Record<string, (bench: TrafficBench) => Promise<unknown>>> = {
  CreateListener: ({ listeners, shop }) => listeners.create(shop, { ...https, tags }),
  CreateTargetGroup: ({ targetGroups }) =>
    targetGroups.create({ ...groupSettings, tags: { 'albridge.io/cluster': 'c2' } }),
  CreateSecurityGroup: ({ securityGroups }) => securityGroups.create({ ...frontend, tags: {} }),
  DeleteSecurityGroup: ({ securityGroups }) => securityGroups.delete('sg-web'),
  CreateTags: ({ securityGroups }) => securityGroups.addTags('sg-web', tags),
  RegisterTargets: ({ targets, model }) =>
    targets.register(foreignGroup(model), [{ id: '10.0.0.9', port: 80 }]),
  AddTags: ({ tags: all, model }) => all.add([foreignGroup(model)], tags),
  DeleteTargetGroup: ({ targetGroups, model }) => targetGroups.delete(foreignGroup(model)),
};

function foreignGroup(model: TrafficBench['model']): string {
  return call(model, 'DescribeTargetGroups', { Names: ['web'] })['TargetGroups'][0].TargetGroupArn;
}

it.each(Object.entries(foreign))('the shipped policy denies %s for what is not', async (_, act) => {
  await expect(act(benchOf('c2'))).rejects.toMatchObject({ reason: 'AccessDenied' });
});
