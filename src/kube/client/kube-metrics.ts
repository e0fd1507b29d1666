import type { MetricDefinition } from '../../core/ports/metrics.ts';

const CALL_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/** Metrics of the Kubernetes side; those without the prefix albridge_ under client-go's names and labels (https://kubernetes.io/docs/reference/instrumentation/metrics/). */
export const kubeMetrics = {
  requests: {
    type: 'counter',
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by status code; <error> where no answer came.',
    use: 'Codes 429 and 5xx: the API server is overloaded. 403: see albridge_missing_rights and albridge_watch_faults.',
    labels: ['code', 'method', 'host'],
  },
  requestSeconds: {
    type: 'histogram',
    name: 'rest_client_request_duration_seconds',
    help: 'Time from sending a request to the headers of its answer.',
    labels: ['verb', 'host'],
    buckets: CALL_SECONDS,
  },
  eventsDropped: {
    type: 'counter',
    name: 'albridge_events_dropped_total',
    help: 'Events that were not written, by cause.',
    labels: ['cause'],
  },
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
  watchFailures: {
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
  watchFaults: {
    type: 'gauge',
    name: 'albridge_watch_faults',
    help: 'Watches that do not do their work now; /readyz has a sentence for each.',
    use: 'What albridge knows of the cluster is getting old: a CRD, a right or the API server is missing.',
    labels: [],
  },
  missingRights: {
    type: 'gauge',
    name: 'albridge_missing_rights',
    help: 'Rights in Kubernetes that requests of the operator were refused for, but for those of watches; /readyz has a sentence for each.',
    use: 'After an upgrade: the manifests are older than the image.',
    labels: [],
  },
  masterStatus: {
    type: 'gauge',
    name: 'leader_election_master_status',
    help: '1 while this process holds the lease, 0 otherwise.',
    use: 'The sum over all replicas is 1; 0 for long: no replica reconciles.',
    labels: ['name'],
  },
} as const satisfies Record<string, MetricDefinition>;
