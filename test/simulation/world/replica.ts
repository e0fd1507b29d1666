import { KIND_NAMES } from '../../../src/apis/kind-names.ts';
import type { BudgetLimits } from '../../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../../src/aws/client/aws-api.ts';
import type { Leadership } from '../../../src/core/ports/leadership.ts';
import type { Metrics } from '../../../src/core/ports/metrics.ts';
import { KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { KubeTransport } from '../../../src/kube/client/kube-transport.ts';
import { Election } from '../../../src/kube/lease/election.ts';
import { Operator } from '../../../src/operator.ts';
import type { Life } from './life.ts';
import type { SimLogger } from './sim-logger.ts';

export interface ReplicaOptions {
  readonly clusterId?: string;
  readonly budget: BudgetLimits;
  readonly sweepIntervalMs: number;
  readonly concurrency: number;
  readonly election: boolean;
  readonly mode: 'reconcile' | 'observe';
  readonly readinessGates: boolean;
  readonly secrets?: boolean;
}

/** What one process is given; the ports are its own. */
export interface ProcessPorts {
  readonly life: Life;
  readonly transport: KubeTransport;
  readonly api: (leadership: Leadership) => AwsApi;
  readonly log: SimLogger;
  /** A pass wanted to write when the lease was lost. */
  readonly onRefused: () => void;
}

export const LEASE = { namespace: 'ops', name: 'albridge' } as const;

const NO_METRICS: Metrics = {
  count: () => {},
  gauge: () => {},
  observe: () => {},
  remove: () => {},
};

/** One process of the operator, put together as main.ts puts it together. */
export class OperatorProcess {
  readonly life: Life;
  readonly election: Election | undefined;
  readonly operator: Operator;
  readonly #onEnd: () => void;
  #isStopping = false;

  /** `onEnd`: the process has ended by itself, or as asked. */
  constructor(ports: ProcessPorts, options: ReplicaOptions, onEnd: () => void) {
    const { life, transport, log } = ports;
    const { clock, name: identity } = life;
    const metrics = NO_METRICS;
    this.life = life;
    this.#onEnd = onEnd;
    const client = new KubeClient({ transport, clock, metrics });
    this.election = options.election
      ? new Election({ client, ...LEASE, identity, clock, log, metrics })
      : undefined;
    const leadership = leadershipOf(this.election, ports.onRefused);
    const acquired = this.election?.acquired ?? Promise.resolve();
    const { clusterId, budget, mode, readinessGates, sweepIntervalMs, concurrency } = options;
    const hashKey = { namespace: LEASE.namespace, draw: () => drawKey(life) };
    this.operator = new Operator(
      { transport, api: ports.api(leadership), clock, log, metrics, leadership, acquired },
      {
        mode,
        kinds: KIND_NAMES,
        readinessGates,
        aws: { region: 'us-east-1', budget, backendSecurityGroups: [] },
        sweepIntervalMs,
        concurrency,
        identity,
        podName: identity,
        namespaces: [],
        ...(clusterId !== undefined && { clusterId }),
        ...(options.secrets && { hashKey }),
      },
    );
    this.operator.start().catch(() => {});
    void this.election?.lost.then(() => this.terminate('the lease was lost'));
  }

  /** SIGTERM, or the lease is lost: everything stops in order. */
  terminate(why: string): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const release = async (): Promise<void> => await this.election?.release();
    void this.operator.stop(new Error(why), release).then(() => {
      if (this.life.isDead) return;
      this.life.die();
      this.#onEnd();
    });
  }
}

function drawKey(life: Life): Buffer {
  return Buffer.from(Array.from({ length: 32 }, () => Math.floor(life.random() * 256)));
}

function leadershipOf(election: Election | undefined, onRefused: () => void): Leadership {
  if (election === undefined) return { isLeader: () => true };
  const isLeader = (): boolean => {
    if (election.isLeader()) return true;
    onRefused();
    return false;
  };
  return { isLeader };
}
