import { describe, expect, it } from 'vitest';
import {
  AWS_LIMITS,
  COMMAND_LIMITS,
  DEFAULT_LIMITS,
  parseBudgetLimits,
} from '../../../../src/aws/budget/budget-limits.ts';

describe('the limits that albridge keeps by default', () => {
  it("leave a fifth of each of AWS's buckets to others in the account", () => {
    for (const [name, { burst, perSecond }] of Object.entries(AWS_LIMITS)) {
      const own = DEFAULT_LIMITS[name as keyof typeof AWS_LIMITS];
      expect(own.burst).toBeCloseTo(burst * 0.8);
      expect(own.perSecond).toBeCloseTo(perSecond * 0.8);
    }
  });
});

describe('the limits of a command', () => {
  it.each(['account', 'reads', 'ec2Reads', 'acmReads'] as const)(
    "take half of AWS's bucket of %s, next to an operator",
    (name) => {
      const { burst, perSecond } = AWS_LIMITS[name];
      expect(COMMAND_LIMITS[name]).toEqual({ burst: burst / 2, perSecond: perSecond / 2 });
    },
  );
});

describe('parseBudgetLimits', () => {
  it("takes AWS's numbers where the file says nothing", () => {
    const text = '{"reads": {"burst": 200, "perSecond": 50}}';
    expect(parseBudgetLimits(text)).toEqual({
      kind: 'limits',
      limits: { ...DEFAULT_LIMITS, reads: { burst: 200, perSecond: 50 } },
    });
    expect(parseBudgetLimits('{}')).toEqual({ kind: 'limits', limits: DEFAULT_LIMITS });
  });

  const bad: Readonly<Record<string, { text: string; problems: string[]; why: string }>> = {
    'no JSON': {
      text: 'reads=40',
      problems: ['the budget file is not JSON'],
      why: 'a typing slip',
    },
    'an array': {
      text: '[]',
      problems: ['the budget file must hold a JSON object'],
      why: 'JSON of another shape',
    },
    'an unknown bucket and a bad one': {
      text: '{"read": {}, "writes": 3}',
      problems: [
        '"read" is not a bucket; the buckets are account, reads, writes, intensive, registrations, ec2Reads, ec2Writes, acmReads',
        '"writes" must be an object with burst and perSecond',
      ],
      why: 'all problems are told at once, and a misspelt bucket is not ignored',
    },
    'numbers that could never grant': {
      text: '{"reads": {"burst": 0.5, "perSecond": 0, "rate": 1}}',
      problems: [
        '"reads.rate" is unknown, a bucket has burst and perSecond',
        '"reads.burst" must be at least 1',
        '"reads.perSecond" must be greater than 0',
      ],
      why: 'the operator would stand still',
    },
    'a missing number and a text': {
      text: '{"intensive": {"burst": "10"}}',
      problems: ['"intensive.burst" must be a number', '"intensive.perSecond" must be a number'],
      why: 'half a bucket is more likely a slip than a wish',
    },
    null: {
      text: '{"reads": null}',
      problems: ['"reads" must be an object with burst and perSecond'],
      why: 'null is not "as AWS has it"',
    },
  };

  for (const [name, { text, problems, why }] of Object.entries(bad)) {
    it(`refuses ${name}, because: ${why}`, () => {
      expect(parseBudgetLimits(text)).toEqual({ kind: 'problems', problems });
    });
  }
});
