import { expect, it } from 'vitest';
import type { Operator } from '../../../../src/cli/account/operators.ts';
import { checkLeases } from '../../../../src/cli/doctor/check-operator.ts';
import { systemClock } from '../../../../src/system-clock.ts';

const metadata = { name: 'albridge', namespace: 'a' };
const renewTime = new Date(systemClock.now()).toISOString();
const items = [{ metadata, spec: { holderIdentity: 'x', renewTime } }];
const client = { request: async () => ({ metadata: { resourceVersion: '1' }, items }) };

/** With these operators; only `a` has a Lease. */
async function check(...places: readonly Partial<Operator>[]): Promise<readonly unknown[]> {
  const operators = places.map((place) => ({ env: {}, ...place }) as Operator);
  const found = { operators, others: [], leftOut: 0 };
  const { signal } = new AbortController();
  const checks = await checkLeases({ client } as never, found, { clock: systemClock, signal });
  return checks.map(({ verdict, message }) => [verdict, message.split(',')[0]]);
}

it('an operator that has no Lease is named, although another one, or a tenant, has one', async () => {
  const held = ['ok', 'x holds the Lease a/albridge'];
  const missing = ['warning', 'there is no Lease b/albridge: its operator has not led yet'];
  const [a, b] = [{ namespace: 'a' }, { namespace: 'b' }];
  expect(await check(a, b)).toEqual([held, missing]);
  expect(await check(b)).toEqual([held, missing]);
  expect(await check(a)).toEqual([held]);
  // Its ConfigMap may turn leader election off.
  expect(await check(a, { ...b, hiddenIn: 'albridge-settings' })).toEqual([held]);
});
