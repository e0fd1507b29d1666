import { describe, expect, it } from 'vitest';
import { OPERATIONS, type ServiceName } from '../../../localstack/embedded/operations.ts';
import { makeCertificate } from '../../fakes/certificate.ts';
import {
  call,
  createBalancer,
  emptyModel,
  type ModelUnderTest,
  seededModel,
} from '../../unit/localstack/seeded-model.ts';
import { createListener } from '../../unit/localstack/traffic/traffic-model.ts';
import type { RelayedAnswer } from '../relay.ts';
import { isMissing } from '../under-test.ts';
import { answerOf } from './answer-of.ts';
import { loadServiceModel } from './service-model.ts';

type Call = readonly [operation: string, input: object];

const named = (ResourceType: string, Value: string): object => ({
  TagSpecifications: [{ ResourceType, Tags: [{ Key: '_custom_id_', Value }] }],
});

/** Refused by each operation of EC2: a filter that does not exist, tags of another kind, nothing that it requires. */
const BAD = { Filters: [{ Name: 'none', Values: [] }], ...named('instance', 'i-1') };

const EC2_DESCRIBES: readonly Call[] = served('ec2')
  .filter((name) => name.startsWith('Describe'))
  .map((name) => [name, {}]);

/** In the network of `seededModel`. */
const ec2Calls = (ipv6: string): readonly Call[] => [
  ...served('ec2').map((name): Call => [name, BAD]),
  ['CreateVpc', { CidrBlock: '10.9.0.0/16', ...named('vpc', 'vpc-x') }],
  [
    'CreateSubnet',
    { VpcId: 'vpc-main', CidrBlock: '10.0.9.0/24', Ipv6CidrBlock: ipv6, ...named('subnet', 's-x') },
  ],
  ['CreateInternetGateway', named('internet-gateway', 'igw-x')],
  ['AttachInternetGateway', { InternetGatewayId: 'igw-x', VpcId: 'vpc-x' }],
  [
    'CreateSecurityGroup',
    { VpcId: 'vpc-x', GroupName: 'x', Description: 'x', ...named('security-group', 'sg-x') },
  ],
  ['CreateTags', { Resources: ['sg-x', 'vpc-x'], Tags: [{ Key: 'a<&"', Value: '' }] }],
  ['AuthorizeSecurityGroupIngress', ingress('sg-x')],
  ...Array.from({ length: 5 }, (): Call => ['CreateVpc', { CidrBlock: '10.8.0.0/16' }]),
  ...Array.from({ length: 5 }, (): Call => ['CreateInternetGateway', {}]),
  ...EC2_DESCRIBES,
  ...EC2_DESCRIBES.map(([name]): Call => [name, { MaxResults: 5 }]),
  ['RevokeSecurityGroupIngress', ingress('sg-x')],
  ['DeleteTags', { Resources: ['sg-x'] }],
  ['DeleteSecurityGroup', { GroupId: 'sg-x' }],
  ['DeleteSubnet', { SubnetId: 's-x' }],
  ['DetachInternetGateway', { InternetGatewayId: 'igw-x', VpcId: 'vpc-x' }],
  ['DeleteInternetGateway', { InternetGatewayId: 'igw-x' }],
  ['DeleteVpc', { VpcId: 'vpc-x' }],
];

/**
 * The value is not in the model's enum, but in its words and those of
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InternetGatewayAttachment.html.
 */
const AS_DOCUMENTED =
  'DescribeInternetGateways.internetGatewaySet.attachmentSet.state is none of its values: available';

