import {
  formatApiVersion,
  formatMicroTime,
  type KubeObject,
} from '../../core/objects/kube-object.ts';
import type { Transform } from '../../core/objects/trim-metadata.ts';
import { type Clock, startDeadline } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Metrics } from '../../core/ports/metrics.ts';
import { leaseKind } from '../client/built-in-kinds.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isNotFound } from '../client/kube-error.ts';
import type { KubeRequest } from '../client/kube-transport.ts';
import { buildResourcePath } from '../client/resource-path.ts';
import { IndexedCache } from '../watch/object-cache.ts';
import { Reflector } from '../watch/reflector.ts';

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

export function getHolder(lease: Lease | undefined): string {
  return lease?.spec?.holderIdentity ?? '';
}

/**
 * The spec that takes or renews the Lease. A change of holder counts a transition; what others
 * keep in the spec stays.
 */
export function createClaimedSpec(lease: Lease | undefined, claim: Claim): LeaseSpec {
  const { identity, leaseDurationMs, clock } = claim;
  const now = formatMicroTime(clock.now());
  const before = lease?.spec ?? {};
  const isRenewal = getHolder(lease) === identity;
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
export function createReleasedSpec(lease: Lease, clock: Clock): LeaseSpec {
  const now = formatMicroTime(clock.now());
  return {
    ...lease.spec,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
  };
}

export interface LeaseStoreOptions {
  /** Without leadership: it is what makes the leader. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** For one call, its repetitions included. */
  readonly requestDeadlineMs: number;
}

export interface LeaseWrite {
  /** The version that the write builds on; undefined creates the Lease. */
  readonly lease: Lease | undefined;
  readonly spec: LeaseSpec;
  readonly signal: AbortSignal;
  /** Throws where the write may not leave any more. */
  readonly beforeSend?: () => void;
}

/** The Lease in the API server. Both methods throw what the client throws. */
export class LeaseStore {
  readonly #options: LeaseStoreOptions;

  constructor(options: LeaseStoreOptions) {
    this.#options = options;
  }

  async read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#send({ method: 'GET', path: this.#path() }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Guarded by resourceVersion, at most one candidate wins: KubeError 409 for the others. */
  write({ lease, spec, signal, beforeSend }: LeaseWrite): Promise<Lease> {
    const { namespace, name } = this.#options;
    const body = JSON.stringify({ ...(lease ?? createEmptyLease(namespace, name)), spec });
    const guard = beforeSend ? { beforeSend } : {};
    if (lease) return this.#send({ method: 'PUT', path: this.#path(), body, ...guard }, signal);
    const path = buildResourcePath(leaseKind, { namespace });
    return this.#send({ method: 'POST', path, body, ...guard }, signal);
  }

  async #send(request: KubeRequest, signal: AbortSignal): Promise<Lease> {
    const { client, clock, requestDeadlineMs } = this.#options;
    const limit = startDeadline(clock, requestDeadlineMs, signal);
    try {
      return await client.request<Lease>({ ...request, lane: 'lease', signal: limit.signal });
    } finally {
      limit.release();
    }
  }

  #path(): string {
    const { namespace, name } = this.#options;
    return buildResourcePath(leaseKind, { namespace, name });
  }
}

function createEmptyLease(namespace: string, name: string): Lease {
  return {
    apiVersion: formatApiVersion(leaseKind),
    kind: leaseKind.kind,
    metadata: { namespace, name },
  };
}

export interface LeaseWatchOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** undefined: the Lease was deleted. */
  readonly onLease: (lease: Lease | undefined) => void;
}

/**
 * Follows the one Lease. The field selector makes a Role that is restricted to it by resourceNames
 * suffice: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
export function watchLease(options: LeaseWatchOptions): Reflector {
  const { client, namespace, name, clock, log, metrics, onLease } = options;
  // All of it: a write replaces the whole object.
  const transform: Transform = (lease) => lease;
  const cache = new IndexedCache<Lease>({ kind: leaseKind, transform, log, metrics });
  cache.subscribe((change) => onLease(change.kind === 'deleted' ? undefined : change.object));
  const fieldSelector = `metadata.name=${name}`;
  return new Reflector({
    client,
    cache,
    clock,
    log,
    metrics,
    kind: leaseKind,
    namespace,
    fieldSelector,
  });
}
