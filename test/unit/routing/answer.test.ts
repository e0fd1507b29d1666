import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseTargetGroup, formatLocation } from '../../../src/routing/answer.ts';
import type { Redirect } from '../../../src/routing/rule.ts';
import { request } from './request.ts';

const weights = fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 5 });

describe('a weighted forward', () => {
  it('gives each group its share of the draws, and none to a weight of 0', () => {
    fc.assert(
      fc.property(weights, (list) => {
        const total = list.reduce((sum, weight) => sum + weight, 0);
        const groups = list.map((weight, index) => ({ arn: String(index), weight }));
        const counts = list.map(() => 0);
        // In the middle of each of `total` equal parts of [0, 1).
        for (let part = 0; part < total; part += 1) {
          const index = Number(chooseTargetGroup(groups, (part + 0.5) / total)?.arn);
          counts[index] = (counts[index] ?? 0) + 1;
        }
        expect(counts).toEqual(list);
      }),
    );
  });

  it('chooses no group where all weights are 0', () => {
    expect(chooseTargetGroup([{ arn: 'a', weight: 0 }], 0)).toBeUndefined();
    expect(chooseTargetGroup([], 0.5)).toBeUndefined();
  });
});

const asked = request({ host: 'shop.example.com:80', path: '/v1/tea', query: 'milk=no' });

const redirects: Readonly<Record<string, readonly [Omit<Redirect, 'statusCode'>, string]>> = {
  'to HTTPS, the rest as it was': [
    { protocol: 'HTTPS', port: '443' },
    'https://shop.example.com:443/v1/tea?milk=no',
  ],
  'to a path of its own, without the query': [
    { path: '/new', query: '' },
    'http://shop.example.com:80/new',
  ],
  'with parts of the request in other places': [
    { host: 'www.#{host}', path: '/#{host}/#{path}', query: 'from=#{port}&#{query}' },
    'http://www.shop.example.com:80/shop.example.com/v1/tea?from=80&milk=no',
  ],
};

describe('a redirect', () => {
  it.each(Object.entries(redirects))('leads %s', (_, [redirect, location]) => {
    expect(formatLocation({ statusCode: 301, ...redirect }, asked)).toBe(location);
  });

  it('fills nothing in that a client wrote', () => {
    const sly = request({ path: '/#{host}' });
    expect(formatLocation({ statusCode: 302 }, sly)).toBe('http://shop.example.com:80/#{host}');
  });
});
