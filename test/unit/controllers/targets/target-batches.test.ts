import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../../src/aws/elbv2/traffic.ts';
import {
  type Refusal,
  sendInParts,
  VpcBounds,
} from '../../../../src/controllers/targets/target-batches.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { namesOf, podsOf, TargetsBench } from './targets-bench.ts';

/** Outside every subnet of the VPC: AWS asks for the zone `all`. */
const OUTSIDE = '10.9.0.1';
/** No private address. */
const PUBLIC = '8.8.8.8';

const batchOf = (count: number): readonly Target[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `10.0.${index >> 8}.${index & 255}`,
    port: 80,
  }));

function refuse(message: string, reason = 'InvalidTarget'): OperatorError {
  return new OperatorError({ reason, message, healedBy: 'person' });
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

/** Of AWS, which names the first target that it does not take with this zone, or none. */
async function sendPlaced(
  batch: readonly Target[],
  isOutside: (target: Target) => boolean | undefined,
  { bounds = new VpcBounds(), isNaming = true } = {},
): Promise<Sent> {
  const calls: number[] = [];
  const taken: Target[] = [];
  const send = async (part: readonly Target[]): Promise<void> => {
    calls.push(part.length);
    const bad = part.find((one) => isOutside(one) !== (one.zone === 'all'));
    const name = isNaming ? ` '${bad?.id}'` : '';
    if (bad !== undefined) throw refuse(`the IP address${name} and its zone`, 'ValidationError');
    taken.push(...part);
  };
  const refusals = await sendInParts(batch, send, bounds);
  return { calls, taken, refusals };
}

describe('a batch with targets inside and outside the VPC', () => {
  const side = fc.constantFrom('inside', 'outside', 'bad');
  const blocks = fc.uniqueArray(fc.record({ octet: fc.nat(255), side, size: fc.nat(30) }), {
    ...{ minLength: 1, maxLength: 6, selector: ({ octet }) => octet },
  });

  it('loses none but bad ones, at a few calls for each block, and none once the blocks are known', async () => {
    await fc.assert(
      fc.asyncProperty(blocks, async (drawn) => {
        const plans = drawn.map((one) => (one.side === 'bad' ? { ...one, size: 0 } : one));
        const sides = new Map(plans.map(({ octet, side: of }) => [`${octet}`, of]));
        const batch = plans.flatMap(({ octet, size }) =>
          Array.from({ length: size + 1 }, (_, host) => ({
            id: `10.${octet}.7.${host}`,
            port: 80,
          })),
        );
        const read = ({ id }: Target): boolean | undefined => {
          const of = sides.get(id.split('.')[1] ?? '');
          return of === 'bad' ? undefined : of === 'outside';
        };
        const bounds = new VpcBounds();
        const { calls, taken, refusals } = await sendPlaced(batch, read, { bounds });
        const bad = batch.filter((one) => read(one) === undefined);
        const good = batch.filter((one) => read(one) !== undefined);
        fc.pre(bad.length <= 1);
        expect(ids(taken)).toEqual(ids(good));
        expect(refusals.flatMap(({ targets }) => ids(targets))).toEqual(ids(bad));
        const most = 2 * plans.length + 4 * bad.length + 1;
        expect(calls.length).toBeLessThanOrEqual(most);
        const again = await sendPlaced(good, read, { bounds });
        expect(again.calls.length).toBeLessThanOrEqual(bad.length === 0 ? 2 : most);
      }),
    );
  });

  it('that are all outside is taken although AWS names none of them', async () => {
    const { calls, refusals } = await sendPlaced(batchOf(200), () => true, { isNaming: false });
    expect(refusals).toEqual([]);
    expect(calls.slice(6)).toEqual([200]);
  });

  it('is taken although AWS names only those outside, which follow by the next try', async () => {
    const outside = { id: '10.9.0.1', port: 80 };
    const taken: Target[] = [];
    const send = async (part: readonly Target[]): Promise<void> => {
      if (part.some(({ id, zone }) => id === outside.id && zone === undefined)) {
        throw refuse(`'${outside.id}' is outside`, 'ValidationError');
      }
      const isMixed = part.some(({ id, zone }) => id !== outside.id && zone === 'all');
      if (isMixed) throw refuse('one is inside', 'ValidationError');
      taken.push(...part);
    };
    const bounds = new VpcBounds();
    const refusals = await sendInParts([outside, ...batchOf(100)], send, bounds);
    expect(taken).toHaveLength(100);
    expect(refusals.flatMap(({ targets }) => targets)).toEqual([outside]);
    expect(await sendInParts([outside], send, bounds)).toEqual([]);
  });

  it('is not misled by the name of one that is fine', async () => {
    const bounds = new VpcBounds();
    const taken: Target[] = [];
    const refusals = await sendInParts(
      batchOf(8),
      async (part) => {
        const isFine = part.every(({ id, zone }) => (zone === 'all') === (id === '10.0.0.5'));
        if (!isFine) throw refuse("it is not '10.0.0.2'", 'ValidationError');
        taken.push(...part);
      },
      bounds,
    );
    expect(refusals).toEqual([]);
    expect(taken).toHaveLength(8);
  });

  it('that AWS takes in no zone is given up after a few calls', async () => {
    const { calls, refusals } = await sendPlaced(batchOf(200), () => undefined);
    expect(refusals.flatMap(({ targets }) => targets)).toHaveLength(200);
    expect(calls.length).toBeLessThanOrEqual(24);
  });
});

function podsOutside(count: number): ReturnType<typeof podsOf> {
  const ids = Array.from({ length: count }, (_, index) => `10.9.${index % 4}.${index + 1}`);
  return Object.fromEntries(ids.map((id) => [id, 'ready' as const]));
}

describe('a target outside the VPC', () => {
  it('is registered with the zone `all`, next to those inside', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ ...podsOf(3), [OUTSIDE]: 'ready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    expect(bench.registered(arn)).toHaveLength(4);
    expect(bench.state.problem).toBeUndefined();
    bench.runPods(podsOf(3));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(podsOf(3)));
  });

  it('costs one call where the ones before it were outside too', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ [OUTSIDE]: 'ready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.advance(1_000);
    bench.sent();
    bench.runPods({ [OUTSIDE]: 'ready', '10.9.0.2': 'ready' });
    await bench.clock.settle();
    expect(bench.sent()).toEqual(['RegisterTargets 1']);
    expect(bench.registered(arn)).toHaveLength(2);
  });
});

describe('targets inside and outside the VPC', () => {
  it.each([
    [3, 3],
    [10, 10],
    [180, 20],
    [20, 180],
  ])('are all registered within few calls: %d and %d', async (inside, outside) => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ ...podsOf(inside), ...podsOutside(outside) });
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    expect(bench.registered(arn)).toHaveLength(inside + outside);
    expect(bench.state.problem).toBeUndefined();
    expect(bench.sent()).toHaveLength(4);
    bench.runPods({ ...podsOf(inside + 1), ...podsOutside(outside + 1) });
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toHaveLength(inside + outside + 2);
    expect(bench.sent().filter((call) => call.startsWith('Register'))).toHaveLength(2);
  });

  it('do not keep each other out where one of them is bad', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web');
    bench.runPods({ ...podsOf(10), ...podsOutside(10), [PUBLIC]: 'ready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    expect(bench.registered(arn)).toHaveLength(20);
    expect(bench.sent().length).toBeLessThanOrEqual(8);
    expect(bench.state.problem?.message).toContain(`${PUBLIC}:8080: `);
  });
});
