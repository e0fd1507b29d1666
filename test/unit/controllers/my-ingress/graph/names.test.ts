import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isTargetGroupName,
  nameSecurityGroup,
  nameTargetGroup,
} from '../../../../../src/controllers/my-ingress/graph/names.ts';
import {
  getListenerId,
  getRuleId,
  getTargetGroupId,
} from '../../../../../src/controllers/my-ingress/graph/resource-id.ts';

const owner = {
  cluster: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  ...{ namespace: 'web', name: 'shop' },
};
const backend = { source: 'spec', name: 'api' };
const fixed = {
  ...{ protocol: 'HTTP', protocolVersion: 'HTTP1', targetType: 'ip' },
  ...{ ipAddressType: 'ipv4', vpcId: 'vpc-1' },
};

/** Frozen for good: groups out there have these names. */
const golden: Readonly<Record<string, readonly [string, string]>> = {
  'a backend': [nameTargetGroup(owner, backend, fixed), 'shop-api-b0681ec0'],
  'another source': [
    nameTargetGroup(owner, { ...backend, source: 'Ingress/web/x' }, fixed),
    'shop-api-1d3d2472',
  ],
  'another namespace': [
    nameTargetGroup({ ...owner, namespace: 'team' }, backend, fixed),
    'shop-api-094fa196',
  ],
  'another cluster': [
    nameTargetGroup({ ...owner, cluster: 'b' }, backend, fixed),
    'shop-api-4c3fe1aa',
  ],
  'another protocol': [
    nameTargetGroup(owner, backend, { ...fixed, protocol: 'HTTPS' }),
    'shop-api-0f419650',
  ],
  'another version': [
    nameTargetGroup(owner, backend, { ...fixed, protocolVersion: 'GRPC' }),
    'shop-api-d9ef0261',
  ],
  'another type of targets': [
    nameTargetGroup(owner, backend, { ...fixed, targetType: 'instance' }),
    'shop-api-531b8125',
  ],
  'another family': [
    nameTargetGroup(owner, backend, { ...fixed, ipAddressType: 'ipv6' }),
    'shop-api-dbb626fc',
  ],
  'another VPC': [
    nameTargetGroup(owner, backend, { ...fixed, vpcId: 'vpc-2' }),
    'shop-api-51e4efb2',
  ],
  'a long name with dots': [
    nameTargetGroup({ ...owner, name: 'my.shop--of-many.and-more.words' }, backend, fixed),
    'my-shop-of-many-and-mor-77f6fdbc',
  ],
  'a security group': [nameSecurityGroup(owner), 'albridge-web-shop-3c9f99a3'],
};

describe('the name in AWS of', () => {
  it.each(Object.entries(golden))('%s is frozen', (_, [name, frozen]) => {
    expect(name).toBe(frozen);
  });

  /** Names of Kubernetes begin with a letter or digit. */
  const text = fc.string({ maxLength: 300 }).map((rest) => `a${rest}`);

  it('any target group is one that AWS takes', () => {
    fc.assert(
      fc.property(text, text, (name, of) => {
        const given = nameTargetGroup({ ...owner, name }, { source: 'spec', name: of }, fixed);
        expect(given.length).toBeLessThanOrEqual(32);
        expect(given).toMatch(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/);
        expect(isTargetGroupName(given, { name })).toBe(true);
      }),
    );
  });

  it.each([
    ['another object', 'store-api-b0681ec0'],
    ['one whose name begins alike', 'shopper-api-b0681ec0'],
    ['no backend', 'shop-b0681ec0'],
    ['another tool', 'mine'],
    ['another tool, although it begins alike', 'shop-api'],
  ])('a target group of %s is none of ours', (_, name) => {
    expect(isTargetGroupName(name, owner)).toBe(false);
  });

  it('any security group is one that EC2 takes', () => {
    fc.assert(
      fc.property(text, text, (namespace, name) => {
        const given = nameSecurityGroup({ ...owner, namespace, name });
        expect(given.length).toBeLessThanOrEqual(255);
        expect(given).toMatch(/^albridge(-[A-Za-z0-9]+)+$/);
      }),
    );
  });
});

describe('the id of a resource', () => {
  it('says kind, listener, source and name', () => {
    expect(getTargetGroupId(backend)).toBe('target-group/spec/api');
    expect(getListenerId(443)).toBe('listener/443');
    expect(getRuleId(443, backend)).toBe('rule/443/spec/api/0');
  });

  it('is hashed where a tag could not hold it', () => {
    const long = { source: `Ingress/${'n'.repeat(63)}/${'x'.repeat(253)}`, name: 'api' };
    expect(getRuleId(443, long)).toMatch(/^rule\/sha256:[0-9a-f]{64}$/);
    expect(getRuleId(443, long)).not.toBe(getRuleId(80, long));
    expect(getTargetGroupId(long)).toMatch(/^target-group\/sha256:[0-9a-f]{64}$/);
  });
});
