import { describe, expect, it } from 'vitest';
import { draftService } from '../endpoints.ts';
import { SHOP, servedBy } from '../targets-bench.ts';
import { type Ground, heal, MINUTE_MS, OPENED, POLL_MS, rolling } from './rolling.ts';

interface HandingOver extends Ground {
  readonly next: string;
}

/** The group has a successor, and still gets all requests. */
async function handingOver(isUsed = true): Promise<HandingOver> {
  const ground = await rolling();
  const { bench, arn } = ground;
  const next = bench.group('next', { isUsed });
  bench.targets.publish(SHOP, [
    servedBy(next, { isNew: true, isUnused: !isUsed }),
    servedBy(arn, { isReplaced: true }),
  ]);
  await bench.clock.settle();
  return { ...ground, next };
}

describe('a pod that waits at its gate while its group has a successor', () => {
  it('waits for the group that still gets the requests', async () => {
    const { bench, pods } = await handingOver();
    bench.check('next', 'healthy');
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits for it alone while AWS refuses to change the rule: the successor is not in use', async () => {
    const { bench, pods } = await handingOver(false);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    heal(bench);
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits for the successor too, which gets the requests next', async () => {
    const { bench, pods } = await handingOver();
    bench.check('next', 'initial');
    heal(bench);
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.check('next', 'healthy');
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });

  it('waits for a group with a health check that it cannot pass until the successor has the requests', async () => {
    const { bench, pods, next } = await handingOver();
    bench.check('next', 'healthy');
    bench.check('web', 'unhealthy');
    await bench.clock.advance(MINUTE_MS);
    expect(pods.written).toEqual([]);
    bench.publish(next);
    await bench.clock.settle();
    expect(pods.written).toEqual(OPENED);
  });

  it('does not wait for a group of another Service, which never has it as a target', async () => {
    const { bench, pods, arn, next } = await handingOver();
    const service = { name: 'former', port: 'http' };
    bench.kube.create(draftService('former'));
    bench.targets.publish(SHOP, [servedBy(next), servedBy(arn, { isReplaced: true, service })]);
    bench.check('next', 'healthy');
    await bench.clock.advance(POLL_MS);
    expect(pods.written).toEqual(OPENED);
  });
});
