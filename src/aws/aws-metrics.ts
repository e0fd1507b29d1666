import type { MetricDefinition } from '../core/metrics.ts';

const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1] as const;
const RETRIES = [0, 1, 2, 3, 5, 10] as const;

const OUTCOME = ['service', 'operation', 'status_code', 'error_code'] as const;

/**
 * Names, labels and meaning as the AWS Load Balancer Controller has them, so that its dashboards
 * serve here: a call may be several requests, and its retries are the requests beyond the first.
 * `status_code` is 0 where no answer came.
 * https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/metrics/prometheus/
 */
export const awsMetrics = {
  calls: {
    type: 'counter',
    name: 'aws_api_calls_total',
    help: 'Calls to AWS, retries included in the call, by their last outcome.',
    labels: OUTCOME,
  },
  callSeconds: {
    type: 'histogram',
    name: 'aws_api_call_duration_seconds',
    help: 'Length of a call to AWS, its retries and the waiting between them included.',
    labels: ['service', 'operation'],
    buckets: CALL_SECONDS,
  },
  callRetries: {
    type: 'histogram',
    name: 'aws_api_call_retries',
    help: 'Requests beyond the first that one call took.',
    labels: ['service', 'operation'],
    buckets: RETRIES,
  },
  requests: {
    type: 'counter',
    name: 'aws_api_requests_total',
    help: 'HTTP requests to AWS.',
    labels: OUTCOME,
  },
  requestSeconds: {
    type: 'histogram',
    name: 'aws_api_request_duration_seconds',
    help: 'Length of one HTTP request to AWS.',
    labels: ['service', 'operation'],
    buckets: CALL_SECONDS,
  },
  throttled: {
    type: 'counter',
    name: 'aws_api_call_throttled_errors_total',
    help: 'Requests that AWS refused because the account makes too many.',
    labels: OUTCOME,
  },
  denied: {
    type: 'counter',
    name: 'aws_api_call_permission_errors_total',
    help: 'Requests that AWS refused for a missing right or for the credentials.',
    labels: OUTCOME,
  },
  overQuota: {
    type: 'counter',
    name: 'aws_api_call_service_limit_exceeded_errors_total',
    help: 'Requests that AWS refused because a quota is used up.',
    labels: OUTCOME,
  },
  invalid: {
    type: 'counter',
    name: 'aws_api_call_validation_errors_total',
    help: 'Requests with a value that AWS does not accept.',
    labels: OUTCOME,
  },
  budgetWaitSeconds: {
    type: 'histogram',
    name: 'albridge_aws_budget_wait_seconds',
    help: 'How long a request waited in its pass for a token of the API budget.',
    labels: ['bucket'],
    buckets: WAIT_SECONDS,
  },
  budgetExhausted: {
    type: 'counter',
    name: 'albridge_aws_budget_exhausted_total',
    help: 'Passes that were sent away with a turn because the API budget was spent.',
    labels: ['bucket'],
  },
  budgetTurns: {
    type: 'gauge',
    name: 'albridge_aws_budget_waiting_turns',
    help: 'Claims in line for a token of the API budget.',
    labels: ['bucket'],
  },
  budgetHolds: {
    type: 'counter',
    name: 'albridge_aws_budget_holds_total',
    help: 'Times that a refusal by AWS emptied and held a bucket of the API budget.',
    labels: ['bucket'],
  },
} as const satisfies Record<string, MetricDefinition>;
