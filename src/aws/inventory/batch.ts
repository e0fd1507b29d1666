import { cut } from '../../core/objects/collections.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Reservation } from '../budget/budget.ts';
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
 * Turns many questions of one moment into few loads, which begin at once: calls wait in the budget,
 * where the namespaces take turns. An asker whose signal aborts leaves at once and the load goes on
 * for the others; it is aborted when the last one has left.
 */
export class Batch<V> {
  readonly #options: BatchOptions<V>;
  #gathering: Asker<V>[] = [];

  constructor(options: BatchOptions<V>) {
    this.#options = options;
  }

  /**
   * `payer.namespace`: whose queue in the budget a call waits in, if no other asks for what it reads.
   * Of several reservations the first with something left pays; the others keep theirs.
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
    const loads = split(this.#gathering, this.#options.mostKeys);
    this.#gathering = [];
    for (const load of loads) void answer(load, this.#options);
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
  const reservations = new Set(askers.flatMap(({ payer }) => payer.reservation ?? []));
  const spend: Reservation['spend'] = (operation) =>
    [...reservations].some((one) => one.spend(operation));
  const isUnderWay = askers.some(({ payer }) => payer.isUnderWay);
  return {
    ...(reservations.size > 0 && { reservation: { spend } }),
    ...(isUnderWay && { isUnderWay }),
    ...(namespace !== undefined && others.length === 0 && { namespace }),
  };
}

/**
 * Keys of a namespace that fill a load have one of their own, which waits in its queue; the rest of all share loads, which
 * wait in one queue together.
 */
function split<V>(askers: readonly Asker<V>[], mostKeys: number): Load<V>[] {
  const byKey = [...Map.groupBy(askers, ({ key }) => key).values()];
  const size = Math.min(mostKeys, byKey.length);
  const byNamespace = Map.groupBy(byKey, ([first]) => first?.payer.namespace);
  const own = [...byNamespace.values()].flatMap((keys) => cut(keys, size));
  const full = own.filter(({ length }) => length === size);
  const rest = own.filter(({ length }) => length < size).flat();
  return [...full, ...cut(rest, size)].map((keys) => {
    const load = { askers: keys.flat(), controller: new AbortController() };
    for (const asker of load.askers) asker.load = load;
    return load;
  });
}
