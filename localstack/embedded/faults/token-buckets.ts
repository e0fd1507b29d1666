import type { Clock } from '../aws-world.ts';

/** Which bucket a request pays into beside the account's. */
export type RequestKind =
  | 'read'
  | 'write'
  | 'registration'
  | 'resourceIntensive'
  | 'ec2Read'
  | 'ec2Write'
  | 'unmetered';

interface Bucket {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/**
 * AWS's buckets per account and region, from AWS's page on their own; the budget's have to be the same.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 */
export const BUCKETS = {
  account: { capacity: 40, refillPerSecond: 10 },
  read: { capacity: 40, refillPerSecond: 10 },
  write: { capacity: 20, refillPerSecond: 3 },
  registration: { capacity: 20, refillPerSecond: 4 },
  resourceIntensive: { capacity: 10, refillPerSecond: 0.2 },
  // EC2 has a bucket for each operation. That of its writes is unverified; reads without filter or
  // page size have a smaller one, which is not modelled.
  // https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
  ec2Read: { capacity: 100, refillPerSecond: 20 },
  ec2Write: { capacity: 50, refillPerSecond: 5 },
} as const satisfies Record<string, Bucket>;

type BucketName = keyof typeof BUCKETS;
type SharedName = Exclude<BucketName, 'ec2Read' | 'ec2Write'>;

interface Level {
  tokens: number;
  atMs: number;
}

/**
 * Every request of ELBv2 takes one token from the account's bucket and one from that of its kind;
 * every one of EC2 one from that of its operation.
 */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #levels = new Map<string, Level>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the tokens of one request, or none of them and returns false. */
  tryTake({ bucket, name }: { readonly bucket: RequestKind; readonly name: string }): boolean {
    const levels = this.#levelsFor(bucket, name);
    if (levels.some((level) => level.tokens < 1)) return false;
    for (const level of levels) level.tokens -= 1;
    return true;
  }

  /** Tokens in each bucket now. */
  levels(): Readonly<Record<SharedName, number>> {
    return {
      account: this.#refilled('account').tokens,
      read: this.#refilled('read').tokens,
      write: this.#refilled('write').tokens,
      registration: this.#refilled('registration').tokens,
      resourceIntensive: this.#refilled('resourceIntensive').tokens,
    };
  }

  refillAll(): void {
    this.#levels.clear();
  }

  #levelsFor(kind: RequestKind, operation: string): readonly Level[] {
    if (kind === 'unmetered') return [];
    if (kind === 'ec2Read' || kind === 'ec2Write') return [this.#refilled(kind, operation)];
    return [this.#refilled('account'), this.#refilled(kind)];
  }

  #refilled(name: BucketName, key: string = name): Level {
    const { capacity, refillPerSecond } = BUCKETS[name];
    const nowMs = this.#clock.now();
    const level = this.#levels.get(key) ?? { tokens: capacity, atMs: nowMs };
    const elapsedSeconds = Math.max(0, nowMs - level.atMs) / 1000;
    level.tokens = Math.min(capacity, level.tokens + elapsedSeconds * refillPerSecond);
    level.atMs = nowMs;
    this.#levels.set(key, level);
    return level;
  }
}
