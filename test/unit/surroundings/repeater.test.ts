import { expect, it } from 'vitest';
import { Repeater } from '../../surroundings/repeater.ts';

const { signal } = new AbortController();

it('carries out requests during a run as one more run', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const repeater = new Repeater(async () => gates[runs++]?.promise, signal);
  for (let request = 0; request < 3; request += 1) repeater.request();
  expect(runs).toBe(1);
  for (const { resolve } of gates) resolve();
  await repeater.settled();
  expect(runs).toBe(2);
  repeater.request();
  await repeater.settled();
  expect(runs).toBe(3);
});

it('repeats a run that failed until one succeeds', async () => {
  let runs = 0;
  const repeater = new Repeater(async () => {
    runs += 1;
    if (runs < 3) throw new Error('away');
  }, signal);
  repeater.request();
  await repeater.settled();
  expect(runs).toBe(3);
});

it('repeats nothing once its signal is aborted', async () => {
  const stopping = new AbortController();
  let runs = 0;
  const repeater = new Repeater(async () => {
    runs += 1;
    stopping.abort();
    throw new Error('away');
  }, stopping.signal);
  repeater.request();
  await repeater.settled();
  repeater.request();
  await repeater.settled();
  expect(runs).toBe(1);
});