describe.skipIf(isMissing)("the embedded stand-in's EC2", () => {
  it('answers as the model allows, with all members but these', async () => {
    const model = await loadServiceModel('ec2/2016-11-15');
    const world = seededModel({ prefixListEntries: 1 });
    const [main] = call(world.aws, 'DescribeVpcs', { VpcIds: ['vpc-main'] })['Vpcs'];
    const ipv6 = main.Ipv6CidrBlockAssociationSet[0].Ipv6CidrBlock.replace('00::/56', '09::/64');
    const answers = [...play(emptyModel(), EC2_DESCRIBES), ...play(world, ec2Calls(ipv6))];
    const faults = answers.flatMap((answer) => model.faultsOf(answer));
    const kinds = new Set(faults.map((fault) => fault.replace(/\[\d+\]/g, '')));
    expect([...kinds]).toEqual([AS_DOCUMENTED]);
    expect(waysOf(answers)).toEqual(bothWaysOf('ec2'));
    expect(model.unseen).toEqual({
      AvailabilityZone: [
        ...['ParentZoneName', 'ParentZoneId', 'GroupLongName', 'Geography', 'SubGeography'],
      ],
      ReferencedSecurityGroup: ['PeeringStatus', 'VpcId', 'VpcPeeringConnectionId'],
      RevokeSecurityGroupIngressResult: ['UnknownIpPermissions'],
      Subnet: [
        ...['EnableLniAtDeviceIndex', 'MapCustomerOwnedIpOnLaunch', 'CustomerOwnedIpv4Pool'],
        ...['OutpostArn', 'EnableDns64', 'Ipv6Native', 'PrivateDnsNameOptionsOnLaunch'],
        ...['BlockPublicAccessStates', 'Type'],
      ],
      SubnetCidrBlockState: ['StatusMessage'],
      SubnetIpv6CidrBlockAssociation: ['Ipv6AddressAttribute', 'IpSource'],
      UserIdGroupPair: ['GroupName', 'VpcId', 'VpcPeeringConnectionId', 'PeeringStatus'],
      Vpc: ['EncryptionControl', 'BlockPublicAccessStates'],
      VpcCidrBlockState: ['StatusMessage'],
      VpcIpv6CidrBlockAssociation: [
        ...['NetworkBorderGroup', 'Ipv6Pool', 'Ipv6AddressAttribute', 'IpSource'],
      ],
    });
  });

  it('is held to the model', async () => {
    const model = await loadServiceModel('ec2/2016-11-15');
    const faultsOf = (operation: string, inner: string): readonly string[] => {
      const body = `<${operation}Response><requestId>r</requestId>${inner}</${operation}Response>`;
      return model.faultsOf({ operation, status: 200, body });
    };
    const vpc = (inner: string): string => `<vpcSet><item>${inner}</item></vpcSet>`;
    const good = vpc('<state>available</state><isDefault>true</isDefault>');
    expect(faultsOf('DescribeVpcs', good)).toEqual([]);
    const bad = [
      ...['<Vpcs/>', '<vpcSet>x</vpcSet>', '<vpcSet><member/></vpcSet>', '<return>true</return>'],
      ...['<VpcId/>', '<isDefault>yes</isDefault>', '<state>there</state>'].map(vpc),
    ];
    for (const inner of bad) expect(faultsOf('DescribeVpcs', inner), inner).toHaveLength(1);
    expect(faultsOf('DeleteVpc', '<return>true</return>')).toEqual([]);
    expect(faultsOf('DeleteVpc', '<vpcId>vpc-1</vpcId>')).toHaveLength(1);
  });
});

describe.skipIf(isMissing)("the embedded stand-in's ACM", () => {
  it('answers as the model allows, with all members but these', async () => {
    const model = await loadServiceModel('acm/2015-12-08');
    const world = seededModel({ provisioningMs: 0 });
    const { aws, clock } = world;
    const [rsa, ecdsa] = [
      await contentOf(clock.now(), 'RSA'),
      await contentOf(clock.now(), 'ECDSA'),
    ];
    const CertificateArn = call(aws, 'ImportCertificate', rsa)['CertificateArn'];
    const used = call(aws, 'ImportCertificate', ecdsa)['CertificateArn'];
    createListener(aws, createBalancer(aws, 'shop')['LoadBalancerArn'], {
      ...{ Protocol: 'HTTPS', Port: 443, Certificates: [{ CertificateArn: used }] },
    });
    const lists: readonly Call[] = [
      ['ListCertificates', {}],
      ['ListCertificates', { Includes: { keyTypes: ['EC_prime256v1', 'RSA_2048'] }, MaxItems: 1 }],
      ['ListCertificates', { Includes: { keyTypes: ['EC_prime256v1'] } }],
      ['ListCertificates', { CertificateStatuses: ['EXPIRED'] }],
      ['DescribeCertificate', { CertificateArn }],
      ['DescribeCertificate', { CertificateArn: used }],
    ];
    const answers = [
      ...play(emptyModel(), lists.slice(0, 1)),
      ...play(world, [
        ['ImportCertificate', { ...rsa, CertificateArn }],
        ['ImportCertificate', { ...rsa, Tags: [{ Key: 'a' }] }],
        ...acmRefusals(rsa, used),
        ...lists,
      ]),
    ];
    clock.advance(DAY_MS);
    answers.push(...play(world, [...lists, ['DeleteCertificate', { CertificateArn }]]));
    expect(answers.flatMap((answer) => model.faultsOf(answer))).toEqual([]);
    expect(waysOf(answers)).toEqual(bothWaysOf('acm'));
    expect(model.unseen).toEqual({
      CertificateDetail: [
        ...['ManagedBy', 'DomainValidationOptions', 'IssuedAt', 'RevokedAt', 'RevocationReason'],
        ...['SignatureAlgorithm', 'FailureReason', 'RenewalSummary', 'KeyUsages'],
        ...['ExtendedKeyUsages', 'CertificateAuthorityArn', 'Options'],
      ],
      CertificateSummary: [
        ...['KeyUsages', 'ExtendedKeyUsages', 'ExportOption', 'Exported', 'IssuedAt'],
        ...['RevokedAt', 'ManagedBy'],
      ],
    });
  });

  it('is held to the model', async () => {
    const model = await loadServiceModel('acm/2015-12-08');
    const faultsOf = (member: object): readonly string[] => {
      const body = JSON.stringify({ CertificateSummaryList: [member] });
      return model.faultsOf({ operation: 'ListCertificates', status: 200, body });
    };
    expect(faultsOf({ InUse: true, NotAfter: 1.5, Type: 'IMPORTED', KeyUsages: [] })).toEqual([]);
    const bad = [
      ...[{ InUse: 'true' }, { InUse: null }, { NotAfter: '2026-01-01T00:00:00Z' }],
      ...[{ Type: 'BOUGHT' }, { Type: 1 }, { KeyUsages: 'ANY' }, { Users: [] }],
    ];
    for (const member of bad) expect(faultsOf(member), JSON.stringify(member)).toHaveLength(1);
    const refuse = (operation: string): readonly string[] => {
      const body = JSON.stringify({ __type: 'ResourceInUseException' });
      return model.faultsOf({ operation, status: 400, body });
    };
    expect(refuse('DeleteCertificate')).toEqual([]);
    expect(refuse('ImportCertificate')).toHaveLength(1);
  });
});

