import { TargetsBench } from '../targets-bench.ts';
import { PlayedPods } from './played-pods.ts';

export const OLD = '10.0.0.4';
export const NEW = '10.0.0.5';
export const MINUTE_MS = 60_000;
/** The time between two reads of a group, with its jitter. */
export const POLL_MS = 6_001;

/** What is written when the gate of the second pod opens by AWS's word. */
export const OPENED = [`web/pod-${NEW} Healthy`];

export interface Ground {
  readonly bench: TargetsBench;
  readonly pods: PlayedPods;
  readonly arn: string;
}

/** A group with one ready pod that is healthy. */
export async function serving(
  options: Omit<ConstructorParameters<typeof TargetsBench>[0], 'gates'> = {},
): Promise<Ground> {
  const pods = new PlayedPods();
  const bench = new TargetsBench({ ...options, gates: pods.attach });
  const arn = bench.group('web');
  bench.runPods({ [OLD]: 'ready' });
  bench.publish(arn, { isNew: true });
  await bench.clock.settle();
  heal(bench, OLD);
  await bench.clock.advance(MINUTE_MS);
  return { bench, pods, arn };
}

/** The same, and a second pod that waits at its gate. */
export async function rolling(): Promise<Ground> {
  const ground = await serving();
  const { bench, pods } = ground;
  pods.run(NEW);
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
  await bench.clock.advance(1_000);
  return ground;
}

/** AWS reports the target with this address healthy from now on. */
export function heal(bench: TargetsBench, id = NEW): void {
  bench.aws.control.setTargetHealth('web', { id, health: { state: 'healthy' } });
}
