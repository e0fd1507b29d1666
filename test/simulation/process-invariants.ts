import type { BudgetLimits } from '../../src/aws/budget/budget-limits.ts';
import type { BucketName } from '../../src/aws/client/operation-traits.ts';
import { getBuckets, getTraits, isWrite } from '../../src/aws/client/operations.ts';
import type { Report } from './violation.ts';
import type { AwsCallSeen } from './world/aws-network.ts';
import type { Life } from './world/life.ts';

export interface ProcessInvariantParts {
  readonly nowMs: () => number;
  readonly limits: BudgetLimits;
  /** Who holds the Lease in truth, '' for nobody; undefined where none is needed. */
  readonly holder: () => string | undefined;
  /** Until then, since a Lease was taken away by hand, two may believe to hold it. */
  readonly leaseDoubtfulUntilMs: () => number;
  readonly report: Report;
}

/** The least hold after a refusal. */
const SHORTEST_HOLD_MS = 500;
/** Of the fault, of the account's buckets for ELB, and of those for EC2. */
const THROTTLES: ReadonlySet<string> = new Set([
  'Throttling',
  'ThrottlingException',
  'RequestLimitExceeded',
]);
const EPSILON = 1e-3;

interface Bucket {
  level: number;
  atMs: number;
  heldUntilMs: number;
}

/** What must hold for each life of each process: its share of the budget, and that it leads. */
export class ProcessInvariants {
  readonly #parts: ProcessInvariantParts;
  readonly #buckets = new Map<Life, Map<BucketName, Bucket>>();

  constructor(parts: ProcessInvariantParts) {
    this.#parts = parts;
  }

  asked(call: AwsCallSeen): void {
    for (const bucket of getBuckets(call.operation)) this.#pay(call, bucket);
  }

  #pay({ life, operation }: AwsCallSeen, name: BucketName): void {
    const { limits, nowMs, report } = this.#parts;
    const { burst, perSecond } = limits[name];
    const bucket = this.#bucketOf(life, name);
    const now = nowMs();
    const gained = ((now - bucket.atMs) / 1000) * perSecond;
    bucket.level = Math.min(burst, bucket.level + gained) - 1;
    bucket.atMs = now;
    if (bucket.level < -EPSILON) {
      report(
        'budget-kept',
        `${life.name} has spent more ${name} than a bucket holds: ${operation}`,
      );
    }
    if (now < bucket.heldUntilMs) {
      report('refusal-slows', `${life.name} sent ${operation} right after a refusal`);
    }
  }

  answered(call: AwsCallSeen, error: unknown): void {
    const { name = '' } = (error ?? {}) as { readonly name?: string };
    if (!THROTTLES.has(name)) return;
    const bucket = this.#bucketOf(call.life, getTraits(call.operation).bucket);
    bucket.heldUntilMs = this.#parts.nowMs() + SHORTEST_HOLD_MS;
  }

  sent({ life, operation }: AwsCallSeen): void {
    if (isWrite(operation)) this.mustLead(life, operation);
  }

  mustLead(life: Life, what: string): void {
    const { holder, report, nowMs, leaseDoubtfulUntilMs } = this.#parts;
    const name = holder();
    if (name === undefined || name === life.name || nowMs() < leaseDoubtfulUntilMs()) return;
    report('only-the-leader-writes', `${life.name} sent ${what}, "${name}" holds the lease`);
  }

  #bucketOf(life: Life, name: BucketName): Bucket {
    const own = this.#buckets.get(life) ?? new Map<BucketName, Bucket>();
    this.#buckets.set(life, own);
    const known = own.get(name);
    if (known) return known;
    const fresh = { level: this.#parts.limits[name].burst, atMs: 0, heldUntilMs: 0 };
    own.set(name, fresh);
    return fresh;
  }
}
