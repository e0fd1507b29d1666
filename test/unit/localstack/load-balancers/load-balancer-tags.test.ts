import { describe, expect, test } from 'vitest';
import { call, createBalancer, outcomeOf, seededModel } from '../seeded-model.ts';

const tag = (Key: string, Value = 'value'): { Key: string; Value: string } => ({ Key, Value });
const many = (count: number): unknown[] => Array.from({ length: count }, (_, i) => tag(`key-${i}`));

interface TagCase {
  readonly accepts: readonly unknown[];
  readonly rejects: readonly unknown[];
  readonly code: string;
  readonly why: string;
}

const RULES: Readonly<Record<string, TagCase>> = {
  'there are at most 50': {
    accepts: many(50),
    rejects: many(51),
    code: 'TooManyTags',
    why: 'per resource',
  },
  'a key is given once': {
    accepts: [tag('a'), tag('A')],
    rejects: [tag('a', '1'), tag('a', '2')],
    code: 'DuplicateTagKeys',
    why: 'keys are case-sensitive and unique',
  },
  'a key has at most 128 characters': {
    accepts: [tag('k'.repeat(128))],
    rejects: [tag('k'.repeat(129))],
    code: 'ValidationError',
    why: 'API_Tag, Key',
  },
  'a key is not empty': {
    accepts: [tag('k')],
    rejects: [tag('')],
    code: 'ValidationError',
    why: 'API_Tag',
  },
  'a value has at most 256 characters': {
    accepts: [tag('k', 'v'.repeat(256))],
    rejects: [tag('k', 'v'.repeat(257))],
    code: 'ValidationError',
    why: 'API_Tag, Value',
  },
  'the prefix aws: is reserved': {
    accepts: [tag('awsome:key')],
    rejects: [tag('AWS:key')],
    code: 'ValidationError',
    why: 'in any case of letters',
  },
  'a key has letters, digits, spaces and _.:/=+-@': {
    accepts: [tag('Ключ 1_.:/=+-@')],
    rejects: [tag('a*b')],
    code: 'ValidationError',
    why: 'API_Tag, Key pattern',
  },
  'a value has the same characters': {
    accepts: [tag('k', 'größe 1_.:/=+-@')],
    rejects: [tag('k', 'a,b')],
    code: 'ValidationError',
    why: 'API_Tag, Value pattern',
  },
  'a list is not empty': {
    accepts: [tag('k')],
    rejects: [],
    code: 'ValidationError',
    why: 'TagList min 1',
  },
};

describe('tags', () => {
  test.for(Object.entries(RULES))('%s', ([, rule]) => {
    const { aws } = seededModel();
    const create = (Name: string, Tags: unknown): string =>
      outcomeOf(aws, 'CreateLoadBalancer', { Name, Subnets: ['subnet-a', 'subnet-b'], Tags });
    const { LoadBalancerArn } = createBalancer(aws, 'bare');
    const add = (Tags: unknown): string =>
      outcomeOf(aws, 'AddTags', { ResourceArns: [LoadBalancerArn], Tags });

    expect(create('shop', rule.rejects), rule.why).toBe(rule.code);
    expect(create('shop', rule.accepts), rule.why).toBe('ok');
    expect(add(rule.rejects), rule.why).toBe(rule.code);
    expect(add(rule.accepts), rule.why).toBe('ok');
    const [bare, shop] = aws.control.snapshot().loadBalancers;
    expect(bare?.tags).toEqual(shop?.tags);
  });

  test('are added, replaced and removed', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop', {
      Tags: [tag('a', '1'), tag('b', '2')],
    });
    const ResourceArns = [LoadBalancerArn];
    call(aws, 'AddTags', { ResourceArns, Tags: [tag('b', '3'), { Key: 'c' }] });
    call(aws, 'RemoveTags', { ResourceArns, TagKeys: ['a', 'never-there'] });

    expect(call(aws, 'DescribeTags', { ResourceArns })).toEqual({
      TagDescriptions: [{ ResourceArn: LoadBalancerArn, Tags: [tag('b', '3'), tag('c', '')] }],
    });
  });

  test('count together with those that are there', () => {
    const { aws } = seededModel();
    const { LoadBalancerArn } = createBalancer(aws, 'shop', { Tags: many(50) });
    const add = (key: string): string =>
      outcomeOf(aws, 'AddTags', { ResourceArns: [LoadBalancerArn], Tags: [tag(key, 'new')] });

    expect(add('key-50')).toBe('TooManyTags');
    expect(add('key-49')).toBe('ok');
  });

  test('go to all the balancers or to none', () => {
    const { aws } = seededModel();
    const full = createBalancer(aws, 'full', { Tags: many(50) })['LoadBalancerArn'];
    const empty = createBalancer(aws, 'empty')['LoadBalancerArn'];

    expect(outcomeOf(aws, 'AddTags', { ResourceArns: [empty, full], Tags: [tag('x')] })).toBe(
      'TooManyTags',
    );
    expect(aws.control.snapshot().loadBalancers[1]?.tags).toEqual({});
  });

  test('of at most 20 balancers are described, all of which exist', () => {
    const { aws } = seededModel();
    const arn: string = createBalancer(aws, 'shop')['LoadBalancerArn'];
    const describe = (ResourceArns: string[]): string =>
      outcomeOf(aws, 'DescribeTags', { ResourceArns });

    expect(describe(Array(20).fill(arn))).toBe('ok');
    expect(describe(Array(21).fill(arn))).toBe('ValidationError');
    expect(describe([])).toBe('ValidationError');
    expect(describe([arn, arn.replace(/.{16}$/, '0'.repeat(16))])).toBe('LoadBalancerNotFound');
  });

  const others: Readonly<Record<string, string>> = {
    'targetgroup/x/0123456789abcdef': 'TargetGroupNotFound',
    'listener/app/x/0123456789abcdef/0123456789abcdef': 'ListenerNotFound',
    'listener-rule/app/x/0123456789abcdef/0123456789abcdef/0123456789abcdef': 'RuleNotFound',
    'truststore/x/0123456789abcdef': 'TrustStoreNotFound',
  };
  test.for(Object.entries(others))('of %s answer %s', ([path, code]) => {
    const { aws } = seededModel();
    const arn = `arn:aws:elasticloadbalancing:us-east-1:000000000000:${path}`;
    expect(outcomeOf(aws, 'DescribeTags', { ResourceArns: [arn] })).toBe(code);
    expect(outcomeOf(aws, 'DescribeTags', { ResourceArns: [`x${arn}`] })).toBe('ValidationError');
  });
});
