import { type Random, seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';

export interface LifeOptions {
  readonly world: Clock;
  /** As in events and leases, and in the trace. */
  readonly name: string;
  readonly seed: number;
  /** How wrong the wall clock of its machine is. */
  readonly wallSkewMs: number;
  /** Is told when it is stopped, and when it goes on. */
  readonly trace?: (line: string) => void;
}

/**
 * One life of one process of the operator, from its start to its end. Whatever reaches the process,
 * a timer or an answer, goes through here: while it is stopped (SIGSTOP) it waits, and once the
 * process is dead nothing reaches it any more, so that no catch and no finally of it ever runs.
 */
export class Life {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly #world: Clock;
  readonly #trace: (line: string) => void;
  #state: 'running' | 'stopped' | 'dead' = 'running';
  #waiting: (() => void)[] = [];

  constructor(options: LifeOptions) {
    const { world, name, seed, wallSkewMs, trace = () => {} } = options;
    this.name = name;
    this.#world = world;
    this.#trace = trace;
    this.random = seededRandom(seed);
    this.clock = {
      now: () => world.now() + wallSkewMs,
      monotonicMs: () => world.monotonicMs(),
      random: this.random,
      setTimer: (delayMs, fire) => this.#setTimer(delayMs, fire),
    };
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isStopped(): boolean {
    return this.#state === 'stopped';
  }

  /** kill -9: what the process has sent is on its way, all else of it is gone. */
  die(): void {
    this.#state = 'dead';
    this.#waiting = [];
  }

  /** SIGSTOP. */
  stop(): void {
    if (this.#state !== 'running') return;
    this.#state = 'stopped';
    this.#trace(`${this.name} is stopped`);
  }

  /** SIGCONT: what has become due meanwhile happens, one thing after the other, in any order. */
  goOn(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'running';
    this.#trace(`${this.name} goes on`);
    const waiting = this.#waiting.splice(0);
    while (waiting.length > 0) {
      const [next] = waiting.splice(Math.floor(this.random() * waiting.length), 1);
      if (next) this.#world.setTimer(0, () => this.reach(next));
    }
  }

  /** Does `act` within the process: now, when it goes on, or never. */
  reach(act: () => void): void {
    if (this.#state === 'running') act();
    else if (this.#state === 'stopped') this.#waiting.push(act);
  }

  #setTimer(delayMs: number, fire: () => void): () => void {
    let isCancelled = false;
    const run = (): void => {
      if (!isCancelled) fire();
    };
    const cancel = this.#world.setTimer(delayMs, () => this.reach(run));
    return () => {
      isCancelled = true;
      cancel();
    };
  }
}
