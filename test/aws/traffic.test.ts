import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '../../src/aws/ec2/security-groups.ts';
import type { KnownAction, TargetGroupSettings } from '../../src/aws/elbv2/traffic.ts';
import { makeCertificate } from '../fakes/certificate.ts';
import { importCertificate } from '../surroundings/certificates.ts';
import { type AdapterUnderTest, adapterUnderTest } from './adapter.ts';
import { backendUnderTest, isMissing, itLikeAws, itLikeAwsIfAtAll } from './under-test.ts';

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

describe.skipIf(isMissing)('what is behind a balancer', () => {
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
    expect(await targets.readHealth(group.arn, signal)).toMatchObject([place]);
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

  it('has groups for HTTPS, HTTP/2 and gRPC, which cannot be changed', async () => {
    const { targetGroups } = aws.traffic();
    const { vpcId } = await aws.created();
    const kinds = [
      { protocol: 'HTTPS', protocolVersion: 'HTTP1', path: '/', matcher: '200' },
      { protocol: 'HTTP', protocolVersion: 'HTTP2', path: '/', matcher: '200,204' },
      { protocol: 'HTTP', protocolVersion: 'GRPC', path: '/AWS.ALB/healthcheck', matcher: '12' },
    ];
    for (const { protocol, protocolVersion, path, matcher } of kinds) {
      const plain = groupOf(aws.freshName(), vpcId);
      const healthCheck = { ...plain.healthCheck, protocol, path, matcher };
      const { tags: _tags, ...settings } = { ...plain, protocol, protocolVersion, healthCheck };
      const { arn } = await targetGroups.create({ ...settings, tags });
      await targetGroups.setHealthCheck(
        arn,
        { ...healthCheck, intervalSeconds: 30 },
        protocolVersion,
      );
      expect(await targetGroups.find([settings.name], signal)).toMatchObject([
        { ...settings, healthCheck: { ...healthCheck, intervalSeconds: 30 } },
      ]);
      await targetGroups.delete(arn);
    }
  });

  it('has groups for nodes', async () => {
    const { targetGroups, targets } = aws.traffic();
    const { vpcId } = await aws.created();
    const name = aws.freshName();
    const group = await targetGroups.create({ ...groupOf(name, vpcId), targetType: 'instance' });
    expect(await targetGroups.find([name], signal)).toMatchObject([{ targetType: 'instance' }]);
    expect(await targets.readHealth(group.arn, signal)).toEqual([]);
    await targetGroups.delete(group.arn);
  });

  itLikeAws('instance-exists', 'refuses an instance that does not exist', async () => {
    const { targetGroups, targets } = aws.traffic();
    const { vpcId } = await aws.created();
    const settings = { ...groupOf(aws.freshName(), vpcId), targetType: 'instance' };
    const { arn } = await targetGroups.create(settings);
    const missing = { id: 'i-00000000000000000', port: 30_080 };
    await expect(targets.register(arn, [missing])).rejects.toMatchObject({
      reason: 'InvalidTarget',
    });
  });

  it('has groups for IPv6 addresses', async () => {
    const { targetGroups, targets } = aws.traffic();
    const { vpcId } = await aws.created();
    const name = aws.freshName();
    const settings = { ...groupOf(name, vpcId), ipAddressType: 'ipv6' };
    const group = await targetGroups.create(settings);
    expect(await targetGroups.find([name], signal)).toMatchObject([{ ipAddressType: 'ipv6' }]);
    expect(await targets.readHealth(group.arn, signal)).toEqual([]);
    await targetGroups.delete(group.arn);
  });

  it('is sticky at the rule before it is at the group', async () => {
    const { targetGroups, listeners } = aws.traffic();
    const { arn: balancer, vpcId } = await aws.created();
    const [web, next] = await Promise.all(
      [0, 1].map(() => targetGroups.create(groupOf(aws.freshName(), vpcId))),
    );
    const forward = (stickinessSeconds?: number): KnownAction => ({
      kind: 'forward',
      targetGroups: [web, next].map((group) => ({ arn: group?.arn ?? '', weight: 1 })),
      ...(stickinessSeconds !== undefined && { stickinessSeconds }),
    });
    const http = { port: 80, protocol: 'HTTP', defaultAction: forward(), tags };
    const { arn } = await listeners.create(balancer, http);
    await listeners.modify(arn, { defaultAction: forward(60) });
    const cookie = {
      'stickiness.enabled': 'true',
      'stickiness.lb_cookie.duration_seconds': '60',
    };
    await targetGroups.setAttributes(web?.arn ?? '', cookie);
    expect(await targetGroups.readAttributes(web?.arn ?? '', signal)).toMatchObject(cookie);
    expect(await listeners.list(balancer, signal)).toMatchObject([
      { defaultActions: [forward(60)] },
    ]);
    await targetGroups.setAttributes(web?.arn ?? '', { 'stickiness.enabled': 'false' });
    await listeners.modify(arn, { defaultAction: forward() });
    const [listed] = (await listeners.list(balancer, signal)) ?? [];
    expect(listed?.defaultActions).toEqual([forward()]);
  });

  itLikeAws('sticky-actions-first', 'refuses it the other way round', async () => {
    const { targetGroups, listeners } = aws.traffic();
    const { arn: balancer, vpcId } = await aws.created();
    const groups = await Promise.all(
      [0, 1].map(() => targetGroups.create(groupOf(aws.freshName(), vpcId))),
    );
    const defaultAction: KnownAction = {
      kind: 'forward',
      targetGroups: groups.map(({ arn }) => ({ arn, weight: 1 })),
    };
    await listeners.create(balancer, { port: 80, protocol: 'HTTP', defaultAction, tags });
    const setting = targetGroups.setAttributes(groups[0]?.arn ?? '', {
      'stickiness.enabled': 'true',
    });
    await expect(setting).rejects.toMatchObject({ reason: 'InvalidConfigurationRequest' });
  });

  itLikeAws('listener-attribute-defaults', 'has attributes of listeners', async () => {
    const { listeners } = aws.traffic();
    const { arn: balancer } = await aws.created();
    const http = { port: 80, protocol: 'HTTP', defaultAction: notFound, tags };
    const { arn } = await listeners.create(balancer, http);
    const frame = 'routing.http.response.x_frame_options.header_value';
    await listeners.setAttributes(arn, { [frame]: 'DENY' });
    expect(await listeners.readAttributes(arn, signal)).toMatchObject({
      [frame]: 'DENY',
      'routing.http.response.server.enabled': 'true',
    });
    await listeners.setAttributes(arn, { [frame]: '' });
    expect(await listeners.readAttributes(arn, signal)).toMatchObject({ [frame]: '' });
  });

  itLikeAwsIfAtAll(
    'header-regex',
    'has rules by a header that matches a regular expression',
    async () => {
      const { listeners, rules } = aws.traffic();
      const { arn: balancer } = await aws.created();
      const http = { port: 80, protocol: 'HTTP', defaultAction: notFound, tags };
      const { arn } = await listeners.create(balancer, http);
      const conditions = [
        { field: 'http-header', name: 'X-Version', values: ['^v[0-9]+$'], isRegex: true },
      ] as const;
      await rules.create(arn, { priority: 1, conditions, action: notFound, tags });
      const [rule] = (await rules.list(arn, signal)) ?? [];
      expect(rule?.conditions).toEqual(conditions);
    },
  );

  itLikeAws(
    'rule-transforms',
    'rewrites host and path of a rule until that is taken off',
    async () => {
      const { targetGroups, listeners, rules } = aws.traffic();
      const { arn: balancer, vpcId } = await aws.created();
      const group = await targetGroups.create(groupOf(aws.freshName(), vpcId));
      const http = { port: 80, protocol: 'HTTP', defaultAction: notFound, tags };
      const { arn } = await listeners.create(balancer, http);
      const conditions = [{ field: 'path-pattern', values: ['/api/*'] }] as const;
      const action: KnownAction = {
        kind: 'forward',
        targetGroups: [{ arn: group.arn, weight: 1 }],
      };
      const transforms = [
        { kind: 'host', regex: '^.*$', replace: 'api.internal' },
        { kind: 'url', regex: '^/api/(.*)$', replace: '/$1' },
      ] as const;
      const settings = { priority: 1, conditions, action, tags };
      const { arn: rule } = await rules.create(arn, { ...settings, transforms });
      const read = async () => (await rules.list(arn, signal))?.[0]?.transforms;
      expect(await read()).toEqual(expect.arrayContaining([...transforms]));
      await rules.modify(rule, { transforms: transforms.slice(1) });
      expect(await read()).toEqual(transforms.slice(1));
      await rules.modify(rule, { transforms: [] });
      expect(await read()).toEqual([]);
    },
  );

  itLikeAws(
    'mutual-tls',
    'asks clients for certificates until that is switched off',
    async (context) => {
      const isAccount = backendUnderTest().account !== undefined;
      context.skip(isAccount, 'the certificate that it imports would stay in the account');
      const { listeners } = aws.traffic();
      const { arn: balancer } = await aws.created();
      const { url, region } = backendUnderTest();
      const certificate = await importCertificate(
        { AWS_ENDPOINT_URL: url, AWS_REGION: region },
        await makeCertificate(['shop.example.com']),
      );
      const https = {
        ...{ port: 443, protocol: 'HTTPS', sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06' },
        ...{ certificate, defaultAction: notFound, tags },
      };
      const { arn } = await listeners.create(balancer, {
        ...https,
        mutualTls: { mode: 'passthrough' },
      });
      const read = async () => (await listeners.list(balancer, signal))?.[0]?.mutualTls;
      expect(await read()).toEqual({ mode: 'passthrough' });
      await listeners.modify(arn, { mutualTls: { mode: 'off' } });
      expect((await read()) ?? { mode: 'off' }).toEqual({ mode: 'off' });
    },
  );

  it('has a security group that is opened, found by its tags, closed and deleted', async () => {
    const { securityGroups } = aws.traffic();
    const { subnets } = aws.settings();
    const vpcId = (await securityGroups.findVpc(subnets, signal)) ?? '';
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
