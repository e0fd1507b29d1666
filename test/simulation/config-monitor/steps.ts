import type { Chance } from '../chance.ts';
import type { Step } from '../scenario.ts';
import type { AppKey, ConfigAction, Content, MonitorPlan } from './actions.ts';

const APPS: readonly AppKey[] = ['web/frontend', 'api/frontend'];
/** Of annotations; the last one is no list of labels. */
const SELECTORS = [null, 'app=frontend', 'app in (frontend)'] as const;

/** What happens to ConfigMaps, their monitors and the pods that read them, in one scenario. */
export function drawConfigSteps(chance: Chance, lengthMs: number): readonly Step[] {
  const apps = APPS.slice(
    0,
    chance.weighted([
      [4, 0],
      [4, 1],
      [1, 2],
    ]),
  );
  return apps.flatMap((at) => new AppDraw(chance, at, lengthMs).steps());
}

/** A StatefulSet whose data changes, in some worlds, in some of them to bad data first; of a chance of its own. */
export function drawStatefulSteps(chance: Chance): readonly Step[] {
  if (!chance.happens(0.15)) return [];
  const at = 'web/db';
  const replicas = chance.one([3, 12]);
  const fill = (text: string): ConfigAction => ({ do: 'fill', at, content: { text } });
  const changedMs = chance.whole(20_000, 60_000);
  const againMs = chance.whole(changedMs, 200_000);
  const isBad = chance.happens(0.5);
  const plan: MonitorPlan = isBad ? { strategy: chance.one(['Rollout', 'Evict']) } : {};
  const actions: readonly (readonly [number, ConfigAction])[] = [
    [1000, fill('good 1')],
    [2000, { do: 'deploySet', at, replicas }],
    [8000, { do: 'monitor', at, index: 0, plan }],
    [changedMs, fill(isBad ? 'bad 2' : 'good 2')],
    [againMs, fill('good 3')],
  ];
  return actions.map(([atMs, config]) => ({ atMs, config }));
}

/** What others do to the applications of these steps; of a chance of its own, so that the rest stays. */
export function drawHostileSteps(chance: Chance, steps: readonly Step[]): readonly Step[] {
  const monitors = steps.flatMap(({ atMs, ...step }) =>
    'config' in step && step.config.do === 'monitor' ? [{ atMs, ...step.config }] : [],
  );
  return monitors.flatMap(({ atMs, at, index }) => {
    const laterMs = atMs + chance.whole(10_000, 120_000);
    const nth = chance.whole(0, 3);
    const forged: readonly ConfigAction[] = [
      { do: 'addPod', at: 'api/bystander', of: 'nobody' },
      { do: 'forge', at, index },
    ];
    const guarded: readonly ConfigAction[] = [{ do: 'guard', at, nth }];
    const actions = chance.weighted<readonly ConfigAction[]>([
      [8, []],
      [1, forged],
      [1, guarded],
    ]);
    return actions.map((config) => ({ atMs: laterMs, config }));
  });
}

/** The life of one application and of its configuration. */
class AppDraw {
  readonly #chance: Chance;
  readonly #at: AppKey;
  readonly #lengthMs: number;
  #contents = 0;

  constructor(chance: Chance, at: AppKey, lengthMs: number) {
    this.#chance = chance;
    this.#at = at;
    this.#lengthMs = lengthMs;
  }

  steps(): readonly Step[] {
    const chance = this.#chance;
    const bornMs = chance.whole(0, 5000);
    const replicas = chance.whole(1, 8);
    return [
      this.#step(bornMs, { do: 'fill', at: this.#at, content: this.#content(false) }),
      this.#step(chance.whole(0, 8000), { do: 'deploy', at: this.#at, replicas }),
      ...this.#company(),
      ...this.#monitors(bornMs),
      ...chance.times(chance.whole(1, 5), () => this.#changes()).flat(),
      ...this.#removal(),
    ];
  }

  #step(atMs: number, config: ConfigAction): Step {
    return { atMs, config };
  }

