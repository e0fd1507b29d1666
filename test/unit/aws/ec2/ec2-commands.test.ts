import * as sdk from '@aws-sdk/client-ec2';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { createEc2Command, ec2Service } from '../../../../src/aws/ec2/ec2-commands.ts';
import type { Ec2Messages, Ec2Operation } from '../../../../src/aws/ec2/operations.ts';
import { serveAwsForTests } from '../../localstack/http/served-aws.ts';
import { PLACES, requestOf, type SentRequest } from '../client/sent-requests.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const Tags = [{ Key: 'team', Value: 'web & co' }];
const IpPermissions = [
  { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
  {
    IpProtocol: '-1',
    Ipv6Ranges: [{ CidrIpv6: '::/0' }],
    PrefixListIds: [{ PrefixListId: 'pl-1' }],
  },
  { IpProtocol: 'tcp', UserIdGroupPairs: [{ GroupId: 'sg-1' }, { GroupId: 'sg-2' }] },
];

/** One with every member that albridge sends. */
const inputs: { readonly [Operation in Ec2Operation]: Ec2Messages[Operation][0] } = {
  DescribeSubnets: {
    SubnetIds: ['subnet-a', 'subnet-b'],
    Filters: [{ Name: 'tag:kubernetes.io/role/elb', Values: ['', '1'] }],
    MaxResults: 1000,
    NextToken: 'more',
  },
  DescribeSecurityGroups: {
    GroupIds: ['sg-1', 'sg-2'],
    Filters: [{ Name: 'tag:team', Values: ['web', 'api'] }],
    MaxResults: 1000,
    NextToken: 'more',
  },
  CreateSecurityGroup: {
    ...{ GroupName: 'web', Description: 'of web', VpcId: 'vpc-1' },
    TagSpecifications: [{ ResourceType: 'security-group', Tags }],
  },
  AuthorizeSecurityGroupIngress: { GroupId: 'sg-1', IpPermissions },
  RevokeSecurityGroupIngress: { GroupId: 'sg-1', IpPermissions },
  DeleteSecurityGroup: { GroupId: 'sg-1' },
  CreateTags: { Resources: ['sg-1', 'sg-2'], Tags },
  DeleteTags: { Resources: ['sg-1'], Tags },
};

/** With its parameters in one order. */
async function parametersOf(...args: Parameters<typeof requestOf>): Promise<SentParameters> {
  const { body, ...sent } = await requestOf(...args);
  const parameters = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...sent, parameters };
}

interface SentParameters extends Omit<SentRequest, 'body'> {
  readonly parameters: readonly (readonly [string, string])[];
}

function ours(options: object): ElasticLoadBalancingV2Client {
  return new ElasticLoadBalancingV2Client({ ...options, ...ec2Service } as object);
}

function theirs(options: object): sdk.EC2Client {
  return new sdk.EC2Client(options);
}

type Commands = Readonly<Record<string, new (input: object) => object>>;

function theirCommand(operation: Ec2Operation, input: object): object {
  const Command = (sdk as unknown as Commands)[`${operation}Command`];
  if (Command === undefined) throw new Error(`the SDK has no ${operation}`);
  return new Command(input);
}

describe('a request to EC2', () => {
  it.each(Object.entries(inputs))("is what the SDK's own client sends: %s", async (name, input) => {
    const operation = name as Ec2Operation;
    const expected = await parametersOf(theirs, theirCommand(operation, input));
    expect(await parametersOf(ours, createEc2Command(operation, input))).toEqual(expected);
    expect(expected.scope).toBe('eu-west-1/ec2/aws4_request');
  });

  it.each(PLACES)('goes where the SDK goes in %o', async (place) => {
    const input = { GroupId: 'sg-1' };
    const expected = await parametersOf(theirs, new sdk.DeleteSecurityGroupCommand(input), place);
    const command = createEc2Command('DeleteSecurityGroup', input);
    expect((await parametersOf(ours, command, place)).to).toBe(expected.to);
  });
});

describe('an answer of EC2', () => {
  const served = serveAwsForTests();
  const send = (operation: Ec2Operation, input: object): Promise<object> => {
    const place = { region: 'us-east-1', endpoint: served.server.url };
    const client = ours({ ...place, credentials, maxAttempts: 1 });
    return client.send(createEc2Command(operation, input) as never);
  };

  it("has what the SDK's own client reads", async () => {
    const group = { GroupName: 'web', Description: 'of web', VpcId: served.network.vpcId };
    const TagSpecifications = [{ ResourceType: 'security-group' as const, Tags }];
    const made = (await send('CreateSecurityGroup', { ...group, TagSpecifications })) as {
      readonly GroupId: string;
    };
    const GroupIds = [made.GroupId];
    const ingress = IpPermissions.slice(0, 1);
    await send('AuthorizeSecurityGroupIngress', { ...made, IpPermissions: ingress });
    const [read] = (await served.ec2.send(new sdk.DescribeSecurityGroupsCommand({ GroupIds })))
      .SecurityGroups as [sdk.SecurityGroup];
    const answer = (await send('DescribeSecurityGroups', { GroupIds })) as {
      readonly SecurityGroups: readonly [Record<string, unknown>];
    };
    const [own] = answer.SecurityGroups;
    expect(own).toMatchObject({ ...group, Tags, IpPermissions: ingress });
    expect(read).toMatchObject(own);
  });

  it('that is an error has the code of EC2', async () => {
    await expect(send('DeleteSecurityGroup', { GroupId: 'sg-0' })).rejects.toMatchObject({
      name: expect.stringMatching(/^InvalidGroup/) as string,
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
    });
  });
});
