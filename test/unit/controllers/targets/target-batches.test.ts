import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../../src/aws/elbv2/traffic.ts';
import { type Refusal, sendInParts } from '../../../../src/controllers/targets/target-batches.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';

const batchOf = (count: number): readonly Target[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `10.0.${index >> 8}.${index & 255}`,
    port: 80,
  }));

function refuse(message: string): OperatorError {
  return new OperatorError({ reason: 'InvalidTarget', message, healedBy: 'person' });
}

interface Sent {
  readonly calls: readonly number[];
  readonly taken: readonly Target[];
  readonly refusals: readonly Refusal[];
}

/** Of AWS, which takes all targets of a call or none. */
async function sendTo(
  batch: readonly Target[],
  isBad: (target: Target) => boolean,
  explain = (_bad: readonly Target[]): string => 'a target is not valid',
): Promise<Sent> {
  const calls: number[] = [];
  const taken: Target[] = [];
  const refusals = await sendInParts(batch, async (part) => {
    calls.push(part.length);
    const bad = part.filter(isBad);
    if (bad.length > 0) throw refuse(explain(bad));
    taken.push(...part);
  });
  return { calls, taken, refusals };
}

const ids = (targets: readonly Target[]): readonly string[] =>
  targets.map(({ id }) => id).toSorted();

describe('a batch', () => {
  it('without a bad target is one call', async () => {
    expect(await sendTo(batchOf(200), () => false)).toMatchObject({ calls: [200], refusals: [] });
  });

  it('costs two calls more where AWS names the bad one', async () => {
    const bad = '10.0.0.77';
    const explain = (): string => `The following targets are not in the VPC 'vpc-1': '${bad}'`;
    const { calls, refusals } = await sendTo(batchOf(200), ({ id }) => id === bad, explain);
    expect(calls).toEqual([200, 199, 1]);
    expect(refusals.map(({ targets }) => ids(targets))).toEqual([[bad]]);
  });

  it('is not misled by an address in the message', async () => {
    const explain = (): string => "10.0.0.1 and 10.0.0.2 are fine, others are not, says '10.9.9.9'";
    const { taken, refusals } = await sendTo(batchOf(8), ({ id }) => id === '10.0.0.5', explain);
    expect(taken).toHaveLength(7);
    expect(refusals.flatMap(({ targets }) => ids(targets))).toEqual(['10.0.0.5']);
  });

  it('loses none but the bad one, wherever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), fc.nat(), async (count, at) => {
        const batch = batchOf(count);
        const bad = batch[at % count]?.id ?? '';
        const { calls, taken, refusals } = await sendTo(batch, ({ id }) => id === bad);
        expect(ids(taken)).toEqual(ids(batch).filter((id) => id !== bad));
        expect(refusals.flatMap(({ targets }) => ids(targets))).toEqual([bad]);
        expect(calls.length).toBeLessThanOrEqual(17);
      }),
    );
  });

  it('that is bad altogether is given up after a few calls', async () => {
    const { calls, refusals } = await sendTo(batchOf(200), () => true);
    expect(calls).toEqual([200, 100, 100, 50, 50, 50]);
    expect(refusals.flatMap(({ targets }) => targets)).toHaveLength(200);
  });

  it('fails with every failure that is not about a target', async () => {
    const throttled = new OperatorError({ reason: 'Throttled', message: 'wait', healedBy: 'time' });
    await expect(sendInParts(batchOf(2), () => Promise.reject(throttled))).rejects.toBe(throttled);
  });
});
