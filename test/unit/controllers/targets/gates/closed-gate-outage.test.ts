import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../../src/aws/budget/budget-limits.ts';
import { MINUTE_MS, NEW, OLD, serving } from './rolling.ts';

it.each([
  ['Throttling', 400, []],
  ['InternalFailure', 500, []],
  ['AccessDenied', 403, ['GateClosed']],
])(
  'repeats one note every few minutes, and only where a person has to act, while AWS answers RegisterTargets with %s',
  async (code, status, reasons) => {
    const { bench, pods } = await serving({ budget: DEFAULT_LIMITS });
    bench.fault(
      'RegisterTargets',
      { kind: 'error', code, status, message: 'refused' },
      { forMs: 60 * MINUTE_MS },
    );
    pods.run(NEW);
    bench.runPods({ [OLD]: 'ready', [NEW]: 'unready' });
    await bench.clock.advance(59 * MINUTE_MS);
    const recorded = pods.events.recorded.filter(({ reason }) => reason !== 'NoAnswer');
    expect([...new Set(recorded.map(({ reason }) => reason))]).toEqual(reasons);
    expect(new Set(recorded.map(({ note }) => note)).size).toBe(reasons.length);
    expect(recorded.length).toBeLessThanOrEqual(20);
  },
);
