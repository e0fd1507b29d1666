import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReady } from '../surroundings/my-ingresses.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0, budget: 'aws' });
  place = placeOf(surroundings);
  await surroundings.startOperator();
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

describe('a namespace that spends the AWS budget', () => {
  it("does not hold up a neighbour's create: it is served within one turn", async () => {
    const subnets = place.network.articleSubnets;
    const tenant = await place.createNamespace('tenant');
    const neighbour = await place.createNamespace('neighbour');
    const names = Array.from({ length: 500 }, (_, index) => `web-${index}`);
    await Promise.all(names.map((name) => tenant.create(name, { subnets })));
    await until(
      'the burst of creates is spent',
      async () => {
        const waiting = (await tenant.list()).filter(({ status }) =>
          status.conditions?.some(({ reason }) => reason === 'BudgetExhausted'),
        );
        return waiting.length >= 450;
      },
      120_000,
    );

    await place.standIn.clearCalls();
    const listCreates = () => place.standIn.operatorCalls('CreateLoadBalancer');
    await neighbour.create('shop', { subnets });
    // On a busy machine the tenant has turns before the neighbour's first pass begins, which adds the finalizer.
    await neighbour.when('shop', ({ metadata }) => metadata.finalizers !== undefined, 120_000);
    const before = (await listCreates()).length;
    await neighbour.when('shop', isReady, 120_000);
    // A turn of the tenant may have begun already; the neighbour does not wait for another one.
    const position = (await listCreates()).findIndex(({ input }) =>
      JSON.stringify(input).includes(neighbour.namespace),
    );
    expect(position).toBeGreaterThanOrEqual(0);
    expect(position - before).toBeLessThanOrEqual(1);
    const served = (await tenant.list()).filter(isReady).length;
    expect(served).toBeLessThan(50);
  });
});
