import type { Clock } from '../../core/ports/clock.ts';
import type { Payer } from '../client/aws-call.ts';

export interface BatchOptions<V> {
  readonly clock: Clock;
  /** Most keys of one load; more of them become several. */
  readonly mostKeys: number;
  /**
   * Answers every key of `keys`; its failure is the failure of all who asked for one of them. What
   * may name a key, or concerns one alone, is a rejected promise for that key: no asker reads of
   * another's.
   */
  load(
    keys: readonly string[],
    signal: AbortSignal,
    findPayer: FindPayer,
  ): Promise<ReadonlyMap<string, V | Promise<V>>>;
}

/** The payer of a call that reads these keys of a load. */
export type FindPayer = (keys: readonly string[]) => Payer;

/** Reads within this time of the first share its load. */
const MOMENT_MS = 5;
/** Loads under way at once, so that a large batch does not empty the budget in one go. */
const MOST_LOADS = 4;

interface Asker<V> {
  readonly key: string;
  readonly payer: Payer;
  readonly resolve: (value: V | Promise<V>) => void;
  readonly reject: (reason: unknown) => void;
  hasLeft: boolean;
  /** Set once the asker's load is put together. */
  load?: Load<V>;
}

interface Load<V> {
  readonly askers: readonly Asker<V>[];
  readonly controller: AbortController;
}

/**
 * Turns many questions of one moment into few loads. An asker whose signal aborts leaves at once and
 * the load goes on for the others; it is aborted when the last one has left.
 */
export class Batch<V> {
  readonly #options: BatchOptions<V>;
  #gathering: Asker<V>[] = [];
  readonly #ready: Load<V>[] = [];
  #running = 0;

  constructor(options: BatchOptions<V>) {
    this.#options = options;
  }

  /**
   * `payer.namespace`: whose queue in the budget a call waits in, if no other asks for what it reads.
   * Of several reservations one pays, the others are given back.
   */
  ask(key: string, signal: AbortSignal, payer: Payer = {}): Promise<V> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<V>();
    const asker: Asker<V> = { key, payer, resolve, reject, hasLeft: false };
    const onAbort = (): void => {
      reject(signal.reason);
      leave(asker);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#join(asker);
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #join(asker: Asker<V>): void {
    if (this.#gathering.length === 0) {
      this.#options.clock.setTimer(MOMENT_MS, () => this.#close());
    }
    this.#gathering.push(asker);
  }

  #close(): void {
    this.#ready.push(...split(this.#gathering, this.#options.mostKeys));
    this.#gathering = [];
    this.#startNext();
  }

  #startNext(): void {
    while (this.#running < MOST_LOADS) {
      const load = this.#ready.shift();
      if (!load) return;
      this.#running++;
      void answer(load, this.#options).finally(() => {
        this.#running--;
        this.#startNext();
      });
    }
  }
}

function leave<V>(asker: Asker<V>): void {
  asker.hasLeft = true;
  const { load } = asker;
  if (load?.askers.every(({ hasLeft }) => hasLeft)) load.controller.abort();
}

async function answer<V>(load: Load<V>, options: BatchOptions<V>): Promise<void> {
  const present = load.askers.filter(({ hasLeft }) => !hasLeft);
  if (present.length === 0) return;
  try {
    const keys = [...new Set(present.map(({ key }) => key))];
    const findPayer: FindPayer = (read) =>
      choosePayer(present.filter(({ key }) => read.includes(key)));
    const values = await options.load(keys, load.controller.signal, findPayer);
    for (const { key, resolve } of present) resolve(values.get(key) as V | Promise<V>);
  } catch (reason) {
    for (const { reject } of present) reject(reason);
  }
}

function choosePayer<V>(askers: readonly Asker<V>[]): Payer {
  const [namespace, ...others] = new Set(askers.map(({ payer }) => payer.namespace));
  const reservation = askers.find(({ payer }) => payer.reservation)?.payer.reservation;
  const isUnderWay = askers.some(({ payer }) => payer.isUnderWay);
  return {
    ...(reservation && { reservation }),
    ...(isUnderWay && { isUnderWay }),
    ...(namespace !== undefined && others.length === 0 && { namespace }),
  };
}

function split<V>(askers: readonly Asker<V>[], mostKeys: number): Load<V>[] {
  const byKey = [...Map.groupBy(askers, ({ key }) => key).values()];
  const loads: Load<V>[] = [];
  for (let first = 0; first < byKey.length; first += mostKeys) {
    const own = byKey.slice(first, first + mostKeys).flat();
    const load = { askers: own, controller: new AbortController() };
    for (const asker of own) asker.load = load;
    loads.push(load);
  }
  return loads;
}
