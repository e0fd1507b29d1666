import { describe, expect, it } from 'vitest';
import { diffFields } from '../../../../src/core/objects/fields.ts';

describe('a container that the API server has stored as desired', () => {
  const inPod = (resources: object): object => ({
    spec: { containers: [{ name: 'app', resources }] },
  });
  it.each([
    [
      'a GPU, in YAML without quotes',
      { limits: { 'nvidia.com/gpu': 1 } },
      { limits: { 'nvidia.com/gpu': '1' } },
    ],
    [
      'an extended resource',
      { limits: { 'example.com/slots': '1000' } },
      { limits: { 'example.com/slots': '1k' } },
    ],
    ['a number that begins with its point', { limits: { cpu: '.5' } }, { limits: { cpu: '500m' } }],
    ['an empty map', { limits: {} }, {}],
  ])('does not differ: %s', (_, desired, stored) => {
    expect(diffFields(inPod(stored), inPod(desired))).toEqual([]);
  });
});
