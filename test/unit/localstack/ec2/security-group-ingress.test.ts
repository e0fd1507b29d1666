import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { type Answer, call, createBalancer, outcomeOf, seededModel } from '../seeded-model.ts';
import { expectRefusal, type Refusal } from '../traffic/traffic-model.ts';

const tcp = (from: number, to: number, sources: object): object => ({
  ...{ IpProtocol: 'tcp', FromPort: from, ToPort: to, ...sources },
});
const from4 = (...blocks: string[]): object => ({ IpRanges: blocks.map((CidrIp) => ({ CidrIp })) });
const from6 = (...blocks: string[]): object => ({
  ...{ Ipv6Ranges: blocks.map((CidrIpv6) => ({ CidrIpv6 })) },
});

function authorize(aws: EmbeddedAws, ...IpPermissions: object[]): Answer {
  return call(aws, 'AuthorizeSecurityGroupIngress', { GroupId: 'sg-web', IpPermissions });
}

function permissionsOf(aws: EmbeddedAws, id = 'sg-web'): Answer[] {
  return call(aws, 'DescribeSecurityGroups', { GroupIds: [id] })['SecurityGroups'][0].IpPermissions;
}

const refused: Readonly<Record<string, Refusal & { readonly permission: object }>> = {
  'a block that is none': {
    permission: tcp(80, 80, from4('10.0.0.0/33')),
    code: 'InvalidParameterValue',
    message: 'CIDR block 10.0.0.0/33 is malformed',
    why: 'prefixes end at 32',
  },
  'an IPv6 block that is none': {
    permission: tcp(80, 80, from6('10.0.0.0/8')),
    code: 'InvalidParameterValue',
    why: 'another family',
  },
  'ports the wrong way round': {
    permission: tcp(81, 80, from4('10.0.0.0/8')),
    code: 'InvalidParameterValue',
    why: 'from is not above to',
  },
  'TCP without ports': {
    permission: { IpProtocol: 'tcp', ...from4('10.0.0.0/8') },
    code: 'InvalidParameterValue',
    why: 'both are needed',
  },
  'ICMP without a type': {
    permission: { IpProtocol: 'icmp', ...from4('10.0.0.0/8') },
    code: 'InvalidParameterValue',
    why: 'type and code are needed, as ports are',
  },
  'one code of all types of ICMP': {
    permission: { IpProtocol: 'icmp', FromPort: -1, ToPort: 0, ...from4('10.0.0.0/8') },
    code: 'InvalidParameterValue',
    why: 'all types have all codes',
  },
  'no protocol': { permission: from4('10.0.0.0/8'), code: 'MissingParameter', why: 'required' },
  'an unknown protocol': {
    permission: { IpProtocol: 'quic', ...from4('10.0.0.0/8') },
    code: 'InvalidParameterValue',
    why: 'names or numbers',
  },
  'no source': { permission: tcp(80, 80, {}), code: 'MissingParameter', why: 'whom?' },
  'a group that is not there': {
    permission: tcp(80, 80, { UserIdGroupPairs: [{ GroupId: 'sg-x' }] }),
    code: 'InvalidGroup.NotFound',
    why: 'nobody made it',
  },
  'a prefix list that cannot be': {
    permission: tcp(80, 80, { PrefixListIds: [{ PrefixListId: 'x' }] }),
    code: 'InvalidPrefixListId.Malformed',
    why: 'pl- and digits',
  },
  'a description with an apostrophe': {
    permission: tcp(80, 80, { IpRanges: [{ CidrIp: '10.0.0.0/8', Description: "it's" }] }),
    code: 'InvalidParameterValue',
    why: 'not among the characters',
  },
};

