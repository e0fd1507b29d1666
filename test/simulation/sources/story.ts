import type { Json } from '../api-model/stored-object.ts';
import type { Chance } from '../chance.ts';
import type { AppKey, ConfigAction } from '../config-monitor/actions.ts';
import { drawFaults } from '../faults.ts';
import type { Fault, Settings, Step } from '../scenario.ts';
import type { SourceAction, SourceKind, TemplateUse, Way } from './actions.ts';
import { HASH_KEY } from './data-hashes.ts';

const APPS: readonly AppKey[] = ['web/shop', 'web/desk', 'web/cron'];
const TIERS = ['front', 'back'] as const;
/** What there is in the namespace, with its keys. */
const SOURCES = [
  { kind: 'Secret', name: 'db', keys: ['user', 'password'] },
  { kind: 'Secret', name: 'tls', keys: ['crt'] },
  { kind: 'ConfigMap', name: 'settings', keys: ['a', 'b'] },
  { kind: 'ConfigMap', name: 'flags', keys: ['all'] },
] as const;

type Source = (typeof SOURCES)[number];

/** Around the watch on Secrets, and what the operator does first and last for a change. */
const LABELS = [
  'kube WATCH secrets from the start',
  'kube WATCH secrets on',
  'kube GET secrets',
  'kube POST secrets',
  'kube LIST pods',
  'kube PATCH configmonitors/status apply',
  'kube PATCH deployments apply',
  'kube POST pods/eviction',
] as const;

/** ConfigMonitors of Secrets and of several sources, with and without selectors, and what befalls these. */
export function drawSourceSteps(chance: Chance, lengthMs: number): readonly Step[] {
  return new SourceDraw(chance, lengthMs).steps();
}

interface FaultDraw {
  readonly lengthMs: number;
  readonly settings: Settings;
  readonly steps: readonly Step[];
}

export function drawSourceFaults(
  chance: Chance,
  { lengthMs, settings, steps }: FaultDraw,
): readonly Fault[] {
  const lost = steps.find((step) => 'source' in step && step.source.do === 'loseKey');
  const lostMs = lost?.atMs;
  const count = chance.weighted([
    [3, 1],
    [2, 2],
  ]);
  const { replicas, election } = settings;
  const others = chance.happens(0.5) ? drawFaults(chance, { lengthMs, replicas, election }) : [];
  return [
    ...chance.times(count, () => drawSourceFault(chance, { lengthMs, replicas })),
    ...(lostMs === undefined ? [] : drawSuccession(chance, lostMs)),
    ...others,
  ];
}

/** The next process makes a key of its own. */
function drawSuccession(chance: Chance, lostMs: number): readonly Fault[] {
  const atMs = lostMs + chance.whole(1000, 20_000);
  return [
    { kind: 'terminate', atMs, replica: 0 },
    { kind: 'terminate', atMs: atMs + chance.whole(0, 20_000), replica: 1 },
  ];
}

function drawSourceFault(
  chance: Chance,
  { lengthMs, replicas }: { readonly lengthMs: number; readonly replicas: number },
): Fault {
  const plural = 'secrets';
  const fromMs = chance.whole(0, lengthMs);
  const forMs = chance.whole(3000, 90_000);
  const label = chance.one(LABELS);
  const nth = chance.whole(1, 4);
  const restartMs = chance.one([500, 20_000]);
  const phase = chance.one(['before', 'unanswered', 'after'] as const);
  return chance.weighted<Fault>([
    [3, { kind: 'watchLag', fromMs, forMs, lagMs: chance.whole(200, 20_000), plural }],
    [2, { kind: chance.one(['watchSilent', 'watchBroken'] as const), atMs: fromMs, plural }],
    [3, { kind: 'forbidden', fromMs, forMs, plural }],
    [1, { kind: 'terminate', atMs: fromMs, replica: chance.whole(0, replicas - 1) }],
    [2, { kind: 'crash', label, phase, nth, restartMs }],
    [1, { kind: 'freeze', label, nth, forMs: chance.one([8000, 25_000]) }],
    [
      1,
      { kind: 'kube', effect: 'lost', label: 'POST secrets', fromMs: 0, forMs: 300_000, times: 1 },
    ],
  ]);
}

class SourceDraw {
  readonly #chance: Chance;
  readonly #lengthMs: number;
  #contents = 0;

