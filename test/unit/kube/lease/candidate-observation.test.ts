import { describe, expect, it } from 'vitest';
import { LeaseObservation } from '../../../../src/kube/lease/candidate.ts';
import type { Lease, LeaseSpec } from '../../../../src/kube/lease/lease.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

function lease(resourceVersion: string, spec: LeaseSpec, uid = 'first'): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'albridge', uid, resourceVersion },
    spec,
  };
}

function observe(): { readonly clock: ManualClock; readonly observation: LeaseObservation } {
  const clock = new ManualClock();
  const defaultDurationMs = 15_000;
  return { clock, observation: new LeaseObservation({ clock, identity: 'me', defaultDurationMs }) };
}

describe('what is known of the Lease', () => {
  it('is the newer of two states, whichever arrives last', () => {
    const { observation } = observe();
    observation.recordLease(lease('100', { holderIdentity: '' }));
    observation.recordLease(lease('99', { holderIdentity: 'late news' }));
    expect(observation.lease?.metadata.resourceVersion).toBe('100');
    observation.recordLease(lease('5', { holderIdentity: 'restored' }, 'second'));
    expect(observation.lease?.metadata.uid).toBe('second');
  });

  it('is an older state after a doubt: etcd was restored from a backup', () => {
    const { observation } = observe();
    observation.recordLease(lease('5000', { holderIdentity: 'x' }));
    observation.invalidate();
    observation.recordLease(lease('3000', { holderIdentity: 'y' }));
    expect(observation.lease?.metadata.resourceVersion).toBe('3000');
  });

  const cases: Record<string, { spec: LeaseSpec | undefined; computeWaitMs: number; why: string }> =
    {
      absent: { spec: undefined, computeWaitMs: 0, why: 'nobody has ever led' },
      released: {
        spec: { holderIdentity: '', leaseDurationSeconds: 1 },
        computeWaitMs: 0,
        why: 'no wait',
      },
      'our own': {
        spec: { holderIdentity: 'me', leaseDurationSeconds: 9 },
        computeWaitMs: 0,
        why: 'retry',
      },
      "another's": {
        spec: { holderIdentity: 'x', leaseDurationSeconds: 9 },
        computeWaitMs: 9000,
        why: 'its own duration counts',
      },
      "another's without duration": {
        spec: { holderIdentity: 'x' },
        computeWaitMs: 15_000,
        why: 'ours counts then',
      },
    };
  it.each(Object.entries(cases))('says when it may be taken: %s', (_, { spec, computeWaitMs }) => {
    const { observation } = observe();
    observation.recordLease(spec && lease('1', spec));
    expect(observation.computeWaitMs()).toBe(computeWaitMs);
  });

  it('is doubtful at first and after a doubt, and a read ends that without starting the wait again', async () => {
    const { clock, observation } = observe();
    expect(observation.isInvalid).toBe(true);
    const held = { holderIdentity: 'x', leaseDurationSeconds: 9 };
    observation.recordLease(lease('1', held));
    expect(observation.isInvalid).toBe(false);
    await clock.advance(4000);
    observation.invalidate();
    expect(observation.isInvalid).toBe(true);
    observation.recordLease(lease('1', held));
    expect([observation.isInvalid, observation.computeWaitMs()]).toEqual([false, 5000]);
    observation.recordLease(lease('2', { ...held, renewTime: 'now' }));
    expect(observation.computeWaitMs()).toBe(9000);
  });
});
