import { awsMetrics } from '../aws/client/aws-metrics.ts';
import { configMonitorMetrics } from '../controllers/config-monitor/reports/source-metrics.ts';
import { driftScanMetrics } from '../controllers/my-ingress/drift-scan.ts';
import { myIngressMetrics } from '../controllers/my-ingress/orphans.ts';
import { targetsMetrics } from '../controllers/targets/flusher.ts';
import { groupGauges } from '../controllers/targets/group-gauges.ts';
import { coreMetrics, type MetricDefinition } from '../core/ports/metrics.ts';
import { kubeMetrics } from '../kube/client/kube-metrics.ts';
import { logMetrics } from '../telemetry/log-destination.ts';
import { processMetrics } from '../telemetry/metrics.ts';

/** Every metric of the operator, in the order of docs/metrics.md. */
export const metricDefinitions: readonly Readonly<Record<string, MetricDefinition>>[] = [
  ...[coreMetrics, driftScanMetrics, myIngressMetrics, groupGauges, targetsMetrics],
  ...[configMonitorMetrics, awsMetrics, kubeMetrics, processMetrics, logMetrics],
];