describe('AuthorizeSecurityGroupIngress', () => {
  test('adds one rule for each source and shows those of the same ports together', () => {
    const { aws } = seededModel();
    const described = { CidrIp: '0.0.0.0/0', Description: 'everybody' };
    const web = tcp(80, 80, { IpRanges: [described], ...from6('::/0') });
    const answer = authorize(aws, web, tcp(443, 443, from4('10.0.0.0/8')));
    expect(answer).toMatchObject({
      Return: true,
      SecurityGroupRules: [
        {
          GroupId: 'sg-web',
          IpProtocol: 'tcp',
          FromPort: 80,
          CidrIpv4: '0.0.0.0/0',
          IsEgress: false,
        },
        { CidrIpv6: '::/0' },
        { FromPort: 443, ToPort: 443, CidrIpv4: '10.0.0.0/8' },
      ],
    });
    expect(permissionsOf(aws)).toEqual([
      {
        ...{ IpProtocol: 'tcp', FromPort: 80, ToPort: 80, UserIdGroupPairs: [], PrefixListIds: [] },
        IpRanges: [described],
        Ipv6Ranges: [{ CidrIpv6: '::/0' }],
      },
      {
        ...{ IpProtocol: 'tcp', FromPort: 443, ToPort: 443, UserIdGroupPairs: [] },
        ...{ PrefixListIds: [], Ipv6Ranges: [] },
        IpRanges: [{ CidrIp: '10.0.0.0/8' }],
      },
    ]);
  });

  test.each([
    ['100.68.0.18/18', '100.68.0.0/18'],
    ['10.0.0.1/32', '10.0.0.1/32'],
    ['1.2.3.4/0', '0.0.0.0/0'],
  ])('makes %s canonical: %s', (given, canonical) => {
    const { aws } = seededModel();
    authorize(aws, tcp(80, 80, from4(given)));
    expect(permissionsOf(aws)).toMatchObject([from4(canonical)]);
  });

  test.each([
    ['2001:DB8:0:0:0:0:0:1/32', '2001:db8::/32'],
    ['::1/128', '::1/128'],
    ['2001:db8::ffff/0', '::/0'],
    ['2001:db8:1:2:3:4:5:6/61', '2001:db8:1::/61'],
  ])('makes %s canonical: %s', (given, canonical) => {
    const { aws } = seededModel();
    authorize(aws, tcp(80, 80, from6(given)));
    expect(permissionsOf(aws)).toMatchObject([from6(canonical)]);
  });

  test('refuses a rule that is there, whatever its description and spelling', () => {
    const { aws } = seededModel();
    authorize(aws, tcp(80, 80, from4('10.0.0.0/8')));
    const again = { IpProtocol: '6', FromPort: 80, ToPort: 80 };
    const IpRanges = [{ CidrIp: '10.1.0.0/8', Description: 'again' }];
    const IpPermissions = [tcp(81, 81, from4('10.0.0.0/8')), { ...again, IpRanges }];
    expectRefusal(aws, ['AuthorizeSecurityGroupIngress', { GroupId: 'sg-web', IpPermissions }], {
      code: 'InvalidPermission.Duplicate',
      message:
        'the specified rule "peer: 10.0.0.0/8, TCP, from port: 80, to port: 80, ALLOW" already exists',
      why: 'protocol, ports and source are the same',
    });
  });

  test('counts rules of IPv4 and IPv6 apart up to 60, those of groups with both', () => {
    const { aws } = seededModel();
    const blocks = (count: number, at = 0): string[] =>
      Array.from({ length: count }, (_, index) => `10.0.${at}.${index}/32`);
    authorize(aws, tcp(80, 80, from4(...blocks(60))));
    authorize(aws, tcp(80, 80, from6(...blocks(59).map((_, index) => `2001:db8::${index}/128`))));
    const input = (...IpPermissions: object[]): object => ({ GroupId: 'sg-web', IpPermissions });
    expectRefusal(
      aws,
      ['AuthorizeSecurityGroupIngress', input(tcp(80, 80, from4(...blocks(1, 1))))],
      {
        code: 'RulesPerSecurityGroupLimitExceeded',
        why: '60 is the quota',
      },
    );
    const pair = { UserIdGroupPairs: [{ GroupId: 'sg-admin' }] };
    expectRefusal(aws, ['AuthorizeSecurityGroupIngress', input(tcp(80, 80, pair))], {
      code: 'RulesPerSecurityGroupLimitExceeded',
      why: 'a group counts for both families',
    });
    authorize(aws, tcp(80, 80, from6('2001:db8:1::/48')));
  });

  test('counts a prefix list as its maximum number of entries', () => {
    const { aws } = seededModel();
    const list = { PrefixListIds: [{ PrefixListId: 'pl-0123456789abcdef0' }] };
    authorize(aws, tcp(80, 80, list));
    const input = { GroupId: 'sg-web', IpPermissions: [tcp(443, 443, list)] };
    expectRefusal(aws, ['AuthorizeSecurityGroupIngress', input], {
      code: 'RulesPerSecurityGroupLimitExceeded',
      why: '55 on each port, and 60 is the quota',
    });
    aws.control.changeSettings({ prefixListEntries: 30 });
    authorize(aws, tcp(443, 443, list));
  });

  test.each(Object.entries(refused))('refuses %s, and the good ones of the call', (_, row) => {
    const { permission, ...refusal } = row;
    const { aws } = seededModel();
    const IpPermissions = [tcp(80, 80, from4('10.9.0.0/16')), permission];
    const input = { GroupId: 'sg-web', IpPermissions };
    expectRefusal(aws, ['AuthorizeSecurityGroupIngress', input], refusal);
  });

  test('refuses a group that is gone, no permissions, and the form with single fields', () => {
    const { aws } = seededModel();
    const good = { IpPermissions: [tcp(80, 80, from4('10.0.0.0/8'))] };
    const cases: readonly (readonly [object, string])[] = [
      [{ ...good, GroupId: 'sg-x' }, 'InvalidGroup.NotFound'],
      [{ ...good, GroupName: 'web' }, 'MissingParameter'],
      [{ GroupId: 'sg-web' }, 'MissingParameter'],
      [{ GroupId: 'sg-web', CidrIp: '10.0.0.0/8', IpProtocol: 'tcp' }, 'InvalidParameterValue'],
    ];
    for (const [input, code] of cases) {
      expect(outcomeOf(aws, 'AuthorizeSecurityGroupIngress', input)).toBe(code);
    }
  });
});

