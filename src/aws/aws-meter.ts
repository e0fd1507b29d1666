import type { Clock } from '../core/clock.ts';
import type { MetricDefinition, Metrics } from '../core/metrics.ts';
import type { OperatorError } from '../core/operator-error.ts';
import type { AwsOperation } from './aws-api.ts';
import { outcomeOf } from './aws-errors.ts';
import { awsMetrics } from './aws-metrics.ts';

/** Counts one call: each request that it sends, and at its end the call itself. */
export interface Meter {
  sending(): Sent;
  done(): void;
}

export interface Sent {
  answered(): void;
  refused(error: OperatorError): void;
}

interface Outcome {
  readonly status_code: string;
  readonly error_code: string;
}

type OutcomeMetric = MetricDefinition<'service' | 'operation' | 'status_code' | 'error_code'>;

const SERVICE = 'Elastic Load Balancing v2';

const metricByReason: Readonly<Record<string, OutcomeMetric>> = {
  Throttled: awsMetrics.throttled,
  AccessDenied: awsMetrics.denied,
  ClockSkew: awsMetrics.denied,
  CredentialsRefused: awsMetrics.denied,
  CredentialsUnavailable: awsMetrics.denied,
  TooManyLoadBalancers: awsMetrics.overQuota,
  TooManyTags: awsMetrics.overQuota,
  ValidationError: awsMetrics.invalid,
};

export function createMeter(metrics: Metrics, clock: Clock, operation: AwsOperation): Meter {
  const call = { service: SERVICE, operation };
  const startedMs = clock.monotonicMs();
  let requests = 0;
  let last: Outcome | undefined;

  const finish = (sentMs: number, outcome: Outcome): void => {
    last = outcome;
    metrics.count(awsMetrics.requests, { ...call, ...outcome });
    metrics.observe(awsMetrics.requestSeconds, call, secondsSince(clock, sentMs));
  };

  return {
    sending() {
      const sentMs = clock.monotonicMs();
      requests++;
      return {
        answered: () => finish(sentMs, { status_code: '200', error_code: '' }),
        refused(error) {
          const { statusCode, errorCode } = outcomeOf(error.cause ?? error);
          const outcome = { status_code: String(statusCode), error_code: errorCode };
          finish(sentMs, outcome);
          const metric = metricByReason[error.reason];
          if (metric) metrics.count(metric, { ...call, ...outcome });
        },
      };
    },
    done() {
      if (!last) return;
      metrics.count(awsMetrics.calls, { ...call, ...last });
      metrics.observe(awsMetrics.callSeconds, call, secondsSince(clock, startedMs));
      metrics.observe(awsMetrics.callRetries, call, requests - 1);
    },
  };
}

function secondsSince(clock: Clock, startedMs: number): number {
  return (clock.monotonicMs() - startedMs) / 1000;
}
