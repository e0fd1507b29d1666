import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import { askListener } from './listener-client.ts';

const TICK_MS = 5;

export interface Counts {
  readonly sent: number;
  /** Neither a 200 nor answered at all. */
  readonly lost: number;
  /** Most by which the client was late with a request. */
  readonly behindMs: number;
  /** How many got each status; where no answer came, the code of the error. */
  readonly statuses: Readonly<Record<string, number>>;
}

interface RequestLoadOptions {
  readonly listener: ListenerAddress;
  /** In turns. */
  readonly paths: readonly string[];
  readonly perSecond: number;
}

/** Requests at a fixed rate, whatever becomes of the ones before, on as many kept connections as it takes. */
export class RequestLoad {
  readonly #options: RequestLoadOptions;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #statuses = new Map<string, number>();
  #sent = 0;
  #behindMs = 0;

  private constructor(options: RequestLoadOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sendDue(), TICK_MS);
  }

  /** The counts of what is sent while `work` goes on. */
  static async during(options: RequestLoadOptions, work: () => Promise<void>): Promise<Counts> {
    const load = new RequestLoad(options);
    try {
      await work();
    } catch (error) {
      await load.#stop();
      throw error;
    }
    return load.#stop();
  }

  /** The counts once every request is answered. */
  async #stop(): Promise<Counts> {
    clearInterval(this.#timer);
    await Promise.all(this.#inFlight);
    const lost = this.#sent - (this.#statuses.get('200') ?? 0);
    const statuses = Object.fromEntries(this.#statuses);
    return { sent: this.#sent, lost, behindMs: this.#behindMs, statuses };
  }

  #sendDue(): void {
    const { paths, perSecond } = this.#options;
    const sinceMs = performance.now() - this.#startedMs;
    const dueMs = (): number => (this.#sent * 1000) / perSecond;
    this.#behindMs = Math.max(this.#behindMs, sinceMs - dueMs());
    for (; dueMs() <= sinceMs; this.#sent++) {
      const asked = this.#ask(paths[this.#sent % paths.length] ?? '/');
      this.#inFlight.add(asked);
      void asked.finally(() => this.#inFlight.delete(asked));
    }
  }

  async #ask(path: string): Promise<void> {
    const status = await askListener(this.#options.listener, { path }).then(
      (answer) => String(answer.status),
      ({ code = 'unknown' }: NodeJS.ErrnoException) => code,
    );
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }
}