describe('RevokeSecurityGroupIngress', () => {
  test('takes rules away by what they are and by their ids', () => {
    const { aws } = seededModel();
    const { SecurityGroupRules } = authorize(
      aws,
      tcp(80, 80, from4('10.0.0.0/8', '172.16.0.0/12')),
      tcp(443, 443, { UserIdGroupPairs: [{ GroupId: 'sg-admin' }] }),
    );
    const IpPermissions = [tcp(80, 80, from4('10.5.0.0/8'))];
    const answer = call(aws, 'RevokeSecurityGroupIngress', { GroupId: 'sg-web', IpPermissions });
    expect(answer).toMatchObject({
      Return: true,
      RevokedSecurityGroupRules: [{ CidrIpv4: '10.0.0.0/8', FromPort: 80 }],
    });
    const ids = SecurityGroupRules.slice(1).map(
      (rule: { SecurityGroupRuleId: string }) => rule.SecurityGroupRuleId,
    );
    call(aws, 'RevokeSecurityGroupIngress', { GroupId: 'sg-web', SecurityGroupRuleIds: ids });
    expect(permissionsOf(aws)).toEqual([]);
  });

  test('refuses as a whole what is not there', () => {
    const { aws } = seededModel();
    const { SecurityGroupRules } = authorize(aws, tcp(80, 80, from4('10.0.0.0/8')));
    const [{ SecurityGroupRuleId }] = SecurityGroupRules;
    const there = tcp(80, 80, from4('10.0.0.0/8'));
    const GroupId = 'sg-web';
    const cases: readonly (readonly [object, string])[] = [
      [
        { GroupId, IpPermissions: [there, tcp(80, 81, from4('10.0.0.0/8'))] },
        'InvalidPermission.NotFound',
      ],
      [
        { GroupId, IpPermissions: [tcp(80, 80, from4('10.0.0.0/9'))] },
        'InvalidPermission.NotFound',
      ],
      [
        { GroupId, SecurityGroupRuleIds: [SecurityGroupRuleId, 'sgr-0'] },
        'InvalidSecurityGroupRuleId.NotFound',
      ],
      [{ GroupId: 'sg-x', IpPermissions: [there] }, 'InvalidGroup.NotFound'],
      [{ GroupId }, 'MissingParameter'],
    ];
    for (const [input, code] of cases) {
      expectRefusal(aws, ['RevokeSecurityGroupIngress', input], {
        code,
        why: JSON.stringify(input),
      });
    }
  });
});

