import { expect, it } from 'vitest';
import { MINUTE_MS, NEW, rolling } from './rolling.ts';

it('says within minutes why the gate stays closed where AWS finds another code at each check', async () => {
  const { bench, pods } = await rolling();
  for (let n = 0; n < 100; n++) {
    bench.aws.control.setTargetHealth('web', {
      id: NEW,
      health: {
        state: 'unhealthy',
        reason: 'Target.ResponseCodeMismatch',
        description: `Health checks failed with these codes: [${500 + (n % 5)}]`,
      },
    });
    await bench.clock.advance(5_000);
  }
  expect(100 * 5_000).toBeGreaterThan(8 * MINUTE_MS);
  expect(pods.events.recorded).not.toEqual([]);
});
