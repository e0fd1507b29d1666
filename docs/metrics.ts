import type { MetricDefinition } from '../src/core/ports/metrics.ts';
import { metricDefinitions } from '../src/setup/metrics.ts';

/** The text of docs/metrics.md below its head, from the definitions of the metrics. */
export function metricsPage(
  definitions: readonly Readonly<Record<string, MetricDefinition>>[] = metricDefinitions,
): string {
  const all = definitions.flatMap((group) => Object.values(group));
  return `
# Metrics

Everything that \`/metrics\` (port 8080) shows, besides the figures of Node itself (\`process_*\`, \`nodejs_*\`), of which
\`process_resident_memory_bytes\` and \`nodejs_eventloop_lag_p99_seconds\` are of use. How to scrape, alerts and the
dashboard: [monitoring.md](monitoring.md).

Only the replica that holds the Lease has the series of controllers, AWS and targets; the others show their watches,
rights, requests and Lease. No label has the name of an object, except \`source\` of ConfigMonitors (at most 500).
\`controller\` is a name of ALBRIDGE_KINDS, or \`configmap\` for annotated ConfigMaps. A histogram is three series:
\`_bucket\`, \`_sum\` and \`_count\`. Names with \`controller_runtime_\`, \`workqueue_\`, \`rest_client_\`, \`reflector_\`,
\`leader_election_\` and \`aws_api_\` are those of controller-runtime, client-go and the AWS Load Balancer Controller, so that
their dashboards work.

${all.map(describeMetric).join('\n')}`;
}

function describeMetric({ name, type, labels, help, use }: MetricDefinition): string {
  const by =
    labels.length === 0 ? 'no labels' : `by ${labels.map((one) => `\`${one}\``).join(', ')}`;
  return `## ${name}

${capitalise(type)}, ${by}. ${help}${use === undefined ? '' : ` *When to look:* ${use}`}
`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