  #later(leastMs = 10_000): number {
    return this.#chance.whole(leastMs, this.#lengthMs);
  }

  /** Pods of another kind, and budgets. */
  #company(): readonly Step[] {
    const chance = this.#chance;
    const at = this.#at;
    const ofs = (['nobody', 'Job'] as const).filter(() => chance.happens(0.2));
    const pods = ofs.map((of) => this.#step(this.#later(0), { do: 'addPod', at, of }));
    if (!chance.happens(0.25)) return pods;
    const minAvailable = chance.weighted([
      [4, 1],
      [1, 8],
      [2, 2],
    ]);
    const budgets = chance.times(chance.happens(0.4) ? 2 : 1, (index) =>
      this.#step(this.#later(0), { do: 'budget', at, index, minAvailable }),
    );
    const isLifted = chance.happens(0.6);
    const lifted = this.#step(this.#later(), { do: 'budget', at, index: 0, minAvailable: null });
    return [...pods, ...budgets, ...(isLifted ? [lifted] : [])];
  }

  #monitors(bornMs: number): readonly Step[] {
    const chance = this.#chance;
    const at = this.#at;
    const annotated = this.#step(bornMs + chance.whole(1, 10_000), {
      do: 'annotate',
      at,
      selector: 'app=frontend',
    });
    const isAnnotated = chance.happens(0.3);
    const squatted = isAnnotated && chance.happens(0.15) ? this.#squat(bornMs) : [];
    const count = chance.weighted([
      [isAnnotated ? 6 : 0, 0],
      [6, 1],
      [3, 2],
    ]);
    const monitors = chance.times(count, (index) =>
      this.#step(chance.whole(0, 15_000), { do: 'monitor', at, index, plan: this.#plan() }),
    );
    return [...squatted, ...(isAnnotated ? [annotated] : []), ...monitors];
  }

  #squat(atMs: number): readonly Step[] {
    const at = this.#at;
    const left = this.#step(this.#later(), { do: 'leave', at });
    return [this.#step(atMs, { do: 'squat', at }), ...(this.#chance.happens(0.6) ? [left] : [])];
  }

  #plan(): MonitorPlan {
    const chance = this.#chance;
    const all: MonitorPlan = {
      strategy: chance.weighted([
        [4, 'Evict'],
        [2, 'Delete'],
        [2, 'Rollout'],
      ]),
      maxUnavailable: chance.one([1, 2, '50%', '100%']),
      debounceSeconds: chance.one([0, 5]),
      minIntervalSeconds: chance.one([0, 20]),
      progressDeadlineSeconds: chance.one([30, 120]),
      unmanagedPods: chance.one(['Evict', 'Skip']),
      suspend: chance.happens(0.3),
    };
    const given = Object.entries(all).filter(() => chance.happens(0.25));
    return { ...Object.fromEntries(given), ...(chance.happens(0.2) && { isLowerCase: true }) };
  }

  #changes(): readonly Step[] {
    const chance = this.#chance;
    const at = this.#at;
    const atMs = this.#later();
    const index = chance.whole(0, 1);
    return chance.weighted<() => readonly Step[]>([
      [9, () => [this.#step(atMs, { do: 'fill', at, content: this.#content(true) })]],
      [2, () => this.#burst(atMs)],
      [2, () => this.#detour(atMs)],
      [2, () => [this.#step(atMs, { do: 'label', at, value: `${chance.whole(1, 99)}` })]],
      [2, () => this.#pods(atMs)],
      [1, () => [this.#step(atMs, { do: 'scale', at, replicas: chance.whole(0, 8) })]],
      [2, () => [this.#step(atMs, { do: 'editMonitor', at, index, plan: this.#plan() })]],
      [1, () => [this.#step(atMs, { do: chance.one(['pause', 'goOn']), at, index })]],
      [1, () => [this.#step(atMs, { do: 'annotate', at, selector: chance.one(SELECTORS) })]],
    ])();
  }

  /** Several edits in a row, the last of which may take the others back. */
  #burst(atMs: number): readonly Step[] {
    const chance = this.#chance;
    const at = this.#at;
    const first = this.#content(false);
    const contents = [
      first,
      this.#content(false),
      chance.happens(0.5) ? first : this.#content(true),
    ];
    const stepMs = chance.one([100, 400, 3000]);
    return contents.map((content, nth) =>
      this.#step(atMs + nth * stepMs, { do: 'fill', at, content }),
    );
  }

  /** Data is taken back within the quiet period, and a pod was started meanwhile. */
  #detour(atMs: number): readonly Step[] {
    const at = this.#at;
    const back = this.#content(false);
    const again = atMs + 30_000;
    return [
      this.#step(atMs, { do: 'fill', at, content: back }),
      this.#step(again, { do: 'fill', at, content: this.#content(false) }),
      this.#step(again + 120, { do: 'pod', at, nth: 0, what: 'deleted' }),
      this.#step(again + 900, { do: 'fill', at, content: back }),
    ];
  }

  /** In the middle of a restart as well as out of the blue. */
  #pods(atMs: number): readonly Step[] {
    const chance = this.#chance;
    const what = chance.one(['deleted', 'failed'] as const);
    return chance.times(chance.whole(1, 3), (nth) =>
      this.#step(atMs + chance.whole(0, 3000), { do: 'pod', at: this.#at, nth, what }),
    );
  }

  #removal(): readonly Step[] {
    const chance = this.#chance;
    const at = this.#at;
    const atMs = this.#later();
    const removed = this.#step(atMs, { do: 'remove', at });
    const again = this.#step(atMs + chance.whole(1, 20_000), {
      do: 'fill',
      at,
      content: this.#content(false),
    });
    return chance.weighted<readonly Step[]>([
      [6, []],
      [2, [removed, again]],
      [1, [removed]],
      [1, [this.#step(atMs, { do: 'unmonitor', at, index: 0 })]],
    ]);
  }

  #content(mayBeBad: boolean): Content {
    const chance = this.#chance;
    const isBad = mayBeBad && chance.happens(0.15);
    const number = ++this.#contents;
    const bad = number % 3 === 0 ? 'bad' : 'frail';
    const text = `${isBad ? bad : 'good'} ${number}`;
    return { text, ...(chance.happens(0.3) && { blob: 'AAEC' }) };
  }
}
