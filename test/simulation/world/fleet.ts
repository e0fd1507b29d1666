import type { KubeRequest } from '../../../src/kube/client/kube-transport.ts';
import { type AwsWitness, createAwsNetwork } from './aws-network.ts';
import { BUDGETS } from './budgets.ts';
import type { FaultBoard } from './fault-board.ts';
import { createKubeNetwork } from './kube-network.ts';
import { Life } from './life.ts';
import { OperatorProcess } from './replica.ts';
import { type LogSink, SimLogger } from './sim-logger.ts';
import type { SlowWatch } from './slow-watch.ts';
import type { Stage } from './stage.ts';

/** The id of the cluster where it is configured. */
export const CLUSTER = 'cluster-1';
/** As a Deployment: what has ended begins again a little later, and what hangs is killed. */
const RESTART_MS = 1500;
const GRACE_MS = 30_000;

interface Replica {
  readonly index: number;
  readonly watches: Set<SlowWatch>;
  lives: number;
  process: OperatorProcess | undefined;
}

export interface FleetParts {
  readonly stage: Stage;
  readonly seed: number;
  readonly board: FaultBoard;
  readonly witness: AwsWitness;
  readonly onKubeSent: (life: Life, label: string, request: KubeRequest) => void;
  readonly log: (life: Life) => LogSink;
}

/** The replicas of the operator: whatever ends begins again, as another process. */
export class Fleet {
  readonly #parts: FleetParts;
  readonly #replicas: readonly Replica[];

  constructor(parts: FleetParts) {
    this.#parts = parts;
    const { replicas } = parts.stage.settings;
    this.#replicas = Array.from({ length: replicas }, (_, index) => ({
      index,
      watches: new Set<SlowWatch>(),
      lives: 0,
      process: undefined,
    }));
  }

  start(): void {
    for (const replica of this.#replicas) this.#begin(replica, 0);
  }

  /** Whoever was stopped goes on. */
  goOn(): void {
    for (const { process } of this.#replicas) process?.life.goOn();
  }

  /** SIGTERM, and SIGKILL where that takes too long. */
  terminate(index: number): void {
    const replica = this.#replicas[index];
    const process = replica?.process;
    if (!replica || !process || process.life.isDead) return;
    process.terminate('SIGTERM');
    this.#parts.stage.clock.setTimer(GRACE_MS, () => {
      if (process.life.isDead) return;
      process.life.die();
      this.#begin(replica, RESTART_MS);
    });
  }

  /** The watches that are open, of one replica or of all. */
  watches(index?: number): readonly SlowWatch[] {
    const meant = this.#replicas.filter((one) => index === undefined || one.index === index);
    return meant.flatMap(({ watches }) => [...watches]);
  }

  /** Why a probe would have a process killed. */
  liveness(): string | undefined {
    return this.#replicas.flatMap(({ process }) => process?.operator.checkLiveness() ?? [])[0];
  }

  #begin(replica: Replica, delayMs: number): void {
    const { stage, seed } = this.#parts;
    stage.clock.setTimer(delayMs, () => {
      const name = `replica-${replica.index}_${++replica.lives}`;
      stage.trace(`${name} begins`);
      const life = new Life({
        name,
        world: stage.clock,
        trace: stage.trace,
        seed: seed * 1000 + replica.index * 100 + replica.lives,
        wallSkewMs: replica.index === 0 ? stage.settings.wallSkewMs : 0,
      });
      replica.process = this.#process(replica, life);
    });
  }

  #process(replica: Replica, life: Life): OperatorProcess {
    const { stage, board, witness, onKubeSent, log } = this.#parts;
    const { settings, clock: world, model, aws, trace } = stage;
    replica.watches.clear();
    const onCrash = (restartMs: number): void => {
      trace(`${life.name} is killed`);
      this.#begin(replica, restartMs);
    };
    const shared = { world, board, life, onCrash };
    const ports = {
      life,
      log: new SimLogger(log(life)),
      onRefused: () => void board.met.add('lease lost in mid-pass'),
      transport: createKubeNetwork({
        ...shared,
        model,
        watches: replica.watches,
        replica: replica.index,
        onSent: (label, request) => onKubeSent(life, label, request),
      }),
      api: (leadership: Parameters<typeof createAwsNetwork>[0]['leadership']) =>
        createAwsNetwork({ ...shared, aws, leadership, witness }),
    };
    const options = {
      budget: BUDGETS[settings.budget],
      sweepIntervalMs: settings.sweepMs,
      concurrency: settings.concurrency,
      election: settings.election,
      mode: settings.mode ?? 'reconcile',
      readinessGates: settings.readinessGates ?? false,
      secrets: settings.secrets ?? false,
      ...(settings.isClusterIdConfigured && { clusterId: CLUSTER }),
    };
    return new OperatorProcess(ports, options, () => {
      trace(`${life.name} has ended`);
      this.#begin(replica, RESTART_MS);
    });
  }
}
