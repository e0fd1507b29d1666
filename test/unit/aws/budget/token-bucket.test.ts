import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket, type TokenRequest } from '../../../../src/aws/budget/token-bucket.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const creates = { burst: 10, perSecond: 0.2 };

function emptied(limits = creates, namespace = ''): { clock: ManualClock; bucket: TokenBucket } {
  const clock = new ManualClock();
  const bucket = new TokenBucket(clock, limits);
  for (let i = 0; i < limits.burst; i++) expect(take(bucket, `first ${i}`, namespace)).toBe(0);
  return { clock, bucket };
}

/** 0: granted and spent; otherwise the milliseconds until its turn. */
function take(bucket: TokenBucket, key: string, more: string | Partial<TokenRequest> = {}): number {
  const claim: TokenRequest = { key, ...(typeof more === 'string' ? { namespace: more } : more) };
  const turnInMs = bucket.turnInMs(claim);
  if (turnInMs > 0) return turnInMs;
  bucket.take(claim);
  for (let i = 0; i < (claim.count ?? 1); i++) bucket.spend();
  return 0;
}

describe('TokenBucket', () => {
  it('gives ninety waiting claims ninety different turns, one token apart', () => {
    const { bucket } = emptied();
    const waits = Array.from({ length: 90 }, (_, i) => take(bucket, `claim ${i}`));
    expect(waits).toEqual(Array.from({ length: 90 }, (_, i) => 5000 * (i + 1)));
  });

  it('gives each claim its token at its turn, even if newcomers ask all the time', async () => {
    const { clock, bucket } = emptied();
    const claims = Array.from({ length: 20 }, (_, i) => `claim ${i}`);
    for (const claim of claims) take(bucket, claim);
    for (const claim of claims) {
      await clock.advance(5000);
      for (let i = 0; i < 3; i++) expect(take(bucket, `newcomer ${claim} ${i}`)).toBeGreaterThan(0);
      expect(take(bucket, claim)).toBe(0);
    }
  });

  it('serves what is under way before what has not begun, in its namespace alone', async () => {
    const { clock, bucket } = emptied(creates, 'web');
    expect(take(bucket, 'plan', { namespace: 'web', count: 2 })).toBe(10_000);
    expect(take(bucket, 'neighbour', 'api')).toBe(5000);
    expect(take(bucket, 'second', { namespace: 'web', isUnderWay: true })).toBe(10_000);
    expect(take(bucket, 'third', { namespace: 'web', isUnderWay: true })).toBe(15_000);
    await clock.advance(5000);
    expect(take(bucket, 'neighbour', 'api')).toBe(0);
    await clock.advance(5000);
    expect(take(bucket, 'second', { namespace: 'web', isUnderWay: true })).toBe(0);
    expect(take(bucket, 'plan', { namespace: 'web', count: 2 })).toBeGreaterThan(0);
    await clock.advance(5000);
    expect(take(bucket, 'third', { namespace: 'web', isUnderWay: true })).toBe(0);
  });

  it('gets nothing back while it is held, however many tokens a pass returns', () => {
    const bucket = new TokenBucket(new ManualClock(), { burst: 4, perSecond: 1 });
    const plan = { key: 'plan', count: 2 };
    expect(bucket.turnInMs(plan)).toBe(0);
    bucket.take(plan);
    bucket.drain(500);
    bucket.giveBack(2);
    expect(take(bucket, 'next')).toBe(1500);
  });

  it('does not fill beyond its burst for the time before a taken token is spent', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { burst: 4, perSecond: 1 });
    const plan = { key: 'plan', count: 2 };
    expect(bucket.turnInMs(plan)).toBe(0);
    bucket.take(plan);
    await clock.advance(10_000);
    bucket.spend();
    bucket.spend();
    expect(['one', 'two', 'three'].map((key) => take(bucket, key))).toEqual([0, 0, 1000]);
  });

  it('gives a claim that comes too early the rest of its wait, and keeps its place', async () => {
    const { clock, bucket } = emptied();
    take(bucket, 'first');
    take(bucket, 'second');
    await clock.advance(3000);
    expect(take(bucket, 'second')).toBe(7000);
    expect(take(bucket, 'third')).toBe(12_000);
  });

  it('gives a claim its token at its due time, however often others have asked', async () => {
    const { clock, bucket } = emptied({ burst: 1, perSecond: 1 });
    expect(take(bucket, 'first')).toBe(1000);
    // Ten tenths of a token are less than one in floating point.
    for (let i = 0; i < 10; i++) {
      await clock.advance(100);
      void bucket.level;
    }
    expect(take(bucket, 'first')).toBe(0);
  });

  it('forgets a namespace without a claim once it is full', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { burst: 2, perSecond: 1 });
    for (const namespace of ['a', 'b']) expect(take(bucket, 'first', namespace)).toBe(0);
    await clock.advance(2000);
    for (const key of ['one', 'two']) expect(take(bucket, key, 'c')).toBe(0);
    // Else `a` would go first, which was served before `b`.
    expect(take(bucket, 'second', 'b')).toBe(1000);
    expect(take(bucket, 'second', 'a')).toBe(2000);
  });

  it('gives the token of an abandoned turn to the next who asks, after a while', async () => {
    const { clock, bucket } = emptied();
    take(bucket, 'gone');
    take(bucket, 'patient');
    await clock.advance(9999);
    expect(take(bucket, 'newcomer')).toBeGreaterThan(0);
    await clock.advance(1);
    expect(take(bucket, 'patient')).toBe(0);
    await clock.advance(10_001);
    expect(take(bucket, 'another newcomer')).toBe(0);
  });

  it('keeps no more than about half of a full bucket for claims that do not come back', async () => {
    const { clock, bucket } = emptied({ burst: 40, perSecond: 10 });
    for (let i = 0; i < 400; i++) take(bucket, `gone ${i}`);
    await clock.advance(20_000);
    const granted = Array.from({ length: 40 }, (_, i) => take(bucket, `newcomer ${i}`));
    expect(granted.filter((waitMs) => waitMs === 0).length).toBeGreaterThanOrEqual(19);
  });

  it('drops a turn that is given back', () => {
    const { bucket } = emptied();
    take(bucket, 'gone');
    bucket.abandon({ key: 'gone' });
    expect(take(bucket, 'next')).toBe(5000);
  });

  it('grants nothing while it is held, and then begins with an empty bucket', async () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { burst: 40, perSecond: 10 });
    bucket.drain(500);
    expect(take(bucket, 'a')).toBe(600);
    expect(take(bucket, 'b')).toBe(700);
    await clock.advance(600);
    expect(take(bucket, 'b')).toBe(100);
    expect(take(bucket, 'a')).toBe(0);
  });

  it('puts turns that were given before a hold behind it, in their order', async () => {
    const { clock, bucket } = emptied();
    take(bucket, 'a');
    take(bucket, 'b');
    bucket.drain(20_000);
    await clock.advance(5000);
    expect(take(bucket, 'a')).toBe(20_000);
    expect(take(bucket, 'b')).toBe(25_000);
  });

  it('serves a neighbour after one claim of a namespace that asks for 500', async () => {
    const { clock, bucket } = emptied(creates, 'tenant');
    for (let i = 0; i < 500; i++) take(bucket, `claim ${i}`, 'tenant');
    expect(take(bucket, 'shop', 'neighbour')).toBe(5000);
    await clock.advance(5000);
    expect(take(bucket, 'claim 0', 'tenant')).toBe(5000);
    expect(take(bucket, 'shop', 'neighbour')).toBe(0);
    await clock.advance(5000);
    expect(take(bucket, 'claim 0', 'tenant')).toBe(0);
  });

  it('goes round the namespaces, and keeps the order within each', async () => {
    const { clock, bucket } = emptied();
    const claims = ['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'c 1', 'b 3'];
    const waiting = new Set(claims);
    const served: string[] = [];
    for (const claim of claims) take(bucket, claim, claim[0]);
    while (waiting.size > 0) {
      await clock.advance(5000);
      // Those behind ask first.
      for (const claim of [...waiting].toReversed()) {
        if (take(bucket, claim, claim[0]) > 0) continue;
        waiting.delete(claim);
        served.push(claim);
      }
    }
    expect(served).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'a 3', 'b 3']);
  });

  it('serves a namespace that asks again and again no more often than one that waits', async () => {
    const { clock, bucket } = emptied();
    const served = { patient: 0, eager: 0 };
    const come = (claim: string, namespace: 'patient' | 'eager'): void => {
      const waitMs = take(bucket, claim, namespace);
      if (waitMs > 0) return void clock.setTimer(waitMs, () => come(claim, namespace));
      served[namespace]++;
      if (namespace === 'eager') come(`again ${served.eager}`, 'eager');
    };
    for (let i = 0; i < 20; i++) come(`claim ${i}`, 'patient');
    come('again', 'eager');
    await clock.advance(100_000);
    expect(served).toEqual({ patient: 10, eager: 10 });
  });

  it('gives the scan every other token, whatever waits, and takes no more', async () => {
    const { clock, bucket } = emptied({ burst: 10, perSecond: 10 });
    const served = { scan: 0, passes: 0 };
    const come = (claim: string, namespace: string | undefined): void => {
      const kind = namespace === undefined ? 'scan' : 'passes';
      const waitMs = take(bucket, claim, { namespace: namespace ?? '', isScan: kind === 'scan' });
      if (waitMs > 0) return void clock.setTimer(waitMs, () => come(claim, namespace));
      come(`${kind} ${served[kind]++}`, namespace);
    };
    for (let i = 0; i < 50; i++) come(`claim ${i}`, `tenant ${i}`);
    for (let i = 0; i < 4; i++) come(`read ${i}`, undefined);
    await clock.advance(20_000);
    expect(served.scan).toBeGreaterThanOrEqual(95);
    expect(served.passes).toBeGreaterThanOrEqual(95);
  });

  it('serves a claim of several tokens while others take one after the other', async () => {
    for (const isScan of [true, false]) {
      const { clock, bucket } = emptied({ burst: 10, perSecond: 10 });
      const again = (claim: string, turn = 0): void => {
        const waitMs = take(bucket, `${claim} ${turn}`, { namespace: 'eager', isScan });
        if (waitMs > 0) clock.setTimer(waitMs, () => again(claim, turn));
        else again(claim, turn + 1);
      };
      for (let i = 0; i < 4; i++) again(`claim ${i}`);
      await clock.advance(1000);
      let servedAtMs = Number.POSITIVE_INFINITY;
      const come = (): void => {
        const waitMs = take(bucket, 'plan', { namespace: 'web', count: 4 });
        if (waitMs > 0) clock.setTimer(waitMs, come);
        else servedAtMs = clock.monotonicMs();
      };
      come();
      await clock.advance(5000);
      expect(servedAtMs).toBeLessThanOrEqual(3000);
    }
  });

  it('never grants more than burst + rate * time over any span', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          claim: fc.integer({ min: 0, max: 30 }),
          namespace: fc.constantFrom('', 'a', 'b'),
        }),
      },
      { weight: 3, arbitrary: fc.record({ passMs: fc.integer({ min: 0, max: 8000 }) }) },
      { weight: 1, arbitrary: fc.record({ drainMs: fc.integer({ min: 0, max: 5000 }) }) },
    );
    const limits = fc.record({
      burst: fc.integer({ min: 1, max: 12 }),
      perSecond: fc.constantFrom(0.2, 1, 3, 10),
    });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 120 }), async (bounds, steps) => {
        const clock = new ManualClock();
        const bucket = new TokenBucket(clock, bounds);
        const grantedAtMs: number[] = [];
        for (const next of steps) {
          if ('passMs' in next) await clock.advance(next.passMs);
          else if ('drainMs' in next) bucket.drain(next.drainMs);
          else if (take(bucket, `${next.claim}`, next.namespace) === 0)
            grantedAtMs.push(clock.monotonicMs());
        }
        for (let from = 0; from < grantedAtMs.length; from++) {
          for (let to = from; to < grantedAtMs.length; to++) {
            const seconds = ((grantedAtMs[to] ?? 0) - (grantedAtMs[from] ?? 0)) / 1000;
            const most = bounds.burst + bounds.perSecond * seconds;
            expect(to - from + 1).toBeLessThanOrEqual(most + 1e-3);
          }
        }
      }),
      { numRuns: 200, seed: 42 },
    );
  });

  it('serves every claim that returns when it is due, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.integer(), async (claims, seed) => {
        const clock = new ManualClock({ seed });
        const bucket = new TokenBucket(clock, { burst: 5, perSecond: 1 });
        let served = 0;
        const come = (claim: string): void => {
          const waitMs = take(bucket, claim);
          if (waitMs === 0) served++;
          else clock.setTimer(waitMs + clock.random() * 2000, () => come(claim));
        };
        for (let i = 0; i < claims; i++) come(`claim ${i}`);
        await clock.advance(claims * 1000 + 20_000);
        expect(served).toBe(claims);
      }),
      { numRuns: 40, seed: 42 },
    );
  });

  it('serves each namespace within one turn of the others, whatever they ask for', async () => {
    const demands = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(demands, fc.integer({ min: 0, max: 60_000 }), async (others, afterMs) => {
        const { clock, bucket } = emptied({ burst: 5, perSecond: 1 });
        const come = (claim: string, namespace: string, onServed = (): void => {}): void => {
          const waitMs = take(bucket, claim, namespace);
          if (waitMs === 0) onServed();
          else clock.setTimer(waitMs, () => come(claim, namespace, onServed));
        };
        others.forEach((count, at) => {
          for (let i = 0; i < count; i++) come(`claim ${i}`, `tenant ${at}`);
        });
        await clock.advance(afterMs);
        const askedAtMs = clock.monotonicMs();
        let servedAtMs = Number.POSITIVE_INFINITY;
        come('shop', 'neighbour', () => {
          servedAtMs = clock.monotonicMs();
        });
        await clock.advance(60_000);
        expect(servedAtMs - askedAtMs).toBeLessThanOrEqual((others.length + 1) * 1000);
      }),
      { numRuns: 60, seed: 42 },
    );
  });
});
