import type { MetricDefinition } from '../core/metrics.ts';

const CALL_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/** client-go's names and labels (https://kubernetes.io/docs/reference/instrumentation/metrics/). */
export const kubeMetrics = {
  requests: {
    type: 'counter',
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by status code; <error> where no answer came.',
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
} as const satisfies Record<string, MetricDefinition>;
