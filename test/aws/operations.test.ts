import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AwsApi } from '../../src/aws/client/aws-api.ts';
import { until } from '../surroundings/until.ts';
import { type AdapterUnderTest, adapterUnderTest, reasonOf } from './adapter.ts';
import { backendUnderTest, isMissing, itLikeAws } from './under-test.ts';

const signal = new AbortController().signal;

/** Every operation that albridge uses, as its adapter uses it. */
describe.skipIf(isMissing)('an operation of AWS', () => {
  let aws: AdapterUnderTest;
  let subnets: readonly string[];
  let groups: readonly string[];
  beforeAll(() => {
    aws = adapterUnderTest();
    ({ subnets, securityGroups: groups } = backendUnderTest().network);
  });
  afterAll(() => aws?.close());

  it('creates a balancer that is found by name and by ARN', async () => {
    const { account, region } = backendUnderTest();
    // AWS takes minutes to set one up.
    const code = account ? expect.stringMatching(/^(provisioning|active)$/) : 'active';
    const settings = aws.settings();
    const balancer = await aws.loadBalancers.create(settings);
    expect(balancer).toMatchObject({
      name: settings.name,
      type: 'application',
      scheme: 'internal',
      ipAddressType: 'ipv4',
      securityGroups: settings.securityGroups,
      vpcId: backendUnderTest().network.vpcId,
    });
    expect([...balancer.subnets].sort()).toEqual([...settings.subnets].sort());
    expect(balancer.arn).toMatch(
      new RegExp(
        `^arn:aws[\\w-]*:elasticloadbalancing:${region}:${account ? '\\d{12}' : '000000000000'}:loadbalancer/app/${settings.name}/\\w+$`,
      ),
    );
    expect(balancer.dns).toMatch(
      new RegExp(`^(internal-)?${settings.name}-\\d+\\.${region}\\.elb\\.amazonaws\\.com$`),
    );
    expect(balancer.hostedZoneId).toMatch(/^Z[A-Z0-9]+$/);
    for (const ref of [{ name: settings.name }, { arn: balancer.arn }]) {
      const found = await aws.loadBalancers.find(ref, signal);
      expect(found).toEqual({ ...balancer, state: { code } });
    }
  });

  it('reports a name, and an ARN, that do not exist as absent', async () => {
    const { arn } = await aws.created();
    const unknown = `${arn.slice(0, -6)}000000`;
    expect(await aws.loadBalancers.find({ name: aws.freshName() }, signal)).toBeUndefined();
    expect(await aws.loadBalancers.find({ arn: unknown }, signal)).toBeUndefined();
    expect(await reasonOf(aws.loadBalancers.addTags(unknown, { a: 'b' }))).toBe(
      'LoadBalancerNotFound',
    );
    expect(await reasonOf(aws.loadBalancers.setSubnets(unknown, subnets))).toBe(
      'LoadBalancerNotFound',
    );
  });

  it('sets subnets', async () => {
    const { arn } = await aws.created({ subnets: subnets.slice(0, 2) });
    await aws.loadBalancers.setSubnets(arn, subnets.slice(1));
    const seen = await aws.loadBalancers.find({ arn }, signal);
    expect([...(seen?.subnets ?? [])].sort()).toEqual(subnets.slice(1).sort());
  });

  it('sets security groups', async () => {
    const { arn } = await aws.created({ securityGroups: groups.slice(0, 1) });
    await aws.loadBalancers.setSecurityGroups(arn, groups);
    const seen = await aws.loadBalancers.find({ arn }, signal);
    expect([...(seen?.securityGroups ?? [])].sort()).toEqual([...groups].sort());
  });

  it('sets the IP address type', async ({ skip }) => {
    skip(backendUnderTest().account?.hasIpv6 === false, 'the subnets have no IPv6');
    const { arn } = await aws.created({ scheme: 'internet-facing' });
    await aws.loadBalancers.setIpAddressType(arn, 'dualstack');
    expect((await aws.loadBalancers.find({ arn }, signal))?.ipAddressType).toBe('dualstack');
  });

  itLikeAws(
    'address-type-without-public-ipv4',
    'knows the newest IP address type',
    async ({ skip }) => {
      skip(backendUnderTest().account?.hasIpv6 === false, 'the subnets have no IPv6');
      const { arn } = await aws.created({ scheme: 'internet-facing' });
      const setting = aws.loadBalancers.setIpAddressType(arn, 'dualstack-without-public-ipv4');
      expect(await reasonOf(setting)).toBe('none');
    },
  );

  it('sets attributes and reads them back', async () => {
    const { arn } = await aws.created();
    await aws.loadBalancers.setAttributes(arn, {
      'idle_timeout.timeout_seconds': '120',
      'routing.http2.enabled': 'false',
    });
    expect(await aws.loadBalancers.readAttributes(arn, signal)).toMatchObject({
      'idle_timeout.timeout_seconds': '120',
      'routing.http2.enabled': 'false',
      'deletion_protection.enabled': 'false',
    });
  });

  itLikeAws('attribute-defaults', 'gives every attribute a value from the start', async () => {
    const { arn } = await aws.created();
    const attributes = await aws.loadBalancers.readAttributes(arn, signal);
    expect(attributes).toMatchObject({
      'idle_timeout.timeout_seconds': '60',
      'client_keep_alive.seconds': '3600',
      'routing.http.desync_mitigation_mode': 'defensive',
      'zonal_shift.config.enabled': 'false',
    });
  });

  it('adds, changes, reads and removes tags', async () => {
    const { arn } = await aws.created();
    await aws.loadBalancers.addTags(arn, { team: 'shop', color: 'größe = 1/2 @ +x', empty: '' });
    expect(await aws.loadBalancers.readTags(arn, signal)).toEqual({
      team: 'shop',
      'albridge.io/cluster': 'c1',
      color: 'größe = 1/2 @ +x',
      empty: '',
    });
    await aws.loadBalancers.removeTags(arn, ['team', 'empty', 'never-was']);
    expect(await aws.loadBalancers.readTags(arn, signal)).toEqual({
      'albridge.io/cluster': 'c1',
      color: 'größe = 1/2 @ +x',
    });
  });

  it('deletes, proves absence, and deletes again without complaint', async () => {
    const { arn, name } = await aws.created();
    await aws.loadBalancers.delete(arn);
    expect(await aws.loadBalancers.find({ arn }, signal)).toBeUndefined();
    expect(await aws.loadBalancers.find({ name }, signal)).toBeUndefined();
    await aws.loadBalancers.delete(arn);
  });

  itLikeAws('tags-of-missing', 'has no tags of what is gone', async () => {
    const { arn } = await aws.created();
    await aws.loadBalancers.delete(arn);
    expect(await aws.loadBalancers.readTags(arn, signal)).toBeUndefined();
  });

  itLikeAws('deletion-protection', 'refuses to delete what is protected', async () => {
    const { arn } = await aws.created();
    await aws.loadBalancers.setAttributes(arn, { 'deletion_protection.enabled': 'true' });
    expect(await reasonOf(aws.loadBalancers.delete(arn))).toBe('DeletionBlocked');
    await aws.loadBalancers.setAttributes(arn, { 'deletion_protection.enabled': 'false' });
    await aws.loadBalancers.delete(arn);
  });

  itLikeAws('default-security-group', 'gives a balancer the default group', async () => {
    const { securityGroups: _, ...rest } = aws.settings();
    const balancer = await aws.loadBalancers.create(rest);
    expect(balancer.securityGroups).toHaveLength(1);
  });

  itLikeAws('default-scheme', 'makes a balancer internet-facing by default', async () => {
    const created = await aws.api.send('CreateLoadBalancer', {
      Name: aws.freshName(),
      Subnets: subnets.slice(0, 2),
    });
    expect(created.LoadBalancers?.[0]?.Scheme).toBe('internet-facing');
  });

  itLikeAws('internal-dns-name', 'names an internal balancer so', async () => {
    expect((await aws.created({ scheme: 'internal' })).dns).toMatch(/^internal-/);
  });

  itLikeAws('same-create-again', 'answers a repeated create with the same balancer', async () => {
    const settings = aws.settings();
    const creating = Array.from({ length: 5 }, () => aws.loadBalancers.create(settings));
    const arns = new Set((await Promise.all(creating)).map((balancer) => balancer.arn));
    // Two of one name would never let a listing of moto's come to its end.
    for (const arn of arns) await aws.loadBalancers.delete(arn);
    expect(arns.size).toBe(1);
  });

  itLikeAws('duplicate-name', 'refuses a create with other settings', async () => {
    const { name, arn } = await aws.created();
    const creating = aws.loadBalancers.create({ ...aws.settings(name), subnets });
    const reason = await reasonOf(creating);
    await aws.loadBalancers.delete(reason === 'none' ? (await creating).arn : arn);
    expect(reason).toBe('DuplicateName');
  });

  it('reads several balancers together, and one that is deleted', async () => {
    const balancers = await Promise.all([aws.created(), aws.created(), aws.created()]);
    const look = async (): Promise<readonly (string | undefined)[]> =>
      Promise.all(
        balancers.map(async ({ arn }) => (await aws.inventory.observe(arn, signal))?.name),
      );
    const names = balancers.map(({ name }) => name);
    expect(await look()).toEqual(names);
    await aws.loadBalancers.delete(balancers[1].arn);
    expect(await look()).toEqual([names[0], undefined, names[2]]);
  });

  it('lists the account with its tags', async () => {
    const balancers = await Promise.all([aws.created(), aws.created()]);
    const names = balancers.map(({ name }) => name);
    const restarted = adapterUnderTest();
    await restarted.inventory.refresh(new Set(names), signal);
    for (const { name, arn } of balancers) {
      expect(restarted.inventory.getCached(arn)).toMatchObject({
        observed: { loadBalancer: { name }, tags: aws.settings().tags },
      });
    }
    await restarted.close();
  });

  it('gives every balancer once, page by page', async () => {
    const mine = await Promise.all([aws.created(), aws.created(), aws.created()]);
    // LocalStack goes on from the name that a page ended with, and another test may have deleted that.
    const pages = await until('a listing to its end', () => listByTwo(aws.api));
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(2);
    const seen = pages.flat();
    expect(seen.filter((arn) => mine.some((one) => one.arn === arn)).sort()).toEqual(
      mine.map(({ arn }) => arn).sort(),
    );
  });
});

/** ARNs of the whole account, by pages. */
async function listByTwo(api: AwsApi): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let marker: string | undefined;
  do {
    const input = { PageSize: 2, ...(marker === undefined ? {} : { Marker: marker }) };
    const page = await api.send('DescribeLoadBalancers', input);
    pages.push((page.LoadBalancers ?? []).map((one) => one.LoadBalancerArn as string));
    marker = page.NextMarker;
  } while (marker !== undefined && pages.length < 500);
  return pages;
}
