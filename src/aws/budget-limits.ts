import type { BucketName } from './aws-operations.ts';
import type { BucketLimits } from './token-bucket.ts';

export type BudgetLimits = Readonly<Record<BucketName, BucketLimits>>;

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/throttling.html */
export const AWS_LIMITS: BudgetLimits = {
  reads: { burst: 40, perSecond: 10 },
  writes: { burst: 20, perSecond: 3 },
  intensive: { burst: 10, perSecond: 0.2 },
};

const BOUNDLESS: BucketLimits = { burst: 1e9, perSecond: 1e9 };

/** No limit of our own; a refusal by AWS still slows the process. */
export const NO_LIMITS: BudgetLimits = {
  reads: BOUNDLESS,
  writes: BOUNDLESS,
  intensive: BOUNDLESS,
};

export type ParsedLimits =
  | { readonly kind: 'limits'; readonly limits: BudgetLimits }
  /** One sentence for each thing that is wrong. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/**
 * Reads the content of a budget file, JSON of this shape, each bucket optional (AWS's numbers then):
 * `{"reads": {"burst": 40, "perSecond": 10}, "writes": {…}, "intensive": {…}}`.
 */
export function parseBudgetLimits(text: string): ParsedLimits {
  const file = parseJson(text);
  if (file === undefined) return problems(['the budget file is not JSON']);
  if (!isRecord(file)) return problems(['the budget file must hold a JSON object']);
  const found = [
    ...unknownBuckets(file),
    ...bucketNames.flatMap((name) => judge(name, file[name])),
  ];
  if (found.length > 0) return problems(found);
  return { kind: 'limits', limits: { ...AWS_LIMITS, ...(file as Partial<BudgetLimits>) } };
}

const bucketNames = ['reads', 'writes', 'intensive'] as const satisfies readonly BucketName[];
const limitNames = ['burst', 'perSecond'] as const satisfies readonly (keyof BucketLimits)[];

function unknownBuckets(file: Readonly<Record<string, unknown>>): readonly string[] {
  const known: readonly string[] = bucketNames;
  return Object.keys(file)
    .filter((name) => !known.includes(name))
    .map((name) => `"${name}" is no bucket, there are ${bucketNames.join(', ')}`);
}

function judge(name: BucketName, bucket: unknown): readonly string[] {
  if (bucket === undefined) return [];
  if (!isRecord(bucket)) return [`"${name}" must be an object with burst and perSecond`];
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problems(found: readonly string[]): ParsedLimits {
  return { kind: 'problems', problems: found };
}
