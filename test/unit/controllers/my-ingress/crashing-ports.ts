/** Where one incarnation of the operator dies. */
export interface CrashPlan {
  readonly port: 'aws' | 'kube';
  /** The how-manieth operation of that port, counted from 1. */
  readonly at: number;
  readonly when: 'before' | 'unanswered' | 'after';
}

/**
 * One life of the operator's process. When it has ended no operation reaches the world any more and
 * none settles, as for a process that was killed.
 */
export class Incarnation {
  readonly #plan: CrashPlan | undefined;
  readonly #counts = { aws: 0, kube: 0 };
  #isOver = false;

  constructor(plan?: CrashPlan) {
    this.#plan = plan;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Operations begun at a port. */
  count(port: CrashPlan['port']): number {
    return this.#counts[port];
  }

  end(): void {
    this.#isOver = true;
  }

  async through<T>(port: CrashPlan['port'], run: () => Promise<T>): Promise<T> {
    if (this.#isOver) return never();
    const fate = this.#fateOf(port);
    if (fate === 'before') {
      this.end();
      return never();
    }
    const [outcome] = await Promise.allSettled([run()]);
    if (this.#isOver || fate === 'unanswered') {
      this.end();
      return never();
    }
    if (fate === 'after') this.end();
    if (outcome.status === 'fulfilled') return outcome.value;
    throw outcome.reason as Error;
  }

  #fateOf(port: CrashPlan['port']): CrashPlan['when'] | undefined {
    const at = ++this.#counts[port];
    return this.#plan?.port === port && this.#plan.at === at ? this.#plan.when : undefined;
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
