import { parseArgs } from 'node:util';
import type { Clock } from '../../src/core/ports/clock.ts';
import { loadCluster } from '../../src/kube/client/credentials.ts';
import { KubeClient } from '../../src/kube/client/kube-client.ts';
import { UndiciTransport } from '../../src/kube/client/undici-transport.ts';
import { Election } from '../../src/kube/lease/election.ts';
import { systemClock } from '../../src/system-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { transportOptions } from '../fakes/transport-options.ts';

/**
 * One process of an election, for tests: while it leads it writes its identity into the ConfigMap
 * `guarded` about every 20 ms. It reports one word per line, gives the Lease away on SIGTERM, and
 * ends when it has lost it.
 */
const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string', default: '' },
    namespace: { type: 'string', default: '' },
    identity: { type: 'string', default: '' },
    leaseDurationMs: { type: 'string', default: '15000' },
    /** How wrong the wall clock of this process is. */
    skewMs: { type: 'string', default: '0' },
  },
});
const { kubeconfig, namespace, identity } = values;
const leaseDurationMs = Number(values.leaseDurationMs);

const clock: Clock = { ...systemClock, now: () => systemClock.now() + Number(values.skewMs) };
const metrics = new RecordingMetrics();
const cluster = loadCluster({ kubeconfig }, clock);
const transport = new UndiciTransport(cluster, transportOptions(`candidate-${identity}`));
const election = new Election({
  client: new KubeClient({ transport, clock, metrics }),
  namespace,
  name: 'election',
  identity,
  clock,
  log: new SilentLogger(),
  metrics,
  timing: { leaseDurationMs, renewDeadlineMs: leaseDurationMs * 0.8, retryMs: 400 },
});
const guarded = new KubeClient({ transport, clock, metrics, leadership: election });

function report(word: string): void {
  process.stdout.write(`${word}\n`);
}

async function write(): Promise<void> {
  await guarded.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/configmaps/guarded`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ data: { writer: identity, at: `${performance.now()}` } }),
  });
}

let isEnding = false;
let wasLeader = false;

/** Tries without asking first whether it leads: the client must refuse. */
async function writeForEver(): Promise<void> {
  while (!isEnding) {
    const isLeader = election.isLeader();
    if (isLeader !== wasLeader) report(isLeader ? 'leads' : 'leads-no-more');
    wasLeader = isLeader;
    await write().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function end(word: string): Promise<void> {
  isEnding = true;
  await writing;
  await election.release();
  report(word);
  await transport.close();
}

report('started');
const writing = writeForEver();
void election.lost.then(() => end('lost'));
process.once('SIGTERM', () => void end('released'));
