import { setTimeout as sleep } from 'node:timers/promises';
import { isRead } from './bench-aws.ts';
import { type Figure, repeat } from './figure.ts';

/** Longer than any look that a create might still cause. */
const AFTERMATH_MS = 2000;

export const callsPerCreate: Figure = {
  what: 'AWS calls for one balancer until Ready, no provisioning delay, no attributes',
  quantities: {
    writes: { what: 'writes', unit: 'calls', bound: 1 },
    reads: { what: 'reads', unit: 'calls', bound: 3 },
  },
  measure: async (place, options) => {
    const ground = await place.freshGround();
    const { aws } = await place.real();
    const operator = await place.startOperator(ground);
    const samples = await repeat(options, async (run) => {
      aws.clearCalls();
      await ground.objects.create(`one-${run}`, { subnets: aws.standIn.network.articleSubnets });
      await ground.ready.whenReady(run);
      await sleep(AFTERMATH_MS);
      const calls = aws.calls();
      const reads = calls.filter(isRead).length;
      return { writes: calls.length - reads, reads };
    });
    await operator.stop();
    return samples;
  },
};
