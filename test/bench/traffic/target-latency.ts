import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import type { BenchPlace } from '../bench-place.ts';
import { latencyFigure } from '../latency-figure.ts';
import { createTrafficSpec, SERVICE, TrafficGround } from './traffic-ground.ts';

const WARM_UP = 30;
const COUNT = 60;
/** A group is quiet again: what follows a change within a moment would be collected. */
const QUIET_MS = 250;

export const targetLatency = latencyFigure({
  what: 'an endpoint becomes ready -> RegisterTargets arrives, beyond the watch event of a bystander',
  each: 'endpoints',
  bound: 10,
  measureOnce,
});

async function measureOnce(place: BenchPlace): Promise<readonly number[]> {
  const ground = await TrafficGround.create(place);
  const { aws } = ground.parts;
  const all = Array.from({ length: WARM_UP + COUNT + 1 }, (_, index) =>
    TrafficGround.address(index),
  );
  await ground.postService(SERVICE, [all.slice(0, 1)]);
  ground.mapPods(all);
  const operator = await place.startOperator(ground.ground);
  const spec = createTrafficSpec({ subnets: aws.standIn.network.articleSubnets });
  await ground.ground.objects.create('one', spec);
  await ground.ground.objects.whenReady('one');
  const seenAtMs = new Map<string, number>();
  const watch = await ground.watchSlices(({ object, atMs }) => {
    for (const address of (object.endpoints ?? []).flatMap(({ addresses }) => addresses)) {
      if (!seenAtMs.has(address)) seenAtMs.set(address, atMs);
    }
  });
  const measured: number[] = [];
  for (let index = 1; index < all.length; index++) {
    await sleep(QUIET_MS);
    const address = all[index] ?? '';
    aws.clearCalls();
    await ground.setEndpoints(`${SERVICE}-0`, all.slice(0, index + 1));
    const arrivedMs = await aws.arrivalOfCall(`RegisterTargets of ${address}`, (call) =>
      registers(call, address),
    );
    if (index > WARM_UP) measured.push(arrivedMs - (seenAtMs.get(address) ?? Number.NaN));
  }
  watch.close();
  await operator.stop();
  ground.close();
  return measured;
}

function registers({ operation, input }: Call, address: string): boolean {
  if (operation !== 'RegisterTargets') return false;
  const targets = (input['Targets'] ?? []) as readonly { readonly Id: string }[];
  return targets.some(({ Id }) => Id === address);
}
