import type { Clock } from '../../core/ports/clock.ts';
import type { Payer } from '../client/aws-call.ts';
import { Batch } from './batch.ts';

export interface SharedReadOptions<V> {
  readonly clock: Clock;
  readonly load: (key: string, signal: AbortSignal, payer: Payer) => Promise<V>;
}

interface Answer<V> {
  readonly value: V;
  readonly atMs: number;
}

/** Reads of the whole account: one answer serves every object that accepts its age. */
export class SharedRead<V> {
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer<V>>();
  readonly #batch: Batch<V>;

  constructor({ clock, load }: SharedReadOptions<V>) {
    this.#clock = clock;
    this.#batch = new Batch<V>({
      clock,
      mostKeys: 1,
      load: async (keys, signal, findPayer) => {
        const [key = ''] = keys;
        const atMs = clock.monotonicMs();
        const value = await load(key, signal, findPayer(keys));
        this.#answers.set(key, { value, atMs });
        return new Map([[key, value]]);
      },
    });
  }

  /** An answer that is younger than `maxAgeMs`, else a new one. */
  async read(
    key: string,
    { maxAgeMs, payer }: { readonly maxAgeMs: number; readonly payer: Payer },
    signal: AbortSignal,
  ): Promise<V> {
    const known = this.#answers.get(key);
    const isYoung = known !== undefined && this.#clock.monotonicMs() - known.atMs < maxAgeMs;
    return isYoung ? known.value : this.#batch.ask(key, signal, payer);
  }
}
