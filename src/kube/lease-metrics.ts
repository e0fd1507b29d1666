import type { MetricDefinition } from '../core/metrics.ts';

export const leaseMetrics = {
  /** Name and label of client-go. */
  masterStatus: {
    type: 'gauge',
    name: 'leader_election_master_status',
    help: '1 while this process holds the lease, 0 otherwise.',
    labels: ['name'],
  },
} as const satisfies Record<string, MetricDefinition>;
