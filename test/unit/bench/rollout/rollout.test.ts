import { expect, it } from 'vitest';
import { jsonReport } from '../../../bench/report.ts';
import { rollout } from '../../../bench/rollout/rollout.ts';

const MACHINE = {
  ...{ cpu: 'any', cores: 2, memoryGiB: 8, system: 'any', node: '24', loadBefore: 0 },
};
const NAMES = Object.keys(rollout.quantities);
const LAGS = [15, 10, 5, 0] as const;

it('proves nothing where nothing is sent and no control loses', () => {
  const failed = listFailed(() => 0);
  const controls = LAGS.flatMap((lag) => [`noGate${lag}`, `deregisterFirst${lag}`]);
  expect(failed).toEqual(
    expect.arrayContaining([...controls, 'noPreStop15', 'noPreStop10', 'noPreStop5']),
  );
  const sent = NAMES.filter((name) => name.endsWith('Sent'));
  expect(sent).toHaveLength(8);
  expect(failed).toEqual(expect.arrayContaining(sent));
});

it('asks no loss of a control that loses next to nothing: without lag and preStop', () => {
  expect(listFailed(() => 0)).not.toContain('noPreStop0');
});

it('keeps its bounds where ours loses nothing of many requests and the controls lose', () => {
  expect(listFailed(lose)).toEqual([]);
});

it('exceeds its bound with one lost request', () => {
  expect(listFailed((name) => (name === 'lost5' ? 1 : lose(name)))).toEqual(['lost5']);
});

it('draws shares of the requests, of ours as of the controls', () => {
  const medians = sample((name) => (name === 'lost5' ? 300 : lose(name)));
  const [ours, control] = rollout.charts?.(medians)['rollout']?.series ?? [];
  expect(ours?.points).toEqual([
    [0, 0],
    [5, 2],
    [10, 0],
    [15, 0],
  ]);
  expect(control?.points.map(([, share]) => share)).toEqual([5, 5, 5, 5]);
});

/** A good run: 15,000 requests of ours in each change, and 5 % of each control lost. */
function lose(name: string): number {
  if (/sent$/i.test(name)) return 15_000;
  return /^(noGate|noPreStop|deregister)/.test(name) ? 5 : 0;
}

function sample(measure: (name: string) => number): Readonly<Record<string, number>> {
  return Object.fromEntries(NAMES.map((name) => [name, measure(name)]));
}

function listFailed(measure: (name: string) => number): readonly string[] {
  const measured = { name: 'rollout', figure: rollout, samples: [sample(measure)], load: 0 };
  const { figures } = JSON.parse(jsonReport(MACHINE, [measured]));
  return NAMES.filter((name) => figures.rollout.quantities[name].keepsBound === false);
}
