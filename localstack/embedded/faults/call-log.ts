import type { Input } from '../input-fields.ts';

/** One request that reached an operation. */
export interface Call {
  /** Arrival, epoch ms. */
  readonly at: number;
  readonly service: string;
  readonly operation: string;
  readonly input: Input;
  /** `ok`, an error code, `connectionLost`, `html500`, or `pending`. */
  readonly outcome: string;
  readonly userAgent?: string;
}

/** Calls kept; the counts go on beyond it. */
const KEPT_CALLS = 20_000;

/** Every request with its outcome, and counts per operation. */
export class CallLog {
  #calls: Call[] = [];
  readonly #counts = new Map<string, number>();

  /** Notes an arrival; the returned function notes its outcome. */
  open(call: Omit<Call, 'outcome'>): (outcome: string) => void {
    const entry = { ...call, outcome: 'pending' };
    if (this.#calls.length >= 2 * KEPT_CALLS) this.#calls = this.#calls.slice(-KEPT_CALLS);
    this.#calls.push(entry);
    this.#counts.set(call.operation, (this.#counts.get(call.operation) ?? 0) + 1);
    return (outcome) => {
      entry.outcome = outcome;
    };
  }

  /** The latest calls, oldest first; of one operation, if given. */
  calls(operation?: string): readonly Call[] {
    const kept = this.#calls.slice(-KEPT_CALLS);
    return operation === undefined ? kept : kept.filter((call) => call.operation === operation);
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  clear(): void {
    this.#calls = [];
    this.#counts.clear();
  }
}
