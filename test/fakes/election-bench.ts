import { KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeTransport } from '../../src/kube/client/kube-transport.ts';
import { Election, type ElectionTiming } from '../../src/kube/lease/election.ts';
import { type Intercept, LeaseServer } from './lease-server.ts';
import { ManualClock } from './manual-clock.ts';
import { ProcessClock } from './process-clock.ts';
import { RecordingMetrics } from './recording-metrics.ts';
import type { Answer, ScriptedTransport } from './scripted-transport.ts';
import { SilentLogger } from './silent-logger.ts';

export interface Candidate {
  readonly election: Election;
  readonly process: ProcessClock;
  readonly transport: ScriptedTransport;
  readonly log: SilentLogger;
  readonly metrics: RecordingMetrics;
  readonly writes: () => number;
  /** What of `acquired` and `lost` has come, in its order. */
  readonly news: readonly string[];
  /** What a person reads in the log. */
  readonly messages: () => readonly string[];
}

export interface JoinOptions {
  readonly timing?: ElectionTiming;
  /** Stands between the client and the server. */
  readonly wrap?: (transport: KubeTransport) => KubeTransport;
}

/** Candidates, each a process of its own, for one Lease under one clock. */
export class ElectionBench {
  readonly clock = new ManualClock({ seed: 7 });
  readonly server = new LeaseServer();

  join(identity: string, intercept?: Intercept, options: JoinOptions = {}): Candidate {
    const { timing, wrap = (transport: KubeTransport) => transport } = options;
    const process = new ProcessClock(this.clock);
    const log = new SilentLogger();
    const metrics = new RecordingMetrics();
    const transport = this.server.transport(intercept);
    const client = new KubeClient({ transport: wrap(transport), clock: process, metrics });
    const names = { namespace: 'ops', name: 'albridge', identity };
    const more = timing ? { timing } : {};
    const election = new Election({ ...names, client, clock: process, log, metrics, ...more });
    const news: string[] = [];
    void election.acquired.then(() => news.push('acquired'));
    void election.lost.then(() => news.push('lost'));
    const writes = (): number => transport.requests.filter(({ method }) => method !== 'GET').length;
    const messages = (): readonly string[] =>
      log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
    return { election, process, transport, log, metrics, writes, news, messages };
  }

  /** The server has done it at once; only its answer is late. */
  later(delayMs: number, answer: Answer): Promise<Answer> {
    return new Promise((resolve) => void this.clock.setTimer(delayMs, () => resolve(answer)));
  }
}

export const unavailable: Answer = { error: new Error('connect ECONNREFUSED') };
