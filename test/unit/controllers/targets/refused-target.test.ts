import { expect, it } from 'vitest';
import { addressOf, filled } from './targets-bench.ts';

it('a target that AWS refuses again and again is logged once, and another one for itself', async () => {
  const { bench } = await filled();
  const count = (): number =>
    bench.log.lines.filter(({ message }) => message === 'targets are not up to date').length;
  const pods = { [addressOf(0)]: 'ready', [addressOf(1)]: 'ready', '8.8.8.8': 'ready' } as const;
  bench.runPods(pods);
  await bench.clock.advance(3_600_000);
  expect(count()).toBe(1);
  bench.runPods({ ...pods, '8.8.4.4': 'ready' });
  await bench.clock.advance(3_600_000);
  expect(count()).toBe(2);
});
