import type { Chance } from '../chance.ts';
import type { Step } from '../scenario.ts';
import type { AppKey, ConfigAction, Content } from './actions.ts';

const AT: AppKey = 'web/frontend';
/** Within one look of the operator, the start of a pod, the quiet period, and a rollout. */
const GAPS_MS = [60, 900, 1500, 2500, 4000, 15_000] as const;
/** So long a pod takes from its predecessor's end until it has started, at most. */
const BIRTH_MS = 3000;
const SETTLED_MS = 20_000;

type Timed = readonly [number, ConfigAction];

/**
 * One application whose data changes and comes back, or is missing for a while, just when pods are born:
 * what each pod has read is then a matter of moments. Few of them, for other data later hides what went wrong.
 */
export function drawTakenBackSteps(chance: Chance, lengthMs: number): readonly Step[] {
  const count = chance.weighted([
    [2, 1],
    [1, 2],
  ]);
  const episodes = chance.times(count, () =>
    drawEpisode(chance, chance.whole(SETTLED_MS, lengthMs)),
  );
  const steps: readonly Timed[] = [
    [500, fill({ text: 'good 1' })],
    [chance.whole(200, 4000), { do: 'deploy', at: AT, replicas: chance.whole(1, 6) }],
    ...drawMonitors(chance),
    ...episodes.flat(),
  ];
  return steps.map(([atMs, config]) => ({ atMs, config }));
}

function fill(content: Content): ConfigAction {
  return { do: 'fill', at: AT, content };
}

function drawMonitors(chance: Chance): readonly Timed[] {
  const count = chance.weighted([
    [3, 1],
    [1, 2],
  ]);
  return chance.times(count, (index) => {
    const plan = {
      strategy: chance.weighted([
        [4, 'Evict'],
        [1, 'Delete'],
        [2, 'Rollout'],
      ] as const),
      maxUnavailable: chance.one([1, '50%', '100%']),
      debounceSeconds: chance.one([0, 1, 5, 20, 20]),
      minIntervalSeconds: chance.one([0, 0, 20]),
    };
    return [chance.whole(3000, 12_000), { do: 'monitor', at: AT, index, plan }];
  });
}

/** Data changes, or is missing, and mostly comes back; pods are born around each of these moments. */
function drawEpisode(chance: Chance, fromMs: number): readonly Timed[] {
  const back: Content = { text: 'good 1' };
  const contents = chance.weighted<readonly (Content | undefined)[]>([
    [4, [drawContent(chance), back]],
    [3, [undefined, drawContent(chance), back]],
    [1, [undefined, back]],
    [1, [drawContent(chance), undefined, back]],
    [1, [drawContent(chance), drawContent(chance), back]],
    [1, [drawContent(chance)]],
  ]);
  let atMs = fromMs;
  return contents.flatMap((content) => {
    const change: ConfigAction = content === undefined ? { do: 'remove', at: AT } : fill(content);
    const steps: readonly Timed[] = [[atMs, change], ...drawBirth(chance, atMs)];
    atMs += chance.one(GAPS_MS);
    return steps;
  });
}

function drawBirth(chance: Chance, aroundMs: number): readonly Timed[] {
  const atMs = aroundMs + chance.whole(-BIRTH_MS, 500);
  const nth = chance.whole(0, 3);
  return chance.weighted<readonly Timed[]>([
    [1, []],
    [4, [[atMs, { do: 'pod', at: AT, nth, what: 'deleted' }]]],
    [1, [[atMs, { do: 'scale', at: AT, replicas: chance.whole(1, 7) }]]],
  ]);
}

function drawContent(chance: Chance): Content {
  const number = chance.whole(2, 4);
  const kind = chance.weighted([
    [8, 'good'],
    [1, 'bad'],
    [1, 'frail'],
  ]);
  return { text: `${kind} ${number}` };
}