const DAY_MS = 86_400_000;

async function contentOf(nowMs: number, algorithm: 'RSA' | 'ECDSA') {
  const [notBefore, notAfter] = [new Date(nowMs - 1000), new Date(nowMs + DAY_MS / 2)];
  const made = await makeCertificate(['example.com'], { algorithm, notBefore, notAfter });
  const [Certificate, PrivateKey] = [made.certificate, made.privateKey].map((pem) =>
    Buffer.from(pem),
  );
  return { Certificate, PrivateKey, CertificateChain: Certificate };
}

/** `used`: the ARN of a certificate that a listener has. */
function acmRefusals(content: object, used: string): readonly Call[] {
  const missing = { CertificateArn: used.replace(/.{12}$/, '000000000000') };
  const malformed = { CertificateArn: 'arn:aws:iam::1:server-certificate/x' };
  const tags = Array.from({ length: 51 }, (_, index) => ({ Key: `k${index}` }));
  const badTags = [[], [{}], tags, [{ Key: 'a' }, { Key: 'a' }], [{ Key: 'aws:a' }]];
  return [
    ['ImportCertificate', {}],
    ['ImportCertificate', { ...content, Certificate: Buffer.from('x') }],
    ['ImportCertificate', { ...content, CertificateArn: used, Tags: [{ Key: 'a' }] }],
    ...badTags.map((Tags): Call => ['ImportCertificate', { ...content, Tags }]),
    ...[missing, malformed, {}].flatMap((input): Call[] => [
      ['ImportCertificate', { ...content, CertificateArn: '', ...input }],
      ['DescribeCertificate', input],
      ['DeleteCertificate', input],
    ]),
    ['DeleteCertificate', { CertificateArn: used }],
    ['ListCertificates', { MaxItems: 0 }],
    ['ListCertificates', { SortBy: 'CREATED_AT' }],
  ];
}

/** Rules of each protocol from each kind of source. */
function ingress(GroupId: string): object {
  const Description = 'd';
  const sources = {
    IpRanges: [{ CidrIp: '10.0.0.0/8', Description }],
    Ipv6Ranges: [{ CidrIpv6: '::/0', Description }],
    UserIdGroupPairs: [{ GroupId, Description }],
    PrefixListIds: [{ PrefixListId: 'pl-1', Description }],
  };
  const ranges = [{ IpProtocol: 'tcp', FromPort: 1, ToPort: 2 }, { IpProtocol: '-1' }];
  return { GroupId, IpPermissions: ranges.map((range) => ({ ...range, ...sources })) };
}

function play({ aws, clock }: ModelUnderTest, calls: readonly Call[]): RelayedAnswer[] {
  return calls.map(([operation, input]) => {
    clock.advance(1);
    return answerOf(aws, operation, input);
  });
}

function served(service: ServiceName): readonly string[] {
  return [...OPERATIONS.values()].filter((one) => one.service === service).map(({ name }) => name);
}

/** Every operation of the stand-in, so that none is added without a call here. */
function bothWaysOf(service: ServiceName): readonly string[] {
  return served(service)
    .flatMap((name) => [`${name} accepted`, `${name} refused`])
    .sort();
}

function waysOf(answers: readonly RelayedAnswer[]): readonly string[] {
  const ways = answers.map(({ operation, status }) => {
    return `${operation} ${status < 300 ? 'accepted' : 'refused'}`;
  });
  return [...new Set(ways)].sort();
}
