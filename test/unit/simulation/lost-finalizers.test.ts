import { describe, expect, it } from 'vitest';
import { loadBalancerFinalizer } from '../../../src/apis/my-ingress.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import type { StoredObject } from '../../simulation/api-model/stored-object.ts';
import { LostFinalizers } from '../../simulation/traffic/lost-finalizers.ts';

const KEY = 'web/shop';

function objectWith(...finalizers: readonly string[]): StoredObject {
  const metadata = { namespace: 'web', name: 'shop', finalizers };
  return { apiVersion: 'v1', kind: 'MyIngress', metadata } as unknown as StoredObject;
}

/** Somebody takes the finalizer off at `lostMs`, and a fault strikes at `struckMs`. */
async function watchLoss(by: string, lostMs: number, struckMs?: number) {
  const clock = new ManualClock();
  const isCutOff = (fromMs: number, toMs: number): boolean =>
    struckMs !== undefined && struckMs >= fromMs && struckMs <= toMs;
  const lost = new LostFinalizers({ clock, isCutOff });
  await clock.advance(lostMs);
  lost.onCommit({
    ...{ kind: undefined as never, type: 'MODIFIED', by, version: 1 },
    ...{ before: objectWith(loadBalancerFinalizer), object: objectWith() },
  });
  return { clock, lost };
}

describe('a finalizer that someone else took off', () => {
  it('may be unknown to an operator that is cut off, for as long as its watch takes to come back', async () => {
    const { clock, lost } = await watchLoss('user', 100_000, 70_000);
    await clock.advance(55_000);
    expect(lost.mayBeUnknown(KEY)).toBe(true);
    expect(lost.mayBeUnknown('web/other')).toBe(false);
    await clock.advance(10_000);
    expect(lost.mayBeUnknown(KEY)).toBe(false);
  });

  it('is unknown to a call that was sent before', async () => {
    const { clock, lost } = await watchLoss('user', 100_000);
    await clock.advance(50);
    expect(lost.mayBeUnknown(KEY)).toBe(true);
  });

  it.each([
    ['without a fault', 'user', undefined],
    ['with a fault that was over long before', 'user', 30_000],
    ['by the operator itself', 'replica-0_1', 100_000],
  ])('is known %s', async (_, by, struckMs) => {
    const { clock, lost } = await watchLoss(by, 100_000, struckMs);
    await clock.advance(51);
    expect(lost.mayBeUnknown(KEY)).toBe(false);
  });
});
