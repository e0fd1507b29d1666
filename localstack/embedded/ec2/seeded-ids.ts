/** Random source: numbers in [0, 1). */
export type Random = () => number;

/** Makes the ids that AWS would choose, from one injected random source. */
export interface Ids {
  /** Lower-case hexadecimal digits. */
  hex(length: number): string;
  /** A decimal number of 8 to 10 digits, as in an ALB's DNS name. */
  digits(): string;
  /** A version 4 UUID, as in a RequestId. */
  uuid(): string;
}

/** A small deterministic generator (mulberry32): the same seed gives the same ids. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createIds(random: Random): Ids {
  const word = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const hex = (length: number): string => {
    let digits = '';
    while (digits.length < length) digits += word();
    return digits.slice(0, length);
  };
  return {
    hex,
    digits: () => String(10_000_000 + Math.floor(random() * 4_000_000_000)),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}
