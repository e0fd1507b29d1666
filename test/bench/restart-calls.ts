import { setTimeout as sleep } from 'node:timers/promises';
import { coreMetrics } from '../../src/core/metrics.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import { until } from '../surroundings/until.ts';
import { type Figure, repeat } from './figure.ts';
import { postObjects } from './post-objects.ts';

const COUNT = 500;
/** Whatever a pass of the start has still to say. */
const AFTERMATH_MS = 3000;

export const restartCalls: Figure = {
  what: `AWS calls after a restart with ${COUNT} balancers, until all are confirmed`,
  quantities: {
    calls: { what: 'all calls', unit: 'calls', bound: 30 },
    confirmedMs: { what: 'from process start to the last pass', unit: 'ms' },
  },
  measure: async (place, options) => {
    const { aws } = await place.real();
    const ground = await place.freshGround();
    const first = await place.startOperator(ground);
    await postObjects(place, ground, { count: COUNT });
    await ground.ready.whenReady(COUNT);
    await first.stop();
    return repeat(options, async () => {
      aws.clearCalls();
      const port = await findFreePort();
      const startedMs = performance.now();
      const address = { ALBRIDGE_METRICS_ADDRESS: `127.0.0.1:${port}` };
      const again = await place.startOperator(ground, address);
      const areAllConfirmed = async (): Promise<boolean> => (await passesOf(port)) >= COUNT;
      await until(`${COUNT} passes`, areAllConfirmed, 60_000);
      const confirmedMs = performance.now() - startedMs;
      await sleep(AFTERMATH_MS);
      const calls = aws.calls().length;
      await again.stop();
      return { calls, confirmedMs };
    });
  },
};

const ENDED_WELL = `${coreMetrics.reconcileTotal.name}{controller="myingress",result="success"}`;

/** Passes that ended well. */
async function passesOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(ENDED_WELL));
  return Number(line?.split(' ').at(-1) ?? 0);
}
