import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import { choosePageSize } from '../../../src/aws/client/pages.ts';
import { until } from '../../surroundings/until.ts';
import { type Figure, repeat } from '../figure.ts';
import { SERVICE, TrafficGround } from './traffic-ground.ts';

const COUNT = 300;
/** Whatever a pass of the start has still to say. */
const AFTERMATH_MS = 5000;

export const trafficRestartCalls: Figure = {
  what: `AWS calls after a restart with ${COUNT} objects with traffic, for each object`,
  quantities: {
    confirmed: { what: 'until all are confirmed', unit: 'calls', bound: 0.15 },
    health: { what: 'reads of targets, in the background', unit: 'calls' },
    edited: { what: 'before an edit of the meantime is executed', unit: 'calls', bound: 0.15 },
  },
  measure: async (place, options) => {
    const ground = await TrafficGround.create(place);
    const { aws } = ground.parts;
    const first = await place.startOperator(ground.ground);
    await ground.postObjects([SERVICE], COUNT);
    await first.stop();
    const samples = await repeat(options, async (run) => {
      const rules = [{ name: 'rule-0', paths: [`/edit-${run}`], forward: [{ backend: SERVICE }] }];
      await ground.ground.objects.edit(`many-${run}`, { rules });
      aws.clearCalls();
      const again = await place.startOperator(ground.ground);
      const isDone = async (): Promise<boolean> =>
        aws.calls().filter(isConfirming).length >= countScanCalls(COUNT) &&
        aws.calls().some(isEdit);
      await until(`a scan of ${COUNT} objects`, isDone, 120_000);
      await sleep(AFTERMATH_MS);
      const calls = aws.calls();
      await again.stop();
      return {
        confirmed: calls.filter(isConfirming).length / COUNT,
        health:
          calls.filter(({ operation }) => operation === 'DescribeTargetHealth').length / COUNT,
        edited: calls.findIndex(isEdit) / COUNT,
      };
    });
    ground.close();
    return samples;
  },
};

/** Balancers and target groups in pages, and their tags by twenty: all that confirms them. */
export function countScanCalls(objects: number): number {
  return 2 * Math.ceil(objects / choosePageSize(objects)) + Math.ceil((2 * objects) / 20);
}

function isEdit({ operation }: Call): boolean {
  return operation === 'ModifyRule';
}

/** Nothing but a scan reads these alone; the pass over the edited object adds its few. */
function isConfirming({ operation }: Call): boolean {
  return operation !== 'DescribeTargetHealth';
}
