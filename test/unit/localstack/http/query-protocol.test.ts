import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AwsFault } from '../../../../localstack/embedded/http/aws-fault.ts';
import { inputFromQuery } from '../../../../localstack/embedded/http/query-input.ts';
import { parseQuery } from '../../../../localstack/embedded/http/query-parser.ts';
import {
  EC2_SPELLING,
  QUERY_SPELLING,
  writeFields,
} from '../../../../localstack/embedded/http/xml-writer.ts';
import type { ServiceName } from '../../../../localstack/embedded/operations.ts';

const inputOf = (service: ServiceName, query: string): unknown =>
  inputFromQuery(service, parseQuery(new URLSearchParams(query)));

interface QueryCase {
  readonly service: ServiceName;
  readonly query: string;
  readonly input: object;
  readonly why: string;
}

const QUERIES: Readonly<Record<string, QueryCase>> = {
  'lists of structures': {
    service: 'elasticloadbalancing',
    query: 'Tags.member.1.Key=a&Tags.member.1.Value=1&Tags.member.2.Key=b',
    input: { Tags: [{ Key: 'a', Value: '1' }, { Key: 'b' }] },
    why: 'members are numbered from 1',
  },
  'lists out of order': {
    service: 'elasticloadbalancing',
    query: 'Names.member.10=c&Names.member.2=b&Names.member.1=a',
    input: { Names: ['a', 'b', 'c'] },
    why: 'numbers order a list, not their place in the body or their spelling',
  },
  'empty lists': {
    service: 'elasticloadbalancing',
    query: 'SecurityGroups=&Name=',
    input: { SecurityGroups: [], Name: '' },
    why: 'SDKs write an empty list as an empty value',
  },
  numbers: {
    service: 'elasticloadbalancing',
    query: 'PageSize=20&Name=20',
    input: { PageSize: 20, Name: '20' },
    why: 'only fields that the model declares as integers',
  },
  'values of structures in lists': {
    service: 'elasticloadbalancing',
    query:
      'Targets.member.1.Id=10.0.0.1&Targets.member.1.Port=80&Actions.member.1.ForwardConfig.TargetGroups.member.1.Weight=5&Actions.member.1.ForwardConfig.TargetGroupStickinessConfig.Enabled=true',
    input: {
      Targets: [{ Id: '10.0.0.1', Port: 80 }],
      Actions: [
        {
          ForwardConfig: {
            TargetGroups: [{ Weight: 5 }],
            TargetGroupStickinessConfig: { Enabled: true },
          },
        },
      ],
    },
    why: 'numbers and booleans at any depth',
  },
  'the port of a redirect': {
    service: 'elasticloadbalancing',
    query:
      'Port=80&Actions.member.1.RedirectConfig.Port=443&Actions.member.1.RedirectConfig.Host=a.b',
    input: { Port: 80, Actions: [{ RedirectConfig: { Host: 'a.b', Port: '443' } }] },
    why: 'it is text, since it may be a placeholder',
  },
  "EC2's permissions": {
    service: 'ec2',
    query:
      'GroupId=sg-1&IpPermissions.1.IpProtocol=tcp&IpPermissions.1.FromPort=80&IpPermissions.1.Groups.1.GroupId=sg-2&IpPermissions.1.IpRanges.1.CidrIp=10.0.0.0/8&IpPermissions.1.IpRanges.1.Description=d&SecurityGroupRuleId.1=sgr-1',
    input: {
      GroupId: 'sg-1',
      IpPermissions: [
        {
          IpProtocol: 'tcp',
          FromPort: 80,
          UserIdGroupPairs: [{ GroupId: 'sg-2' }],
          IpRanges: [{ CidrIp: '10.0.0.0/8', Description: 'd' }],
        },
      ],
      SecurityGroupRuleIds: ['sgr-1'],
    },
    why: 'groups are named otherwise in the SDK',
  },
  "EC2's flat lists": {
    service: 'ec2',
    query:
      'Filter.1.Name=tag:Name&Filter.1.Value.1=a&Filter.1.Value.2=b&SubnetId.1=subnet-a&MaxResults=5',
    input: {
      Filters: [{ Name: 'tag:Name', Values: ['a', 'b'] }],
      SubnetIds: ['subnet-a'],
      MaxResults: 5,
    },
    why: 'EC2 names lists after their members',
  },
  "EC2's single values": {
    service: 'ec2',
    query:
      'VpcId=vpc-1&AmazonProvidedIpv6CidrBlock=true&GroupDescription=d&TagSpecification.1.ResourceType=vpc&TagSpecification.1.Tag.1.Key=k&TagSpecification.1.Tag.1.Value=v',
    input: {
      VpcId: 'vpc-1',
      AmazonProvidedIpv6CidrBlock: true,
      Description: 'd',
      TagSpecifications: [{ ResourceType: 'vpc', Tags: [{ Key: 'k', Value: 'v' }] }],
    },
    why: 'the same wire name is a list or a value',
  },
};

describe('a query', () => {
  test.for(Object.entries(QUERIES))('holds %s', ([, { service, query, input, why }]) => {
    expect(inputOf(service, `Action=X&Version=1&${query}`), why).toEqual(input);
  });

  const malformed: Readonly<Record<string, string>> = {
    'a field given twice': 'Name=a&Name=b',
    'a value that is a structure too': 'Tags=a&Tags.member.1.Key=b',
    'a structure that is a value too': 'Tags.member.1.Key=b&Tags=a',
    'an empty step': 'Tags..Key=a',
    'endless depth': `${'a.'.repeat(50)}a=1`,
  };
  test.for(Object.entries(malformed))('with %s is refused', ([, query]) => {
    expect(() => inputOf('elasticloadbalancing', query)).toThrow(
      expect.objectContaining({ code: 'MalformedQueryString', status: 404 }),
    );
  });

  test('never reaches the prototype of anything', () => {
    inputOf('elasticloadbalancing', '__proto__.polluted=1&constructor.prototype.polluted=1');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('of any kind is parsed or refused, and never crashes', () => {
    const part = fc.constantFrom('Tags', 'member', '1', '2', '0', 'Key', '__proto__', '');
    const field = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.array(fc.tuple(field, fc.string())), (pairs) => {
        try {
          inputFromQuery('elasticloadbalancing', parseQuery(new URLSearchParams(pairs)));
        } catch (error) {
          expect(error).toBeInstanceOf(AwsFault);
        }
      }),
    );
  });
});

describe('an answer', () => {
  test('is spelled by the rules of its service', () => {
    const output = { Vpcs: [{ VpcId: 'vpc-1', IsDefault: false, Tags: [] }], NextToken: undefined };
    expect(writeFields(output, EC2_SPELLING)).toBe(
      '<vpcSet><item><vpcId>vpc-1</vpcId><isDefault>false</isDefault><tagSet/></item></vpcSet>',
    );
    expect(writeFields({ Limits: [{ Max: 3, At: new Date(0) }] }, QUERY_SPELLING)).toBe(
      '<Limits><member><Max>3</Max><At>1970-01-01T00:00:00.000Z</At></member></Limits>',
    );
  });

  test('escapes what XML reserves and drops what it cannot hold', () => {
    expect(writeFields({ Message: `<a & "b">\u0000 'ü' 😀\r` }, QUERY_SPELLING)).toBe(
      '<Message>&lt;a &amp; &quot;b&quot;&gt; &apos;ü&apos; 😀&#13;</Message>',
    );
  });
});
