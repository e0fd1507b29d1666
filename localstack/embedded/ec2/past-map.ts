import { STALE_HORIZON_MS } from '../load-balancers/balancer-store.ts';

interface Change<Value> {
  readonly atMs: number;
  readonly key: string;
  readonly before: Value | undefined;
}

/** A map that knows what it was lately. Values are replaced, never changed in place. */
export class PastMap<Value> extends Map<string, Value> {
  readonly #nowMs: () => number;
  #changes: Change<Value>[] = [];

  constructor(nowMs: () => number) {
    super();
    this.#nowMs = nowMs;
  }

  override set(key: string, value: Value): this {
    this.#remember(key);
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.#remember(key);
    return super.delete(key);
  }

  override clear(): void {
    this.#changes = [];
    super.clear();
  }

  /** As it was at `atMs`, at most STALE_HORIZON_MS back. */
  asOf(atMs: number): Map<string, Value> {
    const past = new Map(this);
    for (const { key, before } of this.#changes.filter((one) => one.atMs > atMs).toReversed()) {
      if (before === undefined) past.delete(key);
      else past.set(key, before);
    }
    return past;
  }

  #remember(key: string): void {
    const nowMs = this.#nowMs();
    const oldestMs = nowMs - STALE_HORIZON_MS;
    this.#changes = this.#changes.filter(({ atMs }) => atMs >= oldestMs);
    this.#changes.push({ atMs: nowMs, key, before: this.get(key) });
  }
}
