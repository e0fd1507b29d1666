import type { Clock } from '../core/clock.ts';
import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import { microTime } from './micro-time.ts';

export const leaseKind: ResourceKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
};

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/ */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  /** Empty or absent: nobody holds it. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** One way in which a candidate may write the Lease. */
export interface Claim {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Clock;
}

export function holderOf(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

/**
 * The spec that takes or renews the Lease. A change of holder counts a transition; what others
 * keep in the spec stays.
 */
export function claimedSpec(lease: Lease | undefined, claim: Claim): LeaseSpec {
  const { identity, leaseDurationMs, clock } = claim;
  const now = microTime(clock.now());
  const before = lease?.spec ?? {};
  const isRenewal = holderOf(lease) === identity;
  const isTakeover = lease !== undefined && !isRenewal;
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    acquireTime: (isRenewal && before.acquireTime) || now,
    renewTime: now,
    leaseTransitions: (before.leaseTransitions ?? 0) + Number(isTakeover),
  };
}

/** The spec that lets the Lease go, so that a successor need not wait for it to expire. */
export function releasedSpec(lease: Lease, clock: Clock): LeaseSpec {
  const now = microTime(clock.now());
  return {
    ...lease.spec,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
  };
}
