import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { Metrics } from '../core/metrics.ts';
import type { KubeClient } from './kube-client.ts';
import { type Lease, leaseKind } from './lease-record.ts';
import { createObjectCache } from './object-cache.ts';
import { type Reflector, startReflector } from './reflector.ts';

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
  const cache = createObjectCache<Lease>({ kind: leaseKind, log, metrics });
  cache.subscribe((change) => onLease(change.kind === 'deleted' ? undefined : change.object));
  const fieldSelector = `metadata.name=${name}`;
  return startReflector({
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
