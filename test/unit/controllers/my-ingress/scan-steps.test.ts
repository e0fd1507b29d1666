import { describe, expect, it } from 'vitest';
import { attempt, forEachInTurns } from '../../../../src/controllers/my-ingress/scan-steps.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

describe('what is done for each of many items', () => {
  const items = Array.from({ length: 60 }, (_, index) => index);

  function begin(): { clock: ManualClock; done: number[]; stop: () => void; end: Promise<void> } {
    const clock = new ManualClock();
    const stopping = new AbortController();
    const done: number[] = [];
    const turns = { clock, signal: stopping.signal };
    const end = forEachInTurns(items, turns, (item) => void done.push(item));
    return { clock, done, stop: () => stopping.abort(new Error('stopped')), end };
  }

  it('gives way to other work', async () => {
    const { clock, done, end } = begin();
    expect(done).toHaveLength(25);
    await clock.finish(end);
    expect(done).toEqual(items);
  });

  it('ends with its signal', async () => {
    const { done, stop, end } = begin();
    stop();
    await expect(end).rejects.toThrow('stopped');
    expect(done).toHaveLength(25);
  });
});

it('an object that cannot be read has nothing', () => {
  const object = JSON.parse('{"spec":null}') as { readonly spec: { readonly name: string } };
  expect(attempt(() => object.spec)).toBeNull();
  expect(attempt(() => object.spec.name)).toBeUndefined();
});
