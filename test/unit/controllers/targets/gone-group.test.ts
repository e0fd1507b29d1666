import { describe, expect, it } from 'vitest';
import { filled } from './targets-bench.ts';

describe('a group that is gone for good', () => {
  it('has had its problem since it was found to be gone, whatever was asked since', async () => {
    const { bench } = await filled();
    bench.refuse('*', 'TargetGroupNotFound', { forMs: 3_600_000 });
    bench.runPods(3);
    await bench.clock.advance(1_000);
    const { problem } = bench.state;
    expect(problem?.reason).toBe('TargetGroupNotFound');
    await bench.clock.advance(600_000);
    expect(bench.state.problem).toMatchObject({
      reason: problem?.reason,
      sinceMs: problem?.sinceMs,
    });
  });

  it('is logged once', async () => {
    const { bench } = await filled();
    bench.refuse('*', 'TargetGroupNotFound', { forMs: 3_600_000 });
    bench.runPods(3);
    await bench.clock.advance(600_000);
    const lines = bench.log.lines.filter(({ message }) => message === 'targets are not up to date');
    expect(lines).toHaveLength(1);
  });
});
