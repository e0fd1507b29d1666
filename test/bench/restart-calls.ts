import { setTimeout as sleep } from 'node:timers/promises';
import { choosePageSize } from '../../src/aws/client/pages.ts';
import { until } from '../surroundings/until.ts';
import { type Figure, repeat } from './figure.ts';
import { postObjects } from './post-objects.ts';

const COUNT = 500;
/** The account in pages, and their tags by twenty: all that confirms them. */
const SCAN_CALLS = Math.ceil(COUNT / choosePageSize(COUNT)) + Math.ceil(COUNT / 20);
/** Whatever a pass of the start has still to say. */
const AFTERMATH_MS = 3000;

export const restartCalls: Figure = {
  what: `AWS calls after a restart with ${COUNT} balancers, until all are confirmed`,
  quantities: {
    calls: { what: 'all calls', unit: 'calls', bound: 30 },
    confirmedMs: { what: 'from process start to the end of the scan', unit: 'ms' },
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
      const startedMs = performance.now();
      const again = await place.startOperator(ground);
      const isScanned = async (): Promise<boolean> => aws.calls().length >= SCAN_CALLS;
      await until(`a scan of ${COUNT} balancers`, isScanned, 60_000);
      const confirmedMs = performance.now() - startedMs;
      await sleep(AFTERMATH_MS);
      const calls = aws.calls().length;
      await again.stop();
      return { calls, confirmedMs };
    });
  },
};
