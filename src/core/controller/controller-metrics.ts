import { type EventRecorder, REPAIR } from '../ports/events.ts';
import { coreMetrics, type Metrics } from '../ports/metrics.ts';
import type { QueueObserver, TakenKey } from '../queue/key-queue.ts';
import { CoreReason } from '../reconcile/operator-error.ts';
import type { RetryDecision } from './retry-policy.ts';
import type { Verdict } from './verdict.ts';

type ReconcileResult = 'success' | 'error' | 'requeue_after';

/** Shown at zero from the start: a rate over a series that begins with its first event misses it. */
const COUNTERS = [
  'reconcileErrors',
  'terminalErrors',
  'panics',
  'timeouts',
  'staleReads',
  'driftRepairs',
] as const;

/** Counts passes of one controller under controller-runtime's names. */
export class ControllerMetrics {
  readonly #metrics: Metrics;
  readonly #controller: string;
  readonly #startedMs = new Map<string, number>();

  constructor(metrics: Metrics, controller: string, concurrency: number) {
    this.#metrics = metrics;
    this.#controller = controller;
    const labels = { controller };
    metrics.gauge(coreMetrics.maxConcurrent, labels, concurrency);
    metrics.gauge(coreMetrics.activeWorkers, labels, 0);
    for (const result of ['success', 'error', 'requeue_after'] as const) {
      metrics.count(coreMetrics.reconcileTotal, { controller, result }, 0);
    }
    for (const counter of COUNTERS) metrics.count(coreMetrics[counter], labels, 0);
    const queue = { name: controller, controller };
    metrics.count(coreMetrics.queueAdds, queue, 0);
    metrics.count(coreMetrics.queueRetries, queue, 0);
  }

  recordStart(taken: TakenKey, nowMs: number): void {
    this.#startedMs.set(taken.key, nowMs);
    const labels = { name: this.#controller, controller: this.#controller };
    this.#metrics.observe(coreMetrics.queueSeconds, labels, taken.waitedMs / 1000);
    this.#metrics.gauge(
      coreMetrics.activeWorkers,
      { controller: this.#controller },
      this.#startedMs.size,
    );
  }

  recordEnd(
    taken: TakenKey,
    nowMs: number,
    { verdict, decision }: { readonly verdict: Verdict; readonly decision: RetryDecision },
  ): void {
    const seconds = (nowMs - (this.#startedMs.get(taken.key) ?? nowMs)) / 1000;
    this.#startedMs.delete(taken.key);
    const controller = this.#controller;
    const queue = { name: controller, controller };
    this.#metrics.observe(coreMetrics.workSeconds, queue, seconds);
    this.#metrics.observe(coreMetrics.reconcileSeconds, { controller }, seconds);
    this.#metrics.gauge(coreMetrics.activeWorkers, { controller }, this.#startedMs.size);
    const result = classifyResult(verdict, decision);
    this.#metrics.count(coreMetrics.reconcileTotal, { controller, result });
    if (decision.kind === 'backoff') this.#metrics.count(coreMetrics.queueRetries, queue);
    if (verdict.kind === 'failed')
      this.#recordFailure(verdict.error.reason, verdict.error.healedBy);
  }

  recordStaleRead(): void {
    this.#metrics.count(coreMetrics.staleReads, { controller: this.#controller });
  }

  /** The same recorder; its events about repairs are counted. */
  countRepairs(events: EventRecorder): EventRecorder {
    const labels = { controller: this.#controller };
    return {
      record: (regarding, event) => {
        if (event.action === REPAIR) this.#metrics.count(coreMetrics.driftRepairs, labels);
        events.record(regarding, event);
      },
    };
  }

  /** Refreshes the gauges that grow while a pass runs; called before each scrape. */
  refreshAges(nowMs: number): void {
    const ages = [...this.#startedMs.values()].map((startedMs) => (nowMs - startedMs) / 1000);
    const labels = { name: this.#controller, controller: this.#controller };
    const sum = ages.reduce((total, age) => total + age, 0);
    this.#metrics.gauge(coreMetrics.unfinishedSeconds, labels, sum);
    this.#metrics.gauge(coreMetrics.longestSeconds, labels, Math.max(0, ...ages));
  }

  #recordFailure(reason: string, healedBy: string): void {
    const labels = { controller: this.#controller };
    this.#metrics.count(coreMetrics.reconcileErrors, labels);
    if (healedBy === 'person') this.#metrics.count(coreMetrics.terminalErrors, labels);
    if (reason === CoreReason.InternalError) this.#metrics.count(coreMetrics.panics, labels);
    if (reason === CoreReason.DeadlineExceeded) this.#metrics.count(coreMetrics.timeouts, labels);
  }
}

function classifyResult(verdict: Verdict, decision: RetryDecision): ReconcileResult {
  if (verdict.kind === 'failed') return 'error';
  return decision.kind === 'after' ? 'requeue_after' : 'success';
}

/** Counts a queue's adds and its depth by priority under controller-runtime's names. */
export function createQueueObserver(metrics: Metrics, controller: string): QueueObserver {
  const labels = { name: controller, controller };
  return {
    recordAdd: () => metrics.count(coreMetrics.queueAdds, labels),
    recordDepth: (priority, depth) =>
      metrics.gauge(coreMetrics.queueDepth, { ...labels, priority: String(priority) }, depth),
  };
}
