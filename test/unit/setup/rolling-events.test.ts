import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServedBench } from './served-bench.ts';

const [OLD, NEW] = ['10.0.0.4', '10.0.0.5'];
const HEALTHY = { state: 'healthy' } as const;
const INITIAL = { state: 'initial', reason: 'Elb.InitialHealthChecking' } as const;

let bench: ServedBench;

beforeEach(async () => {
  bench = new ServedBench();
  await bench.serve([OLD]);
  expect(bench.condition('TargetsHealthy')).toContain('True Healthy');
});
afterEach(() => bench.stop());

/** `check`: until AWS finds the new target healthy. */
async function expectNoEventOfRollout(check: () => Promise<void>): Promise<void> {
  const before = bench.events;
  bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
  await check();
  bench.check(NEW, HEALTHY);
  await bench.clock.advance(20_000);
  bench.runPods({ [NEW]: 'ready' });
  await bench.clock.advance(60_000);
  expect(bench.condition('TargetsHealthy')).toContain('True Healthy');
  expect(bench.events.filter((one) => !before.includes(one))).toEqual([]);
}

it('a rolling update whose new target AWS still checks is no event', async () => {
  await expectNoEventOfRollout(async () => {
    await bench.clock.advance(1_000);
    bench.check(NEW, INITIAL);
    await bench.clock.advance(20_000);
  });
});

it('an answer from before is none about a target that is registered again, as after a restart of a container', async () => {
  bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
  await bench.clock.advance(1_000);
  bench.check(NEW, HEALTHY);
  await bench.clock.advance(60_000);
  expect(bench.condition('TargetsHealthy')).toContain('True Healthy');
  bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
  await bench.clock.advance(20_000);
  expect(bench.condition('TargetsHealthy')).toContain('True Healthy');
  bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
  const shown: string[] = [];
  for (let second = 0; second < 30; second++) {
    await bench.clock.advance(1_000);
    shown.push(bench.condition('TargetsHealthy'));
  }
  expect(shown.filter((one) => one.includes('draining'))).toEqual([]);
});

it('targets of which AWS does not say anything, as the call is denied, are not reported as unhealthy', async () => {
  const effect = { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' } as const;
  const forMs = 3_600_000;
  bench.aws.control.addFault({ operation: 'DescribeTargetHealth', effect, forMs });
  bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
  await bench.clock.advance(1_000);
  bench.check(NEW, HEALTHY);
  await bench.clock.advance(1_800_000);
  expect(bench.condition('TargetsHealthy')).not.toContain('False TargetsUnhealthy');
});

it.each([50, 200, 1_000])(
  'a rolling update is no event where AWS answers registrations after %i ms',
  async (delayMs) => {
    const effect = { kind: 'delay', delayMs } as const;
    bench.aws.control.addFault({ operation: 'RegisterTargets', effect, forMs: 3_600_000 });
    await expectNoEventOfRollout(() => bench.clock.advance(4_000));
  },
);

it('a target that waits for its registration is not reported as unhealthy, where all others are healthy', async () => {
  const effect = { kind: 'error', code: 'Throttling', status: 400, message: 'slow' } as const;
  bench.aws.control.addFault({ operation: 'RegisterTargets', effect, forMs: 3_000 });
  bench.runPods({ [OLD]: 'ready', [NEW]: 'ready' });
  const shown: string[] = [];
  for (let n = 0; n < 40; n++) {
    await bench.clock.advance(100);
    shown.push(bench.condition('TargetsHealthy'));
  }
  expect(shown.find((one) => one.includes('TargetsUnhealthy'))).toBeUndefined();
});