  constructor(chance: Chance, lengthMs: number) {
    this.#chance = chance;
    this.#lengthMs = lengthMs;
  }

  steps(): readonly Step[] {
    const chance = this.#chance;
    const apps = APPS.slice(0, chance.whole(1, 3));
    const watches = chance.times(chance.whole(1, 3), (index) => this.#watch(index)).flat();
    return [
      ...SOURCES.map((source) => this.#put(chance.whole(0, 4000), source)),
      ...apps.map((at) => this.#run(at)),
      ...watches,
      ...chance.times(chance.whole(2, 6), () => this.#change()).flat(),
      ...(chance.happens(0.6) ? this.#detour() : []),
      ...(chance.happens(0.35) ? [this.#source(this.#later(), LOSE_KEY)] : []),
    ].toSorted((a, b) => a.atMs - b.atMs);
  }

  #source(atMs: number, source: SourceAction): Step {
    return { atMs, source };
  }

  #config(atMs: number, config: ConfigAction): Step {
    return { atMs, config };
  }

  #later(): number {
    return this.#chance.whole(20_000, this.#lengthMs);
  }

  #put(atMs: number, of: Source, mayBeBad = false): Step {
    return this.#source(atMs, putOf(of, this.#text(mayBeBad), this.#chance.one(of.keys)));
  }

  #text(mayBeBad: boolean): string {
    const number = ++this.#contents;
    const kind =
      mayBeBad && this.#chance.happens(0.12) ? (['bad', 'frail'][number % 2] ?? '') : 'good';
    return `${kind} ${number}`;
  }

  #run(at: AppKey): Step {
    const chance = this.#chance;
    const as = chance.weighted([
      [4, 'Deployment'],
      [1, 'StatefulSet'],
    ] as const);
    const replicas = chance.whole(1, 5);
    const tier = chance.one(TIERS);
    return this.#source(chance.whole(500, 8000), {
      ...{ do: 'run', at, as, replicas, tier },
      uses: this.#uses(),
    });
  }

  #uses(): readonly TemplateUse[] {
    const chance = this.#chance;
    return SOURCES.filter(() => chance.happens(0.45)).map(({ kind, name, keys }) => {
      const way: Way = chance.one(['env', 'envFrom', 'volume', 'projected'] as const);
      const isOne = way === 'env' || (way !== 'envFrom' && chance.happens(0.5));
      const key: string = chance.one(keys);
      return {
        ...{ kind, name, way },
        ...(isOne && { key }),
        ...(chance.happens(0.25) && ({ isInit: true } as const)),
      };
    });
  }

  #watch(index: number): readonly Step[] {
    const chance = this.#chance;
    const at = `web/watch-${index}` as const;
    const spec = { ...this.#watched(), ...this.#selection(), ...this.#plan() };
    const created = this.#source(chance.whole(5000, 15_000), { do: 'watch', at, spec });
    const edit = chance.weighted<() => readonly SourceAction[]>([
      [6, () => []],
      [1, () => [{ do: 'rewatch', at, spec: { ...NO_SOURCES, ...this.#watched() } }]],
      [1, () => [{ do: 'rewatch', at, spec: { ...NO_SELECTION, ...this.#selection() } }]],
      [1, () => [{ do: 'rewatch', at, spec: { suspend: true } }]],
    ])();
    const laterMs = this.#later();
    const edited = edit.map((action) => this.#source(laterMs, action));
    const isResumed = edited.length > 0 && chance.happens(0.7);
    const resumed = this.#source(laterMs + 30_000, { do: 'rewatch', at, spec: { suspend: false } });
    return [created, ...edited, ...(isResumed ? [resumed] : [])];
  }

  #watched(): Json {
    const chance = this.#chance;
    return chance.weighted<() => Json>([
      [3, () => ({ secret: 'db' })],
      [1, () => ({ configMap: 'settings' })],
      [2, () => ({ configMap: 'settings', secret: 'db' })],
      [4, () => ({ sources: this.#sources() })],
    ])();
  }

  #sources(): readonly Json[] {
    const chance = this.#chance;
    const some = SOURCES.filter(() => chance.happens(0.5));
    return (some.length > 0 ? some : [SOURCES[0]]).map(({ kind, name, keys }) => {
      const counting = chance.happens(0.5) ? { keys: [chance.one(keys)] } : {};
      return { kind, name, ...counting };
    });
  }

  #selection(): Json {
    const chance = this.#chance;
    const app = chance.one(['shop', 'desk']);
    const key = 'tier';
    return chance.weighted<Json>([
      [6, {}],
      [1, { podSelector: { app } }],
      [1, { matchExpressions: [{ key, operator: 'In', values: ['front'] }] }],
      [1, { matchExpressions: [{ key, operator: 'NotIn', values: ['front', 'none'] }] }],
      [1, { podSelector: { app }, matchExpressions: [{ key, operator: 'Exists' }] }],
      [1, { matchExpressions: [{ key: 'debug', operator: 'DoesNotExist' }] }],
    ]);
  }

  #plan(): Json {
    const chance = this.#chance;
    const all = {
      strategy: chance.one(['Evict', 'Rollout', 'Delete', 'Auto']),
      maxUnavailable: chance.one([1, '50%', '100%']),
      debounceSeconds: chance.one([0, 5]),
      minIntervalSeconds: chance.one([0, 20]),
      progressDeadlineSeconds: chance.one([30, 120]),
    };
    return Object.fromEntries(Object.entries(all).filter(() => chance.happens(0.3)));
  }

  #change(): readonly Step[] {
    const chance = this.#chance;
    const atMs = this.#later();
    const of = chance.one(SOURCES);
    const { kind } = of;
    const at = `web/${of.name}` as const;
    const app = chance.one(APPS);
    const nth = chance.whole(0, 3);
    return chance.weighted<() => readonly Step[]>([
      [8, () => [this.#put(atMs, of, true)]],
      [2, () => this.#two(atMs)],
      [1, () => [this.#source(atMs, { do: 'touch', at, kind })]],
      [1, () => this.#absence(atMs, of)],
      [2, () => [this.#config(atMs, { do: 'pod', at: app, nth, what: 'deleted' })]],
      [1, () => [this.#config(atMs, { do: 'scale', at: app, replicas: chance.whole(1, 6) })]],
      [1, () => [this.#reuse(atMs, app)]],
    ])();
  }

  #reuse(atMs: number, at: AppKey): Step {
    const tier = this.#chance.one(TIERS);
    return this.#source(atMs, { do: 'useOthers', at, tier, uses: this.#uses() });
  }

  /** One source changes while pods are restarted for another. */
  #two(atMs: number): readonly Step[] {
    const chance = this.#chance;
    const laterMs = atMs + chance.one([50, 1500, 6000, 15_000]);
    return [this.#put(atMs, chance.one(SOURCES)), this.#put(laterMs, chance.one(SOURCES))];
  }

  #absence(atMs: number, of: Source): readonly Step[] {
    const at = `web/${of.name}` as const;
    const kind: SourceKind = of.kind;
    return [
      this.#source(atMs, { do: 'drop', at, kind }),
      ...of.keys.map((key) =>
        this.#source(atMs + this.#chance.whole(500, 20_000), putOf(of, this.#text(false), key)),
      ),
    ];
  }

  /** Data of one source is taken back, mostly while pods are born, sometimes while another changes for good. */
  #detour(): readonly Step[] {
    const chance = this.#chance;
    const of = chance.one(SOURCES);
    const key = chance.one(of.keys);
    const back = this.#text(false);
    const fromMs = this.#later();
    const gapMs = chance.one([300, 900, 4000, 15_000]);
    const at = chance.one(APPS);
    const other = chance.one(SOURCES);
    return [
      this.#source(fromMs, putOf(of, back, key)),
      this.#source(fromMs + 30_000, putOf(of, this.#text(false), key)),
      this.#config(fromMs + 30_100, { do: 'pod', at, nth: 0, what: 'deleted' }),
      ...(chance.happens(0.5) ? [this.#put(fromMs + 30_200, other)] : []),
      this.#source(fromMs + 30_000 + gapMs, putOf(of, back, key)),
    ];
  }
}

const LOSE_KEY: SourceAction = { do: 'loseKey', at: HASH_KEY };
const NO_SOURCES = { configMap: null, secret: null, sources: null };
const NO_SELECTION = { podSelector: null, matchExpressions: null };

/** The other keys keep their text. */
function putOf({ kind, name }: Source, text: string, key: string): SourceAction {
  return { do: 'put', at: `web/${name}`, kind, data: { [key]: text } };
}
