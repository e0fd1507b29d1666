import { describe, expect, it } from 'vitest';
import { shapeAttributes } from '../../../../src/aws/elbv2/attributes.ts';

const step = { operation: 'DescribeListenerAttributes', subject: 'listener arn:1' } as const;

describe('attributes of an answer', () => {
  it('are a record', () => {
    const answer = { Attributes: [{ Key: 'a', Value: '1' }, { Key: 'b' }, { Value: '3' }] };
    expect(shapeAttributes(answer, step)).toEqual({ a: '1', b: '' });
  });

  it.each([{}, { Attributes: [] }])('that has none is not believed: %o', (answer) => {
    expect(() => shapeAttributes(answer, step)).toThrow(/listener arn:1.*lacks the attributes/);
  });
});
