import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { call, createBalancer, outcomeOf, seededModel } from './seeded-model.ts';

interface Page {
  readonly LoadBalancers: readonly { LoadBalancerName: string; LoadBalancerArn: string }[];
  readonly NextMarker?: string;
}

const page = (aws: EmbeddedAws, PageSize: number, Marker?: string): Page =>
  call(aws, 'DescribeLoadBalancers', { PageSize, Marker }) as unknown as Page;

describe('paging of DescribeLoadBalancers', () => {
  test('returns each balancer once, in full pages but for the last', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 45 }),
        (count, size) => {
          const { aws } = seededModel();
          for (let i = 0; i < count; i += 1) createBalancer(aws, `lb-${i}`);
          const seen: string[] = [];
          let marker: string | undefined;
          do {
            const { LoadBalancers, NextMarker } = page(aws, size, marker);
            // A marker that leads nowhere must fail the test, not hang it.
            expect(seen.length).toBeLessThanOrEqual(count);
            if (NextMarker !== undefined) expect(LoadBalancers).toHaveLength(size);
            seen.push(...LoadBalancers.map((balancer) => balancer.LoadBalancerName));
            marker = NextMarker;
          } while (marker !== undefined);
          expect(seen).toEqual(Array.from({ length: count }, (_, i) => `lb-${i}`));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('neither repeats nor hides a balancer when others come and go between two pages', () => {
    const { aws } = seededModel();
    for (let i = 0; i < 6; i += 1) createBalancer(aws, `lb-${i}`);
    const first = page(aws, 3);
    for (const { LoadBalancerArn } of first.LoadBalancers.slice(1)) {
      call(aws, 'DeleteLoadBalancer', { LoadBalancerArn });
    }
    createBalancer(aws, 'late');

    const second = page(aws, 10, first.NextMarker);
    const names = second.LoadBalancers.map((balancer) => balancer.LoadBalancerName);
    expect(names).toEqual(['lb-3', 'lb-4', 'lb-5', 'late']);
    expect(second.NextMarker).toBeUndefined();
  });

  const rejected: Readonly<Record<string, object>> = {
    'size 0': { PageSize: 0 },
    'size 401': { PageSize: 401 },
    'half a balancer': { PageSize: 1.5 },
    'a made-up marker': { Marker: 'lb-3' },
    'a marker that encodes nonsense': { Marker: Buffer.from('after:x').toString('base64url') },
  };
  test.for(Object.entries(rejected))('refuses %s', ([, input]) => {
    const { aws } = seededModel();
    expect(outcomeOf(aws, 'DescribeLoadBalancers', input)).toBe('ValidationError');
  });

  test('gives 400 a page unless told otherwise', () => {
    const { aws } = seededModel({ quota: 500 });
    for (let i = 0; i < 401; i += 1) createBalancer(aws, `lb-${i}`);
    const first = call(aws, 'DescribeLoadBalancers', {}) as unknown as Page;

    expect(first.LoadBalancers).toHaveLength(400);
    expect(page(aws, 400, first.NextMarker).LoadBalancers).toHaveLength(1);
  });
});
