import { isFields } from '../../core/objects/fields.ts';
import type { BucketName } from '../client/operation-traits.ts';
import type { BucketLimits } from './token-bucket.ts';

export type BudgetLimits = Readonly<Record<BucketName, BucketLimits>>;

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html */
export const AWS_LIMITS: BudgetLimits = {
  account: { burst: 40, perSecond: 10 },
  reads: { burst: 40, perSecond: 10 },
  writes: { burst: 20, perSecond: 3 },
  intensive: { burst: 10, perSecond: 0.2 },
  registrations: { burst: 20, perSecond: 4 },
  // Of each operation of EC2; that of writes is unverified.
  // https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
  ec2Reads: { burst: 100, perSecond: 20 },
  ec2Writes: { burst: 50, perSecond: 5 },
  // Of ListCertificates; the burst is unverified.
  // https://docs.aws.amazon.com/acm/latest/userguide/acm-limits.html#api-rate-limits
  acmReads: { burst: 8, perSecond: 8 },
};

/** Of AWS's buckets albridge leaves a fifth to everybody else in the account. */
const OWN_SHARE = 0.8;

/** The limits of the process by default. */
export const DEFAULT_LIMITS: BudgetLimits = mapBuckets((name) =>
  computeShare(AWS_LIMITS[name], OWN_SHARE),
);

const BOUNDLESS: BucketLimits = { burst: 1e9, perSecond: 1e9 };

/** No limit of our own; a refusal by AWS still slows the process. */
export const NO_LIMITS: BudgetLimits = mapBuckets(() => BOUNDLESS);

/** Of a command beside the operator, which may want as much at the time. */
const COMMAND_SHARE = 0.5;

const READS: readonly BucketName[] = ['account', 'reads', 'ec2Reads', 'acmReads'];

/** Of a command that reads, and sends a write only after the answer to the one before. */
export const COMMAND_LIMITS: BudgetLimits = mapBuckets((name) =>
  READS.includes(name) ? computeShare(AWS_LIMITS[name], COMMAND_SHARE) : BOUNDLESS,
);

export type ParsedLimits =
  | { readonly kind: 'limits'; readonly limits: BudgetLimits }
  /** One sentence for each thing that is wrong. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/**
 * Reads the content of a budget file, JSON of this shape, each bucket optional (the default then):
 * `{"account": {"burst": 40, "perSecond": 10}, "reads": {…}, "writes": {…}, …}`.
 */
export function parseBudgetLimits(text: string): ParsedLimits {
  const file = parseJson(text);
  if (file === undefined) return createProblems(['the budget file is not JSON']);
  if (!isFields(file)) return createProblems(['the budget file must hold a JSON object']);
  const found = [
    ...findUnknownBuckets(file),
    ...listBucketNames().flatMap((name) => judge(name, file[name])),
  ];
  if (found.length > 0) return createProblems(found);
  return { kind: 'limits', limits: { ...DEFAULT_LIMITS, ...(file as Partial<BudgetLimits>) } };
}

function mapBuckets(limitsFor: (name: BucketName) => BucketLimits): BudgetLimits {
  const limits = listBucketNames().map((name) => [name, limitsFor(name)] as const);
  return Object.fromEntries(limits) as BudgetLimits;
}

function listBucketNames(): readonly BucketName[] {
  return Object.keys(AWS_LIMITS) as BucketName[];
}

const limitNames = ['burst', 'perSecond'] as const satisfies readonly (keyof BucketLimits)[];

function findUnknownBuckets(file: Readonly<Record<string, unknown>>): readonly string[] {
  const known: readonly string[] = listBucketNames();
  return Object.keys(file)
    .filter((name) => !known.includes(name))
    .map((name) => `"${name}" is not a bucket; the buckets are ${listBucketNames().join(', ')}`);
}

function judge(name: BucketName, bucket: unknown): readonly string[] {
  if (bucket === undefined) return [];
  if (!isFields(bucket)) return [`"${name}" must be an object with burst and perSecond`];
  const known: readonly string[] = limitNames;
  return [
    ...Object.keys(bucket)
      .filter((key) => !known.includes(key))
      .map((key) => `"${name}.${key}" is unknown, a bucket has burst and perSecond`),
    ...limitNames.flatMap((key) => judgeNumber(`${name}.${key}`, key, bucket[key])),
  ];
}

function judgeNumber(path: string, key: keyof BucketLimits, value: unknown): readonly string[] {
  if (typeof value !== 'number' || !Number.isFinite(value)) return [`"${path}" must be a number`];
  // A bucket that cannot hold one whole token would never grant anything.
  if (key === 'burst' && value < 1) return [`"${path}" must be at least 1`];
  return value > 0 ? [] : [`"${path}" must be greater than 0`];
}

function computeShare({ burst, perSecond }: BucketLimits, share: number): BucketLimits {
  const round = (value: number): number => Number(value.toFixed(3));
  return { burst: round(burst * share), perSecond: round(perSecond * share) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function createProblems(found: readonly string[]): ParsedLimits {
  return { kind: 'problems', problems: found };
}
