import { describe, expect, test } from 'vitest';
import { call, outcomeOf } from '../seeded-model.ts';
import {
  createListener,
  createRule,
  expectRefusal,
  goneArn,
  trafficModel,
} from './traffic-model.ts';

function oneOfEachKind() {
  const model = trafficModel();
  const listener = createListener(model.aws, model.shop);
  const rule = createRule(model.aws, listener, 1);
  return { ...model, arns: [model.shop, model.web, listener, rule] };
}

const team = [{ Key: 'team', Value: 'web' }];

describe('the tags of any resources', () => {
  test('are added, described and removed in one call each', () => {
    const { aws, arns } = oneOfEachKind();
    const tagged = (Tags: object[]): object => ({
      TagDescriptions: arns.map((ResourceArn) => ({ ResourceArn, Tags })),
    });
    call(aws, 'AddTags', { ResourceArns: arns, Tags: team });
    expect(call(aws, 'DescribeTags', { ResourceArns: arns })).toEqual(tagged(team));
    call(aws, 'RemoveTags', { ResourceArns: arns, TagKeys: ['team', 'other'] });
    expect(call(aws, 'DescribeTags', { ResourceArns: arns })).toEqual(tagged([]));
  });

  test.each([
    [0, 'LoadBalancerNotFound'],
    [1, 'TargetGroupNotFound'],
    [2, 'ListenerNotFound'],
    [3, 'RuleNotFound'],
  ])('are changed for none where number %i is gone: %s', (index, code) => {
    const { aws, arns } = oneOfEachKind();
    const gone = arns.map((arn, at) => (at === index ? goneArn(arn) : arn));
    const refusal = { code, why: 'one of four is gone' };
    expectRefusal(aws, ['AddTags', { ResourceArns: gone, Tags: team }], refusal);
    expectRefusal(aws, ['RemoveTags', { ResourceArns: gone, TagKeys: ['team'] }], refusal);
    expectRefusal(aws, ['DescribeTags', { ResourceArns: gone }], refusal);
  });

  test('are described for 20 ARNs, mixed, and not for 21', () => {
    const { aws, shop, arns } = oneOfEachKind();
    const listener = arns[2] ?? '';
    const rules = Array.from({ length: 16 }, (_, index) => createRule(aws, listener, index + 10));
    const twenty = [...arns, ...rules];
    const described = call(aws, 'DescribeTags', { ResourceArns: twenty });
    expect(described['TagDescriptions']).toHaveLength(20);
    expect(outcomeOf(aws, 'DescribeTags', { ResourceArns: [...twenty, shop] })).toBe(
      'ValidationError',
    );
  });

  test('are those of no trust store and no other kind', () => {
    const { aws, web } = trafficModel();
    const asked = (arn: string): string => outcomeOf(aws, 'DescribeTags', { ResourceArns: [arn] });
    const hash = '0'.repeat(16);
    const prefix = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:';
    expect(asked(`${prefix}truststore/x/${hash}`)).toBe('TrustStoreNotFound');
    expect(asked(`${prefix}constructor/x/${hash}`)).toBe('ValidationError');
    expect(asked(web.replace('000000000000', '111111111111'))).toBe('ValidationError');
  });
});
