import type { Clock } from '../../core/ports/clock.ts';
import type { MetricDefinition, Metrics } from '../../core/ports/metrics.ts';
import type { OperatorError } from '../../core/reconcile/operator-error.ts';
import { classifyOutcome } from './aws-errors.ts';
import { services } from './operation-traits.ts';
import { type AwsOperation, getTraits } from './operations.ts';

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
    use: 'Which calls AWS answers how; the rate of each operation.',
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
    use: 'Others use up the limits of the account, or the budget is set too high.',
    labels: OUTCOME,
  },
  denied: {
    type: 'counter',
    name: 'aws_api_call_permission_errors_total',
    help: 'Requests that AWS refused for a missing right or for the credentials, or that had none for five minutes.',
    use: 'Any increase: docs/iam.md.',
    labels: OUTCOME,
  },
  overQuota: {
    type: 'counter',
    name: 'aws_api_call_service_limit_exceeded_errors_total',
    help: 'Requests that AWS refused because a quota is used up.',
    use: 'A quota of the account is full: ask AWS for more.',
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
    use: 'Passes wait for the budget: see albridge_aws_budget_tokens.',
    labels: ['bucket'],
  },
  budgetTurns: {
    type: 'gauge',
    name: 'albridge_aws_budget_waiting_turns',
    help: 'Claims in line for a token of the API budget.',
    use: 'Objects are slow and AWS does not throttle: these wait for the budget.',
    labels: ['bucket'],
  },
  budgetTokens: {
    type: 'gauge',
    name: 'albridge_aws_budget_tokens',
    help: 'Tokens left in a bucket of the API budget.',
    use: '0 for long: albridge needs more calls than the limits allow.',
    labels: ['bucket'],
  },
  budgetHolds: {
    type: 'counter',
    name: 'albridge_aws_budget_holds_total',
    help: 'Times that a refusal by AWS emptied and held a bucket of the API budget.',
    use: 'AWS has throttled, or did not answer twice.',
    labels: ['bucket'],
  },
} as const satisfies Record<string, MetricDefinition>;

/** The state of one bucket of the budget; its counters are shown at zero before their first event. */
export function showBucket(
  metrics: Metrics,
  bucket: string,
  { level, waiting }: { readonly level: number; readonly waiting: number },
): void {
  metrics.gauge(awsMetrics.budgetTokens, { bucket }, level);
  metrics.gauge(awsMetrics.budgetTurns, { bucket }, waiting);
  for (const counter of [awsMetrics.budgetExhausted, awsMetrics.budgetHolds]) {
    metrics.count(counter, { bucket }, 0);
  }
}

interface Outcome {
  readonly status_code: string;
  readonly error_code: string;
}

type OutcomeMetric = MetricDefinition<(typeof OUTCOME)[number]>;

const metricByReason: Readonly<Record<string, OutcomeMetric>> = {
  Throttled: awsMetrics.throttled,
  AccessDenied: awsMetrics.denied,
  ClockSkew: awsMetrics.denied,
  CredentialsRefused: awsMetrics.denied,
  TooManyLoadBalancers: awsMetrics.overQuota,
  TooManyTags: awsMetrics.overQuota,
  QuotaExceeded: awsMetrics.overQuota,
  ValidationError: awsMetrics.invalid,
};

/** One HTTP request, from its sending to its end. */
interface RequestMeter {
  succeed(): void;
  fail(error: OperatorError): void;
}

/** Counts one call: each request that it sends, and at its end the call itself. */
export class CallMeter {
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #labels: { readonly service: string; readonly operation: string };
  readonly #startedMs: number;
  #requests = 0;
  #last: Outcome | undefined;

  constructor(metrics: Metrics, clock: Clock, operation: AwsOperation) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#labels = { service: services[getTraits(operation).service].label, operation };
    this.#startedMs = clock.monotonicMs();
  }

  begin(): RequestMeter {
    const sentMs = this.#clock.monotonicMs();
    this.#requests++;
    return {
      succeed: () => this.#record(sentMs, { status_code: '200', error_code: '' }),
      fail: (error) => {
        const { statusCode, errorCode } = classifyOutcome(error.cause ?? error);
        const outcome = { status_code: String(statusCode), error_code: errorCode };
        this.#record(sentMs, outcome);
        const metric = metricByReason[error.reason];
        if (metric) this.#metrics.count(metric, { ...this.#labels, ...outcome });
      },
    };
  }

  finish(): void {
    if (!this.#last) return;
    this.#metrics.count(awsMetrics.calls, { ...this.#labels, ...this.#last });
    this.#observe(awsMetrics.callSeconds, this.#startedMs);
    this.#metrics.observe(awsMetrics.callRetries, this.#labels, this.#requests - 1);
  }

  #record(sentMs: number, outcome: Outcome): void {
    this.#last = outcome;
    this.#metrics.count(awsMetrics.requests, { ...this.#labels, ...outcome });
    this.#observe(awsMetrics.requestSeconds, sentMs);
  }

  #observe(metric: MetricDefinition<'service' | 'operation'>, sinceMs: number): void {
    const seconds = (this.#clock.monotonicMs() - sinceMs) / 1000;
    this.#metrics.observe(metric, this.#labels, seconds);
  }
}
