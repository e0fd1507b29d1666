/** A metric as data: each layer declares its own, the telemetry adapter registers them all. */
export interface MetricDefinition<Label extends string = string> {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  /** When to look at it, for docs/metrics.md. */
  readonly use?: string;
  readonly labels: readonly Label[];
  /** Upper bounds of a histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
}

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

export interface Metrics {
  count<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, by?: number): void;
  gauge<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, value: number): void;
  observe<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>, value: number): void;
  /** Ends a series: what its labels name is gone. */
  remove<L extends string>(metric: MetricDefinition<L>, labels: Labels<L>): void;
}

const PASS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const QUEUE_SECONDS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000] as const;

/**
 * controller-runtime's names and labels, so that existing dashboards and alerts work unchanged:
 * https://book.kubebuilder.io/reference/metrics-reference
 */
export const coreMetrics = {
  reconcileTotal: {
    type: 'counter',
    name: 'controller_runtime_reconcile_total',
    help: 'Passes per controller, by result.',
    labels: ['controller', 'result'],
  },
  reconcileErrors: {
    type: 'counter',
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Passes that ended in an error.',
    use: 'A rate that stays up: albridge_object_conditions has the reasons.',
    labels: ['controller'],
  },
  terminalErrors: {
    type: 'counter',
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Passes that ended in an error which a person must heal.',
    labels: ['controller'],
  },
  panics: {
    type: 'counter',
    name: 'controller_runtime_reconcile_panics_total',
    help: 'Passes that threw something other than an OperatorError.',
    use: 'Above 0: a defect of albridge; the log has the error.',
    labels: ['controller'],
  },
  timeouts: {
    type: 'counter',
    name: 'controller_runtime_reconcile_timeouts_total',
    help: 'Passes that ran into their deadline.',
    labels: ['controller'],
  },
  reconcileSeconds: {
    type: 'histogram',
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of a pass.',
    use: 'Passes take long: compare with aws_api_call_duration_seconds and albridge_aws_budget_wait_seconds.',
    labels: ['controller'],
    buckets: PASS_SECONDS,
  },
  maxConcurrent: {
    type: 'gauge',
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Passes that may run at once.',
    labels: ['controller'],
  },
  activeWorkers: {
    type: 'gauge',
    name: 'controller_runtime_active_workers',
    help: 'Passes running now.',
    labels: ['controller'],
  },
  queueDepth: {
    type: 'gauge',
    name: 'workqueue_depth',
    help: 'Keys that are ready and wait for a worker.',
    use: 'Stays above 0: all workers are busy (ALBRIDGE_CONCURRENCY), or passes are long.',
    labels: ['name', 'controller', 'priority'],
  },
  queueAdds: {
    type: 'counter',
    name: 'workqueue_adds_total',
    help: 'Keys added to the queue.',
    labels: ['name', 'controller'],
  },
  queueSeconds: {
    type: 'histogram',
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a ready key waited for a worker.',
    labels: ['name', 'controller'],
    buckets: QUEUE_SECONDS,
  },
  workSeconds: {
    type: 'histogram',
    name: 'workqueue_work_duration_seconds',
    help: 'How long a key was worked on.',
    labels: ['name', 'controller'],
    buckets: QUEUE_SECONDS,
  },
  unfinishedSeconds: {
    type: 'gauge',
    name: 'workqueue_unfinished_work_seconds',
    help: 'Seconds of work in progress, summed over the running passes.',
    labels: ['name', 'controller'],
  },
  longestSeconds: {
    type: 'gauge',
    name: 'workqueue_longest_running_processor_seconds',
    help: 'Age of the oldest running pass.',
    use: 'Above 120: a pass has outlived its deadline.',
    labels: ['name', 'controller'],
  },
  queueRetries: {
    type: 'counter',
    name: 'workqueue_retries_total',
    help: 'Keys put back by backoff.',
    labels: ['name', 'controller'],
  },
  staleReads: {
    type: 'counter',
    name: 'albridge_stale_read_timeouts_total',
    help: 'Passes that continued before the cache showed our own last write.',
    use: 'Grows: the watch lags behind by seconds; check the API server.',
    labels: ['controller'],
  },
  conditions: {
    type: 'gauge',
    name: 'albridge_object_conditions',
    help: 'Objects with this condition, by its status and reason; NotReconciled until the first pass has reported.',
    use: 'Start here: which objects are not Ready or Stalled, and why.',
    labels: ['controller', 'type', 'status', 'reason'],
  },
  conditionSeconds: {
    type: 'gauge',
    name: 'albridge_object_condition_oldest_seconds',
    help: 'How long the object that has had this condition the longest has had it.',
    use: 'Alerts on objects that stay Stalled or not Ready, across restarts of albridge.',
    labels: ['controller', 'type', 'status', 'reason'],
  },
  driftRepairs: {
    type: 'counter',
    name: 'albridge_drift_repairs_total',
    help: 'Repairs of what was changed outside albridge, one for each event DriftRepaired.',
    use: 'Grows: another person or program changes what albridge manages.',
    labels: ['controller'],
  },
} as const satisfies Record<string, MetricDefinition>;
