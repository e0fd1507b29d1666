/** The most that the order of one plan's steps may take: some dozen milliseconds, counted in about 20 ns. */
export const MOST_EFFORT = 750_000;

/** Counts what a search does, so that it ends, and ends at the same place on every machine. */
export class Effort {
  readonly most: number;
  #spent = 0;

  constructor(most = MOST_EFFORT) {
    this.most = most;
  }

  get spent(): number {
    return this.#spent;
  }

  spend(count: number): void {
    this.#spent += count;
  }

  /** True once this share of the effort, of 1, is spent. */
  isSpent(share: number): boolean {
    return this.#spent > this.most * share;
  }
}
