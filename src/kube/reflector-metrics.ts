import type { ResourceKind } from '../core/kube-object.ts';
import type { MetricDefinition } from '../core/metrics.ts';

/** `plural.group`, as `kubectl api-resources -o name` prints it; the `name` label of the metrics. */
export function resourceName(kind: ResourceKind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** The first three under client-go's names. */
export const reflectorMetrics = {
  lists: {
    type: 'counter',
    name: 'reflector_lists_total',
    help: 'Whole collections read, be it by list or at the head of a watch.',
    labels: ['name'],
  },
  watches: {
    type: 'counter',
    name: 'reflector_watches_total',
    help: 'Watches opened.',
    labels: ['name'],
  },
  shortWatches: {
    type: 'counter',
    name: 'reflector_short_watches_total',
    help: 'Watches that ended within a second without an event.',
    labels: ['name'],
  },
  failures: {
    type: 'counter',
    name: 'albridge_reflector_failures_total',
    help: 'Lists and watches that failed, by what was done next.',
    labels: ['name', 'next'],
  },
  subscriberErrors: {
    type: 'counter',
    name: 'albridge_cache_subscriber_errors_total',
    help: 'Changes on which a subscriber of the cache threw.',
    labels: ['name'],
  },
} as const satisfies Record<string, MetricDefinition>;
