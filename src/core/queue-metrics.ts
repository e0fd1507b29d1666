import type { QueueObserver } from './key-queue.ts';
import { coreMetrics, type Metrics } from './metrics.ts';

/** Counts a queue's adds and its depth by priority under controller-runtime's names. */
export function observeQueue(metrics: Metrics, controller: string): QueueObserver {
  const labels = { name: controller, controller };
  return {
    added: () => metrics.count(coreMetrics.queueAdds, labels),
    depthChanged: (priority, depth) =>
      metrics.gauge(coreMetrics.queueDepth, { ...labels, priority: String(priority) }, depth),
  };
}
