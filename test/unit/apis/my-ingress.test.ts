import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
  type MyIngressStatus,
  managedByValue,
  myIngressKind,
  ownershipTagKeys,
} from '../../../src/apis/my-ingress.ts';
import { myIngressReasons } from '../../../src/apis/my-ingress-reasons.ts';
import type { KubeObject, ResourceKind } from '../../../src/core/objects/kube-object.ts';
import { readMyIngressDefinition } from '../crds/custom-resource-definition.ts';

const spec: MyIngressSpec = {
  subnets: ['subnet-abc', 'subnet-def'],
  scheme: 'internal',
  deletionPolicy: 'Retain',
};

// The compiler is the judge here: an expected error that does not come is an error itself.
describe('the types of MyIngress', () => {
  it('fit the core', () => {
    expectTypeOf<MyIngress>().toExtend<KubeObject>();
    expectTypeOf(myIngressKind).toExtend<ResourceKind>();
  });

  it('know every enum', () => {
    expectTypeOf<MyIngressSpec['scheme']>().toEqualTypeOf<'internet-facing' | 'internal'>();
    expectTypeOf<MyIngressSpec['deletionPolicy']>().toEqualTypeOf<'Delete' | 'Retain'>();
    expectTypeOf<MyIngressSpec['ipAddressType']>().toEqualTypeOf<
      'ipv4' | 'dualstack' | 'dualstack-without-public-ipv4' | undefined
    >();
    // @ts-expect-error AWS has no such scheme
    expectTypeOf({ ...spec, scheme: 'public' }).toExtend<MyIngressSpec>();
    // @ts-expect-error no such policy
    const policy: MyIngressSpec['deletionPolicy'] = 'Orphan';
    expect(policy).toBe('Orphan');
  });

  it('refuse unknown keys', () => {
    // @ts-expect-error a typing error for subnets
    expectTypeOf<MyIngressSpec>().toHaveProperty('subnet');
    // @ts-expect-error a typing error for subnets
    const misspelt: MyIngressSpec = { ...spec, subnet: [] };
    // @ts-expect-error adopt has arn alone
    const adopting: MyIngressSpec = { ...spec, adopt: { arn: 'a', name: 'b' } };
    expect([misspelt, adopting]).toHaveLength(2);
  });

  it('ask for required and defaulted fields, and let the others be left out', () => {
    const noSubnets: MyIngressSpec = { scheme: 'internal', deletionPolicy: 'Delete' };
    // @ts-expect-error scheme has a default, so it is always there
    const noScheme: MyIngressSpec = { subnets: [], deletionPolicy: 'Delete' };
    // @ts-expect-error a field is left out, not undefined
    const undefinedName: MyIngressSpec = { ...spec, name: undefined };
    // @ts-expect-error a held balancer has an ARN
    const held: MyIngressStatus = { observedGeneration: 1, alb: { dns: 'a' } };
    expect([noSubnets, noScheme, undefinedName, held]).toHaveLength(4);
    expectTypeOf<MyIngress['status']['observedGeneration']>().toEqualTypeOf<number>();
  });

  it('know traffic, and no value for what is not supported yet', () => {
    type Backend = NonNullable<MyIngressSpec['backends']>[number];
    expectTypeOf<Backend['service']>().toEqualTypeOf<
      { readonly name: string; readonly port: number | string } | undefined
    >();
    expectTypeOf<Backend['protocolVersion']>().toEqualTypeOf<
      'HTTP1' | 'HTTP2' | 'GRPC' | undefined
    >();
    expectTypeOf<NonNullable<Backend['healthCheck']>>().toEqualTypeOf<{
      readonly path?: string;
      readonly intervalSeconds?: number;
      readonly timeoutSeconds?: number;
      readonly healthyThreshold?: number;
      readonly unhealthyThreshold?: number;
      readonly matcher?: string;
    }>();
    type Rule = NonNullable<MyIngressSpec['rules']>[number];
    expectTypeOf<Rule['forward']>().toEqualTypeOf<
      readonly { readonly backend: string; readonly weight?: number }[] | undefined
    >();
    expectTypeOf<NonNullable<Rule['redirect']>['statusCode']>().toEqualTypeOf<301 | 302>();
    expectTypeOf<NonNullable<Rule['authenticate']>>().toBeNever();
  });

  it('are read-only down to lists and maps', () => {
    expectTypeOf<MyIngressSpec['subnets']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<NonNullable<MyIngressSpec['tags']>>().toEqualTypeOf<{
      readonly [key: string]: string;
    }>();
    // @ts-expect-error the user's spec is never written
    expect(() => (Object.freeze(spec).scheme = 'internal')).toThrow(TypeError);
  });

  it('know the conditions', () => {
    type Condition = NonNullable<MyIngressStatus['conditions']>[number];
    expectTypeOf<Condition>().toEqualTypeOf<{
      readonly type: string;
      readonly status: 'True' | 'False' | 'Unknown';
      readonly lastTransitionTime: string;
      readonly reason: string;
      readonly message: string;
      readonly observedGeneration?: number;
    }>();
  });
});

describe('what is frozen for good', () => {
  it('keeps the finalizer and the tags that objects and balancers out there carry', () => {
    expect(loadBalancerFinalizer).toBe('albridge.io/load-balancer');
    expect(ownershipTagKeys).toEqual({
      cluster: 'albridge.io/cluster',
      namespace: 'albridge.io/namespace',
      name: 'albridge.io/name',
      uid: 'albridge.io/uid',
      adopt: 'albridge.io/adopt',
      managedBy: 'albridge.io/managed-by',
    });
    expect(managedByValue).toBe('albridge');
  });
});

it('say of pause and of plan mode that targets are registered all the same, as the CRD does', () => {
  const { openAPIV3Schema } = readMyIngressDefinition().spec.versions[0].schema;
  expect(openAPIV3Schema.description).toContain('except the registration of targets');
  for (const { cause } of [myIngressReasons.Paused, myIngressReasons.Planned])
    expect(cause).toContain('stops writes to AWS except registrations of targets');
});
