import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../../src/aws/budget/budget-limits.ts';
import { TargetsBench } from '../targets-bench.ts';
import { PlayedPods } from './played-pods.ts';
import { heal, MINUTE_MS, NEW, OLD } from './rolling.ts';

it.each([
  ['Throttling', 400],
  ['InternalFailure', 500],
  ['AccessDenied', 403],
])(
  'repeats the same words every few minutes while AWS answers RegisterTargets with %s',
  async (code, status) => {
    const pods = new PlayedPods();
    const bench = new TargetsBench({ gates: pods.attach, budget: DEFAULT_LIMITS });
    const arn = bench.group('web');
    bench.runPods({ [OLD]: 'ready' });
    bench.publish(arn, { isNew: true });
    await bench.clock.settle();
    heal(bench, OLD);
    await bench.clock.advance(MINUTE_MS);
    bench.fault(
      'RegisterTargets',
      { kind: 'error', code, status, message: 'refused' },
      { forMs: 60 * MINUTE_MS },
    );
    pods.run(NEW);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
    await bench.clock.advance(59 * MINUTE_MS);
    const notes = pods.events.recorded.map(({ note }) => note);
    expect(notes.length).toBeLessThanOrEqual(20);
    expect(new Set(notes).size).toBeLessThanOrEqual(2);
  },
);
