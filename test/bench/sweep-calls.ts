import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../localstack/embedded/faults/call-log.ts';
import type { Figure, Sample } from './figure.ts';
import { postObjects } from './post-objects.ts';

const COUNT = 400;
export const SWEEP_INTERVAL_MS = 5000;
/** Calls of one sweep follow each other faster. */
const GAP_MS = 1500;

export const sweepCalls: Figure = {
  what: `AWS calls of a drift scan over ${COUNT} balancers without attributes, nothing to do`,
  quantities: {
    perSweep: { what: 'in one sweep', unit: 'calls' },
    perBalancer: { what: 'per balancer and sweep', unit: 'calls', bound: 0.06 },
  },
  measure: async (place, { runs, say }) => {
    const { aws } = await place.real();
    const ground = await place.freshGround();
    const interval = { ALBRIDGE_SWEEP_INTERVAL: `${SWEEP_INTERVAL_MS / 1000}s` };
    const operator = await place.startOperator(ground, interval);
    await postObjects(place, ground, { count: COUNT });
    await ground.ready.whenReady(COUNT);
    say(`${COUNT} balancers are Ready, watching ${runs} sweeps`);
    // The first sweep still compares objects that were written while it began.
    await sleep(SWEEP_INTERVAL_MS * 2.5);
    aws.clearCalls();
    const sweeps: (readonly Call[])[] = [];
    while (sweeps.length < runs) {
      await sleep(SWEEP_INTERVAL_MS);
      sweeps.splice(0, Infinity, ...findSweeps(aws.calls()));
    }
    await operator.stop();
    return sweeps.map(({ length }): Sample => ({ perSweep: length, perBalancer: length / COUNT }));
  },
};

/** Whole sweeps: the last one may still go on, and the first may have begun before. */
function findSweeps(calls: readonly Call[]): readonly (readonly Call[])[] {
  const sweeps: Call[][] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    if (call.at - lastMs > GAP_MS) sweeps.push([]);
    sweeps.at(-1)?.push(call);
    lastMs = call.at;
  }
  return sweeps.slice(1, -1);
}
