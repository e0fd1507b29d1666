import { expect, it } from 'vitest';
import { READINESS_GATE } from '../../../../../src/pods/pod.ts';
import { UP } from './played-pods.ts';
import { heal, MINUTE_MS, NEW, OLD, rolling } from './rolling.ts';

it('a pod with an open gate is no target any more once its node has stopped reporting', async () => {
  const { bench, pods, arn } = await rolling();
  heal(bench);
  await bench.clock.advance(MINUTE_MS);
  const open = [...UP, { type: READINESS_GATE, status: 'True' }];
  const unready = { type: 'Ready', status: 'False' };
  pods.setConditions(NEW, [...open, { ...unready, reason: 'ReadinessGatesNotReady' }]);
  await bench.clock.advance(MINUTE_MS);
  expect(bench.registered(arn)).toContain(`${NEW}:8080`);
  pods.setConditions(NEW, [...open, unready]);
  await bench.clock.advance(MINUTE_MS);
  expect(bench.registered(arn)).toEqual([`${OLD}:8080`]);
});
