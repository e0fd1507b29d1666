import { describe, expect, it } from 'vitest';
import { diffFields } from '../../../../src/core/objects/fields.ts';

describe('a key of a map that has the name of a map', () => {
  it.each(['limits', 'requests', 'labels', 'annotations', 'team.limits'])('%s', (key) => {
    const desired = { metadata: { labels: { app: 'a', [key]: 'high' } } };
    const observed = { metadata: { labels: { app: 'a' } } };
    expect(diffFields(observed, desired)).toEqual([`metadata.labels.${key}`]);
  });

  it('an annotation is no quantity', () => {
    const of = (text: string): object => ({ metadata: { annotations: { 'a.limits.b.c': text } } });
    expect(diffFields(of('1000'), of('1k'))).toHaveLength(1);
  });
});
