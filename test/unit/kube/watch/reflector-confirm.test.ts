import { expect, it } from 'vitest';
import {
  bookmark,
  errorEvent,
  event,
  FAR_VERSION,
  initialStream,
  type ReflectorBench,
  startReflectorBench,
} from '../../../fakes/reflector-bench.ts';
import { type Answer, ScriptedStream } from '../../../fakes/scripted-transport.ts';

const quiet = (): Answer => ({ stream: new ScriptedStream() });

interface Confirming {
  readonly bench: ReflectorBench;
  readonly isConfirmed: () => boolean;
}

/** A reflector whose watch has been open for 10 s when it is to confirm; `script` answers what it asks then. */
async function confirm(...script: readonly (() => Answer)[]): Promise<Confirming> {
  const first = initialStream(['a'], '7');
  const bench = startReflectorBench((_, index) =>
    index === 0 ? first : (script[index - 1] ?? quiet)(),
  );
  await bench.clock.advance(10_000);
  let isConfirmed = false;
  const confirmed = Promise.all([bench.reflector.confirm(), bench.reflector.confirm()]);
  void confirmed.then(() => {
    isConfirmed = true;
  });
  await bench.clock.settle();
  return { bench, isConfirmed: () => isConfirmed };
}

it('confirms once a watch that it opens from its position has lived for a second', async () => {
  const stream = new ScriptedStream().push(event('ADDED', 'b', '9'));
  const { bench, isConfirmed } = await confirm(() => ({ stream }));
  expect(bench.asked()).toEqual(['watch-list', 'version', 'watch@7']);
  expect(bench.seen).toEqual(['added a@1', 'added b@9']);
  await bench.clock.advance(999);
  expect(isConfirmed()).toBe(false);
  await bench.clock.advance(1);
  expect(isConfirmed()).toBe(true);
  await bench.reflector.confirm();
  expect(bench.asked()).toHaveLength(3);
  stream.push(event('ADDED', 'c', '11'));
  await bench.clock.settle();
  const ofWatch = 1;
  expect(bench.clock.pendingTimers).toBe(ofWatch);
  await bench.reflector.stop();
  expect(bench.clock.pendingTimers).toBe(0);
});

it('confirms once it has the version of the server, and not before a second without a change', async () => {
  const stream = new ScriptedStream();
  const { bench, isConfirmed } = await confirm(() => ({ stream }));
  await bench.clock.advance(900);
  stream.push(event('ADDED', 'b', '9'));
  await bench.clock.advance(900);
  expect(isConfirmed()).toBe(false);
  stream.push(event('ADDED', 'c', FAR_VERSION));
  await bench.clock.settle();
  expect(isConfirmed()).toBe(true);
  await bench.reflector.stop();
  expect(bench.clock.pendingTimers).toBe(0);
});

it('does not confirm by a watch that ends within a second', async () => {
  const stream = new ScriptedStream().push(errorEvent(429, 'TooManyRequests', 5));
  const { bench, isConfirmed } = await confirm(() => ({ stream }));
  await bench.clock.advance(5000);
  expect(isConfirmed()).toBe(false);
  await bench.clock.advance(2000);
  expect(isConfirmed()).toBe(true);
  await bench.reflector.stop();
});

it('confirms by a new first state where the position is lost', async () => {
  const expired = new ScriptedStream().push(errorEvent(410, 'Expired'));
  const second = new ScriptedStream().push(event('ADDED', 'b', '9'));
  const { bench, isConfirmed } = await confirm(
    () => ({ stream: expired }),
    () => ({ stream: second }),
  );
  await bench.clock.advance(2000);
  expect(isConfirmed()).toBe(false);
  second.push(bookmark('9', true));
  await bench.clock.settle();
  expect(isConfirmed()).toBe(true);
  expect(bench.seen).toEqual(['added a@1', 'added b@9', 'deleted a@1']);
  await bench.reflector.stop();
});

it('opens the watch at once also where it was to wait', async () => {
  const first = initialStream(['a'], '7');
  let isDown = true;
  const bench = startReflectorBench((_, index) => {
    if (index === 0) return first;
    return isDown ? { error: new Error('connect ECONNREFUSED') } : quiet();
  });
  await bench.clock.advance(10_000);
  first.stream.break();
  await bench.clock.advance(20_000);
  expect(bench.reflector.findFault()).toContain('ECONNREFUSED');
  isDown = false;
  void bench.reflector.confirm();
  await bench.clock.settle();
  expect(bench.reflector.findFault()).toBeUndefined();
  await bench.reflector.stop();
});

it('ends without a word when it is stopped', async () => {
  const { bench, isConfirmed } = await confirm(() => 'hang');
  await bench.reflector.stop();
  await bench.clock.settle();
  expect([isConfirmed(), bench.clock.pendingTimers]).toEqual([true, 0]);
  expect(bench.log.shown).toEqual([]);
});
