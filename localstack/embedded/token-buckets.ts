import type { Clock } from './aws-world.ts';

/** Which bucket a request pays into beside the account's. */
export type RequestKind = 'read' | 'write' | 'resourceIntensive' | 'unmetered';

interface Bucket {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/**
 * AWS's buckets per account and region.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 */
const BUCKETS = {
  account: { capacity: 40, refillPerSecond: 10 },
  read: { capacity: 40, refillPerSecond: 10 },
  write: { capacity: 20, refillPerSecond: 3 },
  resourceIntensive: { capacity: 10, refillPerSecond: 0.2 },
} as const satisfies Record<string, Bucket>;

type BucketName = keyof typeof BUCKETS;

interface Level {
  tokens: number;
  atMs: number;
}

/** Every request takes one token from the account's bucket and one from that of its kind. */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #levels = new Map<BucketName, Level>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the tokens of one request, or none of them and returns false. */
  tryTake(kind: RequestKind): boolean {
    if (kind === 'unmetered') return true;
    const levels = [this.#refilled('account'), this.#refilled(kind)];
    if (levels.some((level) => level.tokens < 1)) return false;
    for (const level of levels) level.tokens -= 1;
    return true;
  }

  /** Tokens in each bucket now. */
  levels(): Readonly<Record<BucketName, number>> {
    return {
      account: this.#refilled('account').tokens,
      read: this.#refilled('read').tokens,
      write: this.#refilled('write').tokens,
      resourceIntensive: this.#refilled('resourceIntensive').tokens,
    };
  }

  refillAll(): void {
    this.#levels.clear();
  }

  #refilled(name: BucketName): Level {
    const { capacity, refillPerSecond } = BUCKETS[name];
    const nowMs = this.#clock.now();
    const level = this.#levels.get(name) ?? { tokens: capacity, atMs: nowMs };
    const elapsedSeconds = Math.max(0, nowMs - level.atMs) / 1000;
    level.tokens = Math.min(capacity, level.tokens + elapsedSeconds * refillPerSecond);
    level.atMs = nowMs;
    this.#levels.set(name, level);
    return level;
  }
}