describe('a security group', () => {
  test('is not deleted while another names it or a balancer has it', () => {
    const { aws } = seededModel();
    const source = { UserIdGroupPairs: [{ GroupId: 'sg-admin' }, { GroupId: 'sg-web' }] };
    authorize(aws, tcp(80, 80, source));
    const remove = (GroupId: string): string => outcomeOf(aws, 'DeleteSecurityGroup', { GroupId });
    expect(remove('sg-admin')).toBe('DependencyViolation');
    const SecurityGroups = ['sg-web'];
    const balancer = createBalancer(aws, 'shop', { SecurityGroups });
    expect(remove('sg-web')).toBe('DependencyViolation');
    const { LoadBalancerArn } = balancer;
    call(aws, 'SetSecurityGroups', { LoadBalancerArn, SecurityGroups: ['sg-admin'] });
    call(aws, 'DeleteLoadBalancer', { LoadBalancerArn });
    expect([remove('sg-web'), remove('sg-admin'), remove('sg-admin')]).toEqual([
      ...['ok', 'ok', 'InvalidGroup.NotFound'],
    ]);
  });

  test('carries its tags from the create call, and is found by them', () => {
    const { aws } = seededModel();
    const TagSpecifications = [
      { ResourceType: 'security-group', Tags: [{ Key: 'albridge.io/cluster', Value: 'c1' }] },
    ];
    const input = {
      VpcId: 'vpc-main',
      GroupName: 'shop',
      Description: 'of shop',
      TagSpecifications,
    };
    const { GroupId } = call(aws, 'CreateSecurityGroup', input);
    const Filters = [{ Name: 'tag:albridge.io/cluster', Values: ['c1'] }];
    const { SecurityGroups } = call(aws, 'DescribeSecurityGroups', { Filters });
    expect(SecurityGroups).toMatchObject([{ GroupId, GroupName: 'shop', Description: 'of shop' }]);
  });

  test.each([
    [{ GroupName: 'WEB' }, 'InvalidGroup.Duplicate', 'case does not matter'],
    [{ GroupName: 'Default' }, 'InvalidParameterValue', 'reserved'],
    [{ GroupName: 'sg-shop' }, 'InvalidParameterValue', 'looks like an id'],
    [{ GroupName: 'x'.repeat(256) }, 'InvalidParameterValue', 'the limit is 255'],
    [{ Description: "albridge's" }, 'InvalidParameterValue', 'no apostrophe'],
    [{ Description: '' }, 'MissingParameter', 'required'],
    [{ VpcId: 'vpc-x' }, 'InvalidVpcID.NotFound', 'no such VPC'],
  ])('is not created with %j', (change, code, why) => {
    const { aws } = seededModel();
    const input = { VpcId: 'vpc-main', GroupName: 'shop', Description: 'of shop', ...change };
    expectRefusal(aws, ['CreateSecurityGroup', input], { code, why });
  });
});

describe('DescribeSecurityGroups', () => {
  test('gives pages that deletions between them do not disturb', () => {
    const { aws } = seededModel();
    for (let i = 0; i < 10; i += 1) {
      const input = { VpcId: 'vpc-main', GroupName: `g${i}`, Description: 'x' };
      call(aws, 'CreateSecurityGroup', input);
    }
    const all = call(aws, 'DescribeSecurityGroups', {})['SecurityGroups'];
    const seen = new Set<string>();
    let NextToken: string | undefined;
    do {
      const page = call(aws, 'DescribeSecurityGroups', { MaxResults: 6, NextToken });
      for (const { GroupId, GroupName } of page['SecurityGroups']) {
        seen.add(GroupId);
        if (GroupName.startsWith('g')) call(aws, 'DeleteSecurityGroup', { GroupId });
      }
      NextToken = page['NextToken'];
    } while (NextToken !== undefined);
    expect(seen.size).toBe(all.length);
  });

  test.each([
    [{ MaxResults: 4 }, 'InvalidParameterValue'],
    [{ MaxResults: 1001 }, 'InvalidParameterValue'],
    [{ MaxResults: 5, GroupIds: ['sg-web'] }, 'InvalidParameterCombination'],
    [{ NextToken: '***' }, 'InvalidNextToken'],
    [{ GroupIds: ['sg-x'] }, 'InvalidGroup.NotFound'],
  ])('refuses %j', (input, code) => {
    expect(outcomeOf(seededModel().aws, 'DescribeSecurityGroups', input)).toBe(code);
  });
});
