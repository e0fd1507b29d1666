import { expect, it } from 'vitest';
import { describeUse } from '../../../../../src/controllers/my-ingress/graph/quota-use.ts';
import { api, shop, tls, web, withRules } from './samples.ts';
import { TrafficWorld } from './traffic-world.ts';

type Code = Parameters<typeof describeUse>[0];

const forward = [{ backend: 'web' }, { backend: 'api' }];
const spec = {
  ...withRules('a', 'b', 'c'),
  backends: [web, api],
  listeners: [{ port: 80, protocol: 'HTTP' as const }, tls],
  defaultAction: { forward },
};

const counts: Readonly<Partial<Record<Code, string | undefined>>> = {
  TooManyRules: 'the spec needs 6',
  TooManyListeners: 'the spec needs 2',
  TooManyTargetGroups: 'the spec needs 2',
  TooManyUniqueTargetGroupsPerLoadBalancer: 'the spec needs 2',
  TooManyCertificates: 'the spec needs 1',
  TooManyActions: 'the spec needs 2',
  TooManyTargets: undefined,
};

it.each(Object.entries(counts))('what the spec takes of %s', (code, use) => {
  const world = new TrafficWorld();
  world.spec = { ...shop, ...spec };
  expect(describeUse(code as Code, world.desired())).toBe(use);
});
