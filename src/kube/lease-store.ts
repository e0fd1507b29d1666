import { type Clock, deadline } from '../core/clock.ts';
import { apiVersionOf } from '../core/kube-object.ts';
import type { KubeClient } from './kube-client.ts';
import { isNotFound } from './kube-error.ts';
import type { KubeRequest } from './kube-transport.ts';
import { type Lease, type LeaseSpec, leaseKind } from './lease-record.ts';
import { collectionPath } from './reflector-request.ts';

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
  /** What the write builds on; undefined creates the Lease. */
  readonly lease: Lease | undefined;
  readonly spec: LeaseSpec;
  readonly signal: AbortSignal;
  /** Throws where the write may not leave any more. */
  readonly beforeSend?: () => void;
}

/** The Lease in the API server. Both methods throw what the client throws. */
export interface LeaseStore {
  read(signal: AbortSignal): Promise<Lease | undefined>;
  /** Guarded by resourceVersion, at most one candidate wins: KubeError 409 for the others. */
  write(write: LeaseWrite): Promise<Lease>;
}

export function createLeaseStore(options: LeaseStoreOptions): LeaseStore {
  const { client, clock, namespace, name, requestDeadlineMs } = options;
  const collection = collectionPath({ kind: leaseKind, namespace });
  const path = `${collection}/${encodeURIComponent(name)}`;

  const send = async (request: KubeRequest, signal: AbortSignal): Promise<Lease> => {
    const limit = deadline(clock, requestDeadlineMs, signal);
    try {
      return await client.request<Lease>({ ...request, lane: 'lease', signal: limit.signal });
    } finally {
      limit.release();
    }
  };

  return {
    read: async (signal) => {
      try {
        return await send({ method: 'GET', path }, signal);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    write: ({ lease, spec, signal, beforeSend }) => {
      const body = JSON.stringify({ ...(lease ?? emptyLease(namespace, name)), spec });
      const guard = beforeSend ? { beforeSend } : {};
      if (lease) return send({ method: 'PUT', path, body, ...guard }, signal);
      return send({ method: 'POST', path: collection, body, ...guard }, signal);
    },
  };
}

function emptyLease(namespace: string, name: string): Lease {
  return {
    apiVersion: apiVersionOf(leaseKind),
    kind: leaseKind.kind,
    metadata: { namespace, name },
  };
}
