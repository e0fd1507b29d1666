import { describe, expect, it } from 'vitest';
import { arnOf, isReady } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, standIn } = place;
const subnets = network.articleSubnets;

describe.concurrent('many at once', () => {
  it('ten objects created at once get one balancer each', async () => {
    const objects = await place.createNamespace('ten');
    const names = Array.from({ length: 10 }, (_, index) => `web-${index}`);
    await Promise.all(names.map((name) => objects.create(name, { subnets })));
    const ready = await until('all ready', async () => {
      const all = await objects.list();
      return all.length === names.length && all.every(isReady) && all;
    });
    const balancers = await standIn.balancersOf(objects.namespace);
    expect(balancers.map(({ arn }) => arn).sort()).toEqual(ready.map(arnOf).sort());
    const creates = await createsIn(objects.namespace);
    expect(creates).toHaveLength(names.length);

    await Promise.all(names.map((name) => objects.startDeleting(name)));
    await Promise.all(names.map((name) => objects.isGone(name)));
    expect(await standIn.balancersOf(objects.namespace)).toEqual([]);
  });

  it('after a thousand edits of one object the last one is applied, on one balancer', {
    timeout: 300_000,
  }, async () => {
    const objects = await place.createNamespace('thousand');
    await objects.create('web', { subnets });
    for (let edit = 1; edit <= 1000; edit++) {
      await objects.edit('web', { tags: { edit: `${edit}` } });
    }
    await objects.edit('web', { tags: { edit: 'last' } });
    const object = await objects.whenReady('web');
    const balancers = await standIn.balancersOf(objects.namespace);
    expect(balancers).toMatchObject([{ arn: arnOf(object), tags: { edit: 'last' } }]);
    expect(await createsIn(objects.namespace)).toHaveLength(1);
    expect(object.metadata.generation).toBe(1002);
  });

  it('an object deleted and created again at once gets a balancer of its own', async () => {
    const objects = await place.createNamespace('again');
    await objects.create('web', { subnets });
    const first = await objects.whenReady('web');
    await objects.startDeleting('web');
    await objects.isGone('web');
    await objects.create('web', { subnets });
    const second = await objects.whenReady('web');
    expect(arnOf(second)).not.toBe(arnOf(first));
    const balancers = await standIn.balancersOf(objects.namespace);
    expect(balancers).toMatchObject([
      { arn: arnOf(second), tags: { 'albridge.io/uid': second.metadata.uid } },
    ]);
  });
});

async function createsIn(namespace: string): Promise<readonly unknown[]> {
  const calls = await standIn.operatorCalls('CreateLoadBalancer');
  return calls.filter(({ input }) => JSON.stringify(input).includes(`"${namespace}"`));
}
