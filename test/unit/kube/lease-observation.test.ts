import { describe, expect, it } from 'vitest';
import { LeaseObservation } from '../../../src/kube/lease-observation.ts';
import type { Lease, LeaseSpec } from '../../../src/kube/lease-record.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';

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
    observation.see(lease('100', { holderIdentity: '' }));
    observation.see(lease('99', { holderIdentity: 'late news' }));
    expect(observation.lease?.metadata.resourceVersion).toBe('100');
    observation.see(lease('5', { holderIdentity: 'restored' }, 'second'));
    expect(observation.lease?.metadata.uid).toBe('second');
  });

  const cases: Record<string, { spec: LeaseSpec | undefined; freeInMs: number; why: string }> = {
    absent: { spec: undefined, freeInMs: 0, why: 'nobody has ever led' },
    released: {
      spec: { holderIdentity: '', leaseDurationSeconds: 1 },
      freeInMs: 0,
      why: 'no wait',
    },
    'our own': {
      spec: { holderIdentity: 'me', leaseDurationSeconds: 9 },
      freeInMs: 0,
      why: 'retry',
    },
    "another's": {
      spec: { holderIdentity: 'x', leaseDurationSeconds: 9 },
      freeInMs: 9000,
      why: 'its own duration counts',
    },
    "another's without duration": {
      spec: { holderIdentity: 'x' },
      freeInMs: 15_000,
      why: 'ours counts then',
    },
  };
  it.each(Object.entries(cases))('says when it may be taken: %s', (_, { spec, freeInMs }) => {
    const { observation } = observe();
    observation.see(spec && lease('1', spec));
    expect(observation.freeInMs()).toBe(freeInMs);
  });

  it('is doubtful at first and after a doubt, and a look ends that without starting the wait anew', async () => {
    const { clock, observation } = observe();
    expect(observation.isDoubtful).toBe(true);
    const held = { holderIdentity: 'x', leaseDurationSeconds: 9 };
    observation.see(lease('1', held));
    expect(observation.isDoubtful).toBe(false);
    await clock.advance(4000);
    observation.doubt();
    expect(observation.isDoubtful).toBe(true);
    observation.see(lease('1', held));
    expect([observation.isDoubtful, observation.freeInMs()]).toEqual([false, 5000]);
    observation.see(lease('2', { ...held, renewTime: 'now' }));
    expect(observation.freeInMs()).toBe(9000);
  });
});
