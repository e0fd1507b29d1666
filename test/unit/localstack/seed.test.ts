import { DescribeSecurityGroupsCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { CreateLoadBalancerCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, test } from 'vitest';
import { POD_BLOCK } from '../../../localstack/pod-block.ts';
import { envLines, seedNetwork } from '../../../localstack/seed.ts';
import { serveAwsForTests } from './http/served-aws.ts';

const served = serveAwsForTests();
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

describe('the seeded network', () => {
  test('has subnets in three zones, a pair in one, and two security groups', async () => {
    const { subnets, sameZoneSubnets, articleSubnets, securityGroups, vpcId } = served.network;
    const zonesOf = async (ids: readonly string[]): Promise<number> => {
      const found = await served.ec2.send(new DescribeSubnetsCommand({ SubnetIds: [...ids] }));
      return new Set(found.Subnets?.map((subnet) => subnet.AvailabilityZone)).size;
    };
    const groups = await served.ec2.send(
      new DescribeSecurityGroupsCommand({ GroupIds: [...securityGroups] }),
    );

    expect(await zonesOf(subnets)).toBe(3);
    expect(new Set(sameZoneSubnets).size).toBe(2);
    expect(await zonesOf(sameZoneSubnets)).toBe(1);
    expect(articleSubnets).toEqual(['subnet-abc', 'subnet-def']);
    expect(served.network.exampleSecurityGroup).toBe('sg-abc');
    expect(await zonesOf(articleSubnets)).toBe(2);
    expect(groups.SecurityGroups).toMatchObject([{ VpcId: vpcId }, { VpcId: vpcId }]);
  });

  test('has a subnet for pods, in a zone of the balancers', async () => {
    const { subnets, articleSubnets, vpcId } = served.network;
    const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
    const { Subnets = [] } = await served.ec2.send(new DescribeSubnetsCommand({ Filters }));
    const zone = Subnets.find(({ CidrBlock }) => CidrBlock === POD_BLOCK)?.AvailabilityZone;
    for (const ids of [subnets, articleSubnets]) {
      const zones = Subnets.filter(({ SubnetId = '' }) => ids.includes(SubnetId));
      expect(zones.map(({ AvailabilityZone }) => AvailabilityZone)).toContain(zone);
    }
  });

  test('carries balancers of every kind', async () => {
    const { subnets, articleSubnets, securityGroups } = served.network;
    const create = (Name: string, input: object): Promise<unknown> =>
      served.elb.send(new CreateLoadBalancerCommand({ Name, Subnets: [...subnets], ...input }));

    await create('dual', { IpAddressType: 'dualstack', SecurityGroups: securityGroups });
    await create('inside', { Scheme: 'internal' });
    await create('article', { Subnets: articleSubnets });
    expect(served.server.control.snapshot().loadBalancers).toHaveLength(3);
  });

  test('is found again by a second run, which creates nothing', async () => {
    const before = served.server.control.snapshot();
    const again = await seedNetwork({ endpoint: served.server.url, credentials });
    const after = served.server.control.snapshot();

    expect(again).toEqual(served.network);
    expect({ ...after, now: 0 }).toEqual({ ...before, now: 0 });
    expect(
      Object.keys(served.server.control.counts()).filter((name) => !name.startsWith('Describe')),
    ).toEqual([]);
  });

  test('is completed after a run that died before attaching the gateway', async () => {
    served.server.control.reset();
    const effect = {
      kind: 'error',
      code: 'InternalFailure',
      status: 500,
      message: 'gone',
    } as const;
    served.server.control.addFault({ operation: 'AttachInternetGateway', times: 10, effect });
    await expect(seedNetwork({ endpoint: served.server.url, credentials })).rejects.toThrow('gone');
    served.server.control.clearFaults();
    await seedNetwork({ endpoint: served.server.url, credentials });

    const { vpcs, internetGateways } = served.server.control.snapshot();
    expect(vpcs).toHaveLength(1);
    expect(internetGateways).toMatchObject([{ attachedVpcId: expect.any(String) }]);
  });

  test('is printed as lines of an env file', () => {
    expect(
      envLines({
        vpcId: 'vpc-1',
        subnets: ['subnet-1', 'subnet-2'],
        sameZoneSubnets: [],
        articleSubnets: [],
        securityGroups: ['sg-1'],
        exampleSecurityGroup: 'sg-abc',
      }),
    ).toBe(
      'ALBRIDGE_VPC=vpc-1\nALBRIDGE_SUBNETS=subnet-1,subnet-2\nALBRIDGE_SAME_ZONE_SUBNETS=\nALBRIDGE_ARTICLE_SUBNETS=\nALBRIDGE_SECURITY_GROUPS=sg-1\n',
    );
  });
});
