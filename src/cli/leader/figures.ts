import { awsMetrics } from '../../aws/client/aws-metrics.ts';
import { configMonitorMetrics } from '../../controllers/config-monitor/reports/source-metrics.ts';
import { driftScanMetrics } from '../../controllers/my-ingress/drift-scan.ts';
import { coreMetrics } from '../../core/ports/metrics.ts';
import type { Series } from './metrics-text.ts';

/** The figures in the metrics of a leader; pure. */

export interface Figures {
  /** Empty where AWS is not used. */
  readonly buckets: readonly Bucket[];
  /** Requests that AWS has refused since the leader started. */
  readonly throttled: number;
  /** Unix time of the last drift scan, in milliseconds, and what is between two. */
  readonly scan: { readonly atMs: number; readonly everyMs: number } | undefined;
  readonly restarts: readonly Restart[];
  /** Their names, in lower case; empty where the metrics do not name them. */
  readonly controllers: readonly string[];
}

export interface Bucket {
  readonly name: string;
  readonly tokens: number;
  readonly waiting: number;
}

/** Of one source of ConfigMonitors. */
export interface Restart {
  readonly namespace: string;
  readonly source: string;
  /** Pods that have older data. */
  readonly waiting: number;
  /** Pods, since the leader started. */
  readonly restarted: number;
  /** Restarts that got stuck, since the leader started. */
  readonly stuck: number;
}

const METRICS = {
  tokens: awsMetrics.budgetTokens,
  turns: awsMetrics.budgetTurns,
  throttled: awsMetrics.throttled,
  scannedAt: driftScanMetrics.completedAt,
  scanInterval: driftScanMetrics.interval,
  waiting: configMonitorMetrics.waiting,
  restarted: configMonitorMetrics.restarted,
  stuck: configMonitorMetrics.failures,
  controllers: coreMetrics.maxConcurrent,
} as const;

export const READ_METRICS: ReadonlySet<string> = new Set(
  Object.values(METRICS).map(({ name }) => name),
);

/** `namespace`: whose restarts count; undefined: of all. */
export function readFigures(series: readonly Series[], namespace: string | undefined): Figures {
  const of = (metric: keyof typeof METRICS): readonly Series[] =>
    series.filter((one) => one.name === METRICS[metric].name && Number.isFinite(one.value));
  const [at] = of('scannedAt');
  const [every] = of('scanInterval');
  return {
    buckets: readBuckets(of('tokens'), of('turns')),
    throttled: of('throttled').reduce((sum, { value }) => sum + value, 0),
    scan: at && every && { atMs: at.value * 1000, everyMs: every.value * 1000 },
    controllers: of('controllers').map((one) => getLabel(one, 'controller')),
    restarts: readRestarts({
      waiting: of('waiting'),
      restarted: of('restarted'),
      stuck: of('stuck'),
    }).filter((one) => namespace === undefined || one.namespace === namespace),
  };
}

function readBuckets(tokens: readonly Series[], turns: readonly Series[]): readonly Bucket[] {
  const waitingOf = new Map(turns.map((one) => [getLabel(one, 'bucket'), one.value]));
  return tokens.map((one) => {
    const name = getLabel(one, 'bucket');
    return { name, tokens: one.value, waiting: waitingOf.get(name) ?? 0 };
  });
}

type Count = 'waiting' | 'restarted' | 'stuck';
type Counted = Readonly<Record<Count, readonly Series[]>>;

const NONE = { waiting: 0, restarted: 0, stuck: 0 };

/** Sources whose pods wait come first. */
function readRestarts(counted: Counted): readonly Restart[] {
  const rows = new Map<string, Restart>();
  for (const [count, series] of Object.entries(counted)) {
    for (const one of series) {
      const [namespace, source] = [getLabel(one, 'namespace'), getLabel(one, 'source')];
      const key = `${namespace}\0${source}`;
      rows.set(key, { namespace, source, ...NONE, ...rows.get(key), [count]: one.value });
    }
  }
  return [...rows.values()]
    .filter((row) => row.waiting > 0 || row.restarted > 0 || row.stuck > 0)
    .toSorted((a, b) => b.waiting - a.waiting || b.restarted - a.restarted);
}

function getLabel({ labels }: Series, name: string): string {
  return labels.get(name) ?? '';
}
