import { describe, expect, it } from 'vitest';
import { reportFaults } from '../../../../src/cli/commands/ui.ts';
import type { ReadState } from '../../../../src/cli/ui/watched.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const OUTAGE = 'no answer from the API server';

function start() {
  const clock = new ManualClock();
  const faults = new Map<string, string | undefined>([
    ['MyIngress', undefined],
    ['MyApp', undefined],
    ['WebApp', undefined],
  ]);
  const written: string[] = [];
  let notify = (): void => {};
  const listStates = (): readonly ReadState[] =>
    [...faults].map(([name, fault]) => ({ name, fault, isKnown: true, isRead: true }));
  const subscribe = (onChange: () => void): (() => void) => {
    notify = onChange;
    return () => {};
  };
  const write = (sentence: string): void => void written.push(sentence);
  const stop = reportFaults({ listStates, subscribe }, { clock, write });
  const set = async (name: string, fault: string | undefined): Promise<void> => {
    faults.set(name, fault);
    notify();
    await clock.advance(50);
  };
  return { clock, written, set, stop };
}

describe('the terminal of albridge ui', () => {
  it('is written one line for an outage that the watches notice one by one, and one for its end', async () => {
    const { clock, written, set } = start();
    for (const name of ['WebApp', 'MyIngress', 'MyApp']) await set(name, OUTAGE);
    await clock.advance(5000);
    const line = `MyIngress, MyApp, WebApp: may be out of date, ${OUTAGE}`;
    expect(written).toEqual([line]);
    for (const name of ['MyApp', 'WebApp']) await set(name, undefined);
    await clock.advance(5000);
    expect(written).toEqual([line]);
    await set('MyIngress', undefined);
    await clock.advance(5000);
    expect(written).toEqual([line, 'everything is watched again']);
  });

  it('is written what fails later alone, and nothing after the end', async () => {
    const { clock, written, set, stop } = start();
    await set('MyApp', OUTAGE);
    await clock.advance(5000);
    await set('WebApp', OUTAGE);
    await clock.advance(5000);
    expect(written.at(-1)).toBe(`WebApp: may be out of date, ${OUTAGE}`);
    await set('MyIngress', OUTAGE);
    stop();
    await clock.advance(5000);
    expect(written).toHaveLength(2);
  });
});
