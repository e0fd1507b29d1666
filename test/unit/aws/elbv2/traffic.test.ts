import { describe, expect, it } from 'vitest';
import {
  type KnownAction,
  normaliseAddress,
  type Target,
} from '../../../../src/aws/elbv2/traffic.ts';
import { CERTIFICATE, certificateArn, POLICY } from '../../localstack/traffic/traffic-model.ts';
import { bench, never } from '../client/scripted-aws-api.ts';
import { makeGroups, groupSettings as settings, trafficBench } from './traffic-bench.ts';

const tags = { 'albridge.io/cluster': 'c1', team: 'web' };
const notFound: KnownAction = { kind: 'fixed-response', statusCode: 404 };
const http = { port: 80, protocol: 'HTTP', defaultAction: notFound, tags };
const GONE = `arn:aws:elasticloadbalancing:us-east-1:000000000000:targetgroup/gone/${'0'.repeat(16)}`;

describe('target groups', () => {
  it('are created with all their settings and found by name', async () => {
    const { targetGroups, tags: all, sent } = trafficBench();
    const created = await targetGroups.create(settings);
    const { tags: _tags, ...rest } = settings;
    expect(created).toEqual({ ...rest, arn: created.arn, loadBalancerArns: [] });
    expect(await targetGroups.find(['web-1'], never)).toEqual([created]);
    const reading = all.read(created.arn, never);
    expect(sent()).toEqual(['CreateTargetGroup', 'DescribeTargetGroups']);
    void reading;
  });

  it('of which some are gone are found by halves', async () => {
    const bench = trafficBench();
    const made = await makeGroups(bench, 'a', 'b', 'c');
    bench.sent();
    const found = await bench.targetGroups.find(['a', 'gone', 'b', 'c'], never);
    expect(found.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(made).toHaveLength(3);
    expect(bench.sent().length).toBeLessThanOrEqual(5);
    expect(await bench.targetGroups.find([], never)).toEqual([]);
  });

  it('that an answer leaves out are not gone: AWS says so of each that is', async () => {
    const { traffic, clock } = bench({ DescribeTargetGroups: () => ({ TargetGroups: [] }) });
    const { targetGroups } = traffic({});
    for (const names of [['a'], ['a', 'b']]) {
      const reading = clock.finish(targetGroups.find(names, never));
      await expect(reading).rejects.toMatchObject({ reason: 'AwsUnreadable', healedBy: 'time' });
    }
  });

  it('speak gRPC codes where the group does', async () => {
    const { targetGroups } = trafficBench();
    const healthCheck = { ...settings.healthCheck, matcher: '0-12' };
    const grpc = { ...settings, protocolVersion: 'GRPC', healthCheck };
    const created = await targetGroups.create(grpc);
    expect(created.healthCheck.matcher).toBe('0-12');
    await targetGroups.setHealthCheck(created.arn, { ...healthCheck, matcher: '0' }, 'GRPC');
    const [changed] = await targetGroups.find([created.name], never);
    expect(changed?.healthCheck.matcher).toBe('0');
  });

  it('keep their attributes, and lose nothing by setting none', async () => {
    const bench = trafficBench();
    const [group] = await makeGroups(bench, 'api');
    const arn = group?.arn ?? '';
    bench.sent();
    await bench.targetGroups.setAttributes(arn, {});
    expect(bench.sent()).toEqual([]);
    await bench.targetGroups.setAttributes(arn, { 'deregistration_delay.timeout_seconds': '30' });
    expect(await bench.targetGroups.readAttributes(arn, never)).toMatchObject({
      'deregistration_delay.timeout_seconds': '30',
    });
  });

  it('that are gone are absent, and deleted already', async () => {
    const { targetGroups, targets } = trafficBench();
    expect(await targetGroups.readAttributes(GONE, never)).toBeUndefined();
    expect(await targets.readHealth(GONE, never)).toBeUndefined();
    await targetGroups.delete(GONE);
    await expect(targets.register(GONE, [{ id: '10.0.0.9', port: 80 }])).rejects.toMatchObject({
      reason: 'TargetGroupNotFound',
      healedBy: 'time',
    });
  });

  it('in use are not deleted, and time heals that', async () => {
    const bench = trafficBench();
    const [group] = await makeGroups(bench, 'api');
    const arn = group?.arn ?? '';
    const forward: KnownAction = { kind: 'forward', targetGroups: [{ arn, weight: 1 }] };
    await bench.listeners.create(bench.shop, { ...http, defaultAction: forward });
    await expect(bench.targetGroups.delete(arn)).rejects.toMatchObject({
      reason: 'StillInUse',
      healedBy: 'time',
      message: expect.stringMatching(/^delete target group arn:/) as string,
    });
    const [used] = await bench.targetGroups.listForBalancer(bench.shop, never);
    expect(used?.loadBalancerArns).toEqual([bench.shop]);
  });

  it('of one name with other settings are a conflict', async () => {
    const { targetGroups } = trafficBench();
    await targetGroups.create(settings);
    await expect(targetGroups.create({ ...settings, port: 81 })).rejects.toMatchObject({
      reason: 'DuplicateTargetGroupName',
      healedBy: 'person',
    });
  });
});

describe('targets', () => {
  it('are registered and deregistered 200 a call', async () => {
    const bench = trafficBench();
    const [group] = await makeGroups(bench, 'api');
    const arn = group?.arn ?? '';
    const targets: Target[] = Array.from({ length: 401 }, (_, i) => ({
      id: `10.0.${i >> 8}.${i & 255}`,
      port: 8080,
    }));
    bench.sent();
    await bench.targets.register(arn, targets);
    expect(bench.sent()).toEqual(Array(3).fill('RegisterTargets'));
    const health = await bench.targets.readHealth(arn, never);
    expect(health).toHaveLength(401);
    expect(health?.[0]).toMatchObject({ port: 8080, state: 'unused', reason: 'Target.NotInUse' });
    bench.sent();
    await bench.targets.deregister(arn, targets.slice(0, 201));
    await bench.targets.deregister(arn, targets.slice(0, 201));
    expect(bench.sent()).toEqual(Array(4).fill('DeregisterTargets'));
  });

  it.each([
    ['FD00:0:0::1', 'fd00::1'],
    ['fd00::1', 'fd00::1'],
    ['10.0.0.1', '10.0.0.1'],
    ['i-0123456789abcdef0', 'i-0123456789abcdef0'],
    ['not:an:address', 'not:an:address'],
  ])('of two spellings are one: %s is %s', (given, canonical) => {
    expect(normaliseAddress(given)).toBe(canonical);
  });

  it('that AWS refuses need a person', async () => {
    const bench = trafficBench();
    const [group] = await makeGroups(bench, 'api');
    await expect(
      bench.targets.register(group?.arn ?? '', [{ id: '8.8.8.8', port: 80 }]),
    ).rejects.toMatchObject({ healedBy: 'person' });
  });
});

describe('listeners', () => {
  it('are created, modified in part, and deleted twice', async () => {
    const { listeners, shop } = trafficBench();
    const created = await listeners.create(shop, http);
    expect(created).toMatchObject({ loadBalancerArn: shop, port: 80, protocol: 'HTTP' });
    await listeners.modify(created.arn, { port: 8080 });
    expect(await listeners.list(shop, never)).toEqual([{ ...created, port: 8080 }]);
    await listeners.delete(created.arn);
    await listeners.delete(created.arn);
    expect(await listeners.list(shop, never)).toEqual([]);
  });

  it('keep the default certificate first', async () => {
    const { listeners, shop } = trafficBench();
    const more = [certificateArn(2), certificateArn(3)];
    const tls = { port: 443, protocol: 'HTTPS', sslPolicy: POLICY, certificate: CERTIFICATE };
    const { arn, certificates } = await listeners.create(shop, { ...http, ...tls });
    expect(certificates).toEqual([CERTIFICATE]);
    for (const certificate of more) await listeners.addCertificate(arn, certificate);
    expect(await listeners.listCertificates(arn, never)).toEqual([CERTIFICATE, ...more]);
    const [second = '', third = ''] = more;
    await listeners.modify(arn, { certificate: third });
    await listeners.removeCertificate(arn, second);
    expect(await listeners.listCertificates(arn, never)).toEqual([third, third]);
    await listeners.modify(arn, { certificate: second });
    expect(await listeners.listCertificates(arn, never)).toEqual([second, third]);
  });

  it('of a balancer that is gone are absent', async () => {
    const { listeners, shop } = trafficBench();
    const gone = shop.replace(/.{16}$/, '0'.repeat(16));
    expect(await listeners.list(gone, never)).toBeUndefined();
  });

  it('on a port that is taken are a conflict', async () => {
    const { listeners, shop } = trafficBench();
    await listeners.create(shop, http);
    const other = { ...http, defaultAction: { kind: 'fixed-response', statusCode: 503 } } as const;
    await expect(listeners.create(shop, other)).rejects.toMatchObject({
      reason: 'DuplicateListener',
      message: expect.stringContaining('create listener on port 80 of load balancer') as string,
    });
  });
});

describe('rules', () => {
  const onPath = (path: string) => [{ field: 'path-pattern', values: [path] }] as const;

  it('are created, swapped in one call, modified in part, and deleted twice', async () => {
    const { listeners, rules, shop, sent } = trafficBench();
    const listener = await listeners.create(shop, http);
    const create = (priority: number) =>
      rules.create(listener.arn, {
        priority,
        conditions: onPath(`/${priority}`),
        action: notFound,
        tags,
      });
    const [first, second] = [await create(100), await create(200)];
    sent();
    await rules.setPriorities([
      { arn: first.arn, priority: 200 },
      { arn: second.arn, priority: 100 },
    ]);
    await rules.modify(first.arn, { conditions: onPath('/new') });
    const listed = await rules.list(listener.arn, never);
    expect(listed?.map(({ arn, priority }) => [arn, priority])).toEqual([
      [second.arn, 100],
      [first.arn, 200],
      [expect.any(String), 'default'],
    ]);
    expect(listed?.[1]).toMatchObject({ conditions: onPath('/new'), actions: [notFound] });
    expect(sent()).toEqual(['SetRulePriorities', 'ModifyRule', 'DescribeRules']);
    await rules.delete(first.arn);
    await rules.delete(first.arn);
    await rules.setPriorities([]);
    expect(sent()).toEqual(['DeleteRule', 'DeleteRule']);
  });

  it('of a priority that is taken are tried again later', async () => {
    const { listeners, rules, shop } = trafficBench();
    const { arn } = await listeners.create(shop, http);
    const rule = { priority: 1, conditions: onPath('/a'), action: notFound, tags };
    await rules.create(arn, rule);
    await expect(rules.create(arn, rule)).rejects.toMatchObject({
      reason: 'PriorityInUse',
      healedBy: 'time',
    });
  });

  it('beyond the quota name it', async () => {
    const limits = { 'rules-per-application-load-balancer': 1 };
    const { listeners, rules, shop } = trafficBench({ limits });
    const { arn } = await listeners.create(shop, http);
    const rule = { conditions: onPath('/a'), action: notFound, tags };
    await rules.create(arn, { ...rule, priority: 1 });
    await expect(rules.create(arn, { ...rule, priority: 2 })).rejects.toMatchObject({
      reason: 'QuotaExceeded',
      healedBy: 'person',
      message: expect.stringContaining(': TooManyRules: ') as string,
    });
  });
});

describe('tags', () => {
  it('of a balancer, a listener, a rule and a group are one call', async () => {
    const bench = trafficBench();
    const { listeners, rules, shop, clock } = bench;
    const [group] = await makeGroups(bench, 'api');
    const listener = await listeners.create(shop, http);
    const conditions = [{ field: 'path-pattern', values: ['/'] }] as const;
    const rule = await rules.create(listener.arn, {
      ...{ priority: 1, conditions, action: notFound },
      tags,
    });
    bench.sent();
    const arns = [shop, listener.arn, rule.arn, group?.arn ?? ''];
    const reading = Promise.all(arns.map((arn) => bench.tags.read(arn, never)));
    expect(await clock.finish(reading)).toEqual([{}, tags, tags, settings.tags]);
    expect(bench.sent()).toEqual(['DescribeTags']);
    await bench.tags.add([rule.arn, listener.arn], { a: 'b' });
    await bench.tags.remove([rule.arn], ['team']);
    expect(await clock.finish(bench.tags.read(rule.arn, never))).toEqual({
      'albridge.io/cluster': 'c1',
      a: 'b',
    });
  });

  it('of what is gone are absent, whatever it was, and spoil no neighbour', async () => {
    const bench = trafficBench();
    const [group] = await makeGroups(bench, 'api');
    const arns = [group?.arn ?? '', GONE, bench.shop];
    const reading = Promise.all(arns.map((arn) => bench.tags.read(arn, never)));
    expect(await bench.clock.finish(reading)).toEqual([settings.tags, undefined, {}]);
  });
});

it('logs every write when it is sent, with its input', async () => {
  const bench = trafficBench();
  await makeGroups(bench, 'api');
  expect(bench.log.shown).toEqual([
    expect.objectContaining({
      message: 'write to AWS',
      fields: expect.objectContaining({
        operation: 'CreateTargetGroup',
        subject: 'target group api',
        input: expect.objectContaining({ Name: 'api' }) as object,
      }) as object,
    }),
  ]);
});
