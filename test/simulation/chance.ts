import { type Random, seededRandom } from '../../localstack/embedded/ec2/seeded-ids.ts';

/** Draws for a generator, all from one seed. */
export class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** For one purpose of a seed, told apart by an odd factor; no two seeds of 32 bits share one. */
  static of(seed: number, factor: number, offset: number): Chance {
    return new Chance(Math.imul(seed, factor) + offset);
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A whole number from `least` up to and including `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  /** Each with its weight. */
  weighted<T>(choices: readonly (readonly [number, T])[]): T {
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#random() * total;
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return choices[0]?.[1] as T;
  }

  times<T>(count: number, make: (index: number) => T): readonly T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
