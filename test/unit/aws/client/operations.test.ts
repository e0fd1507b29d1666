import { describe, expect, it } from 'vitest';
import { BUCKETS as MODELLED } from '../../../../localstack/embedded/faults/token-buckets.ts';
import { OPERATIONS } from '../../../../localstack/embedded/operations.ts';
import { AWS_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { reasonByCode } from '../../../../src/aws/client/aws-codes.ts';
import {
  type AwsOperation,
  getBuckets,
  getTraits,
  isWrite,
  operations,
} from '../../../../src/aws/client/operations.ts';
import * as elbv2Commands from '../../../../src/aws/elbv2/elbv2-commands.ts';
import { elbv2Operations } from '../../../../src/aws/elbv2/operations.ts';
import { declaredCodes } from '../../localstack/seeded-model.ts';

const all = Object.keys(operations) as AwsOperation[];
const ofLoadBalancing = Object.keys(elbv2Operations) as AwsOperation[];

/** As the stand-in names the buckets, which it has from AWS's page on its own. */
const BUCKETS: Readonly<Record<string, string>> = {
  reads: 'read',
  writes: 'write',
  intensive: 'resourceIntensive',
  registrations: 'registration',
  ec2Reads: 'ec2Read',
  ec2Writes: 'ec2Write',
  acmReads: 'unmetered',
};

it('each bucket of the stand-in has the limits of the budget', () => {
  const { acmReads: _, ...limits } = AWS_LIMITS;
  const own = Object.entries(limits).map(([name, { burst, perSecond }]) => [
    BUCKETS[name] ?? name,
    { capacity: burst, refillPerSecond: perSecond },
  ]);
  expect(MODELLED).toEqual(Object.fromEntries(own));
});

describe('each operation in use', () => {
  it.each(all)('%s pays where the stand-in takes its tokens', (name) => {
    const { bucket, service } = getTraits(name);
    const modelled = OPERATIONS.get(name);
    expect(modelled?.bucket).toBe(BUCKETS[bucket]);
    expect(modelled?.kind).toBe(isWrite(name) ? 'write' : 'read');
    expect(getBuckets(name).includes('account')).toBe(service === 'elbv2');
  });

  it('of load balancing has its own command, and none is left over', () => {
    const commands = Object.entries(elbv2Commands).map(([name, { name: own }]) => [name, own]);
    const desired = ofLoadBalancing.map((name) => [name, `${name}Command`]);
    expect(Object.fromEntries(commands)).toEqual(Object.fromEntries(desired));
  });

  it.each(ofLoadBalancing)('%s has a reason for each code that AWS declares', (name) => {
    const codes = declaredCodes(name);
    expect(codes.filter((code) => !reasonByCode.has(code) && !NOT_SENT.has(code))).toEqual([]);
  });

  it.each(ofLoadBalancing)('%s takes for absence what AWS declares, and no more', (name) => {
    // Of a group that is gone AWS declares nothing on its deletion; moto answers TargetGroupNotFound.
    if (name === 'DeleteTargetGroup') return;
    const declared = declaredCodes(name).map((code) => reasonByCode.get(code));
    for (const reason of getTraits(name).absent) expect(declared).toContain(reason);
  });

  it('is repeated by no call that creates or deletes', () => {
    const repeated = all.filter((name) => /^(Create|Delete)[^T]/.test(name) && isRepeated(name));
    expect(repeated).toEqual([]);
    expect(all.filter(isRepeated).length).toBeGreaterThan(20);
  });
});

/** About what albridge does not ask for: trust stores, capacity, ALPN policies. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ALPNPolicyNotSupported',
  'AllocationIdNotFound',
  'TrustStoreNotFound',
]);

function isRepeated(name: AwsOperation): boolean {
  return getTraits(name).isIdempotent;
}
