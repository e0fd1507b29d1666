import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from './bench.ts';

const TWENTY_MINUTES = 1_200_000;

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
  await bench.deploy();
  await bench.monitor();
});

afterEach(() => bench.stop());

/** For twenty minutes of a restart whose pods do not get ready. */
async function loseSource(): Promise<void> {
  await bench.change('two', 1_000);
  bench.cluster.isBroken = true;
  bench.kube.delete(bench.configMap);
  await bench.clock.advance(TWENTY_MINUTES);
  await bench.configure('two');
}

async function expectNewest(): Promise<void> {
  await bench.clock.advance(120_000);
  expect(bench.kept()).toBe(0);
  expect(bench.condition('Ready')).toBe('True Watching');
  expect(bench.told('ProgressDeadlineExceeded')).toEqual([]);
}

describe('the progress deadline', () => {
  it('does not run while a source is missing', async () => {
    await loseSource();
    await bench.clock.advance(1_000);
    bench.cluster.heal();
    await expectNewest();
  });

  it.each([
    ['is suspended', { suspend: true }, {}],
    ['is paused', {}, { 'albridge.io/paused': 'true' }],
  ])('does not run while the object %s', async (_, spec, annotations) => {
    bench.cluster.answer = () => ({ kind: 'blocked', message: 'it would violate the budget' });
    await bench.change('two', 5_000);
    const { metadata, spec: before } = bench.object();
    const edit = (change: object): void => {
      bench.kube.edit(bench.object(), (live) => ({ ...live, ...change }));
    };
    edit({ metadata: { ...metadata, annotations }, spec: { ...before, ...spec } });
    await bench.clock.advance(TWENTY_MINUTES);
    edit({ metadata, spec: before });
    await bench.clock.advance(20_000);
    bench.cluster.answer = () => undefined;
    await expectNewest();
  });

  it('is over for pods that do not get ready once the source is back', async () => {
    await loseSource();
    await bench.clock.advance(630_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
  });

  it('is over for pods that do not get ready, although the source is missing for a second now and then', async () => {
    await bench.change('two', 1_000);
    bench.cluster.isBroken = true;
    for (let minutes = 0; minutes < 20; minutes += 5) {
      await bench.clock.advance(299_000);
      bench.kube.delete(bench.configMap);
      await bench.clock.advance(1_000);
      await bench.configure('two');
    }
    await bench.clock.advance(1_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
  });

  it('gives pods that are ready their time to stay so where the operator was away for long', async () => {
    await bench.change('two', 1_200);
    await bench.stop();
    await bench.clock.advance(TWENTY_MINUTES);
    await bench.restart();
    await expectNewest();
  });

  it.each([
    ['the wall clock is put forward', () => Promise.resolve()],
    ['the clock of the next leader is ahead', () => bench.restart()],
  ])('is not over for pods that take 30 s to start where %s', async (_, goOn) => {
    bench.cluster.isBroken = true;
    await bench.change('two', 3_000);
    bench.clock.turnWallClock(3_600_000);
    await goOn();
    await bench.clock.advance(27_000);
    bench.cluster.heal();
    await expectNewest();
  });

  it('counts the time before a restart of the operator', async () => {
    bench.cluster.isBroken = true;
    await bench.change('two', 300_000);
    await bench.restart();
    await bench.clock.advance(330_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
  });

  it('that is over stays so across a restart of the operator', async () => {
    bench.cluster.crashAfterMs = 5_000;
    await bench.change('two', 3_600_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    await bench.restart();
    await bench.clock.advance(600_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    expect(bench.told('ProgressDeadlineExceeded')).toHaveLength(1);
  });
});
