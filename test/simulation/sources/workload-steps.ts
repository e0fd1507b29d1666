import type { Chance } from '../chance.ts';
import type { AppKey } from '../config-monitor/actions.ts';
import type { Step } from '../scenario.ts';
import type { SourceAction, TemplateUse, Way, WorkloadKind } from './actions.ts';

const WAYS: readonly Way[] = ['env', 'envFrom', 'volume', 'projected', 'subPath', 'itemPath'];
/** With keys of their own: nobody else changes these, so that a change concerns their users alone. */
const CONFIG = { kind: 'ConfigMap', name: 'limits', keys: ['a', 'b'] } as const;
const SECRET = { kind: 'Secret', name: 'cert', keys: ['crt', 'user'] } as const;
/** A pod that needs it waits, and its revision stays beside the one before. */
const LATE = { kind: 'Secret', name: 'late', way: 'env', key: 'user' } as const;

type Source = typeof CONFIG | typeof SECRET;

/**
 * Workloads of each kind that follow their template, with revisions of which some use a source and others do not.
 * Of a chance of its own, so that all else of a world stays.
 */
export function drawWorkloadSteps(chance: Chance, lengthMs: number): readonly Step[] {
  return new WorkloadDraw(chance, lengthMs).steps();
}

class WorkloadDraw {
  readonly #chance: Chance;
  readonly #lengthMs: number;
  readonly #source: Source;
  readonly #at: AppKey = 'web/mill';
  readonly #as: WorkloadKind;
  #contents = 0;

  constructor(chance: Chance, lengthMs: number) {
    this.#chance = chance;
    this.#lengthMs = lengthMs;
    this.#source = chance.one([CONFIG, CONFIG, SECRET]);
    this.#as = chance.one(['Deployment', 'RollingSet', 'DaemonSet'] as const);
  }

  steps(): readonly Step[] {
    const chance = this.#chance;
    const steps = [
      ...this.#source.keys.map((key) => this.#put(chance.whole(0, 2000), key)),
      this.#step(chance.whole(3000, 5000), this.#run()),
      this.#step(chance.whole(5000, 9000), this.#watch()),
      ...chance.times(chance.whole(1, 3), () => this.#change()).flat(),
      ...(chance.happens(0.5) ? this.#upgrade() : []),
    ];
    return steps.toSorted((a, b) => a.atMs - b.atMs);
  }

  #step(atMs: number, source: SourceAction): Step {
    return { atMs, source };
  }

  #put(atMs: number, key: string): Step {
    const { kind, name } = this.#source;
    const data = { [key]: `good ${++this.#contents}` };
    return this.#step(atMs, { do: 'put', at: `web/${name}`, kind, data });
  }

  #run(): SourceAction {
    const chance = this.#chance;
    const replicas = chance.whole(2, 5);
    const as = this.#as;
    const partition = as === 'RollingSet' && chance.happens(0.4) ? chance.whole(1, replicas) : 0;
    const uses = chance.happens(0.85) ? [this.#use()] : [];
    const at = this.#at;
    return {
      ...{ do: 'run', at, as, replicas, tier: 'front', uses },
      ...(partition && { partition }),
    };
  }

  #use(): TemplateUse {
    const chance = this.#chance;
    const { kind, name, keys } = this.#source;
    const way = chance.one(WAYS);
    const isWhole = way === 'envFrom' || (way.startsWith('v') && chance.happens(0.3));
    return {
      ...{ kind, name, way },
      ...(!isWhole && { key: chance.one<string>(keys) }),
      ...(chance.happens(0.4) && ({ isOptional: true } as const)),
      ...(chance.happens(0.2) && ({ isInit: true } as const)),
    };
  }

  #watch(): SourceAction {
    const chance = this.#chance;
    const { kind, name, keys } = this.#source;
    const counting = chance.happens(0.3) ? { keys: [chance.one<string>(keys)] } : {};
    const strategy = chance.one(['Auto', 'Auto', 'Rollout', 'Evict']);
    const maxUnavailable = chance.one([1, '50%', '25%']);
    const sources = [{ kind, name, ...counting }];
    return { do: 'watch', at: 'web/of-mill', spec: { sources, strategy, maxUnavailable } };
  }

  #change(): readonly Step[] {
    const chance = this.#chance;
    const atMs = chance.whole(20_000, this.#lengthMs - 60_000);
    const key = chance.one<string>(this.#source.keys);
    return chance.weighted<() => readonly Step[]>([
      [3, () => [this.#put(atMs, key)]],
      [2, () => [this.#reuse(atMs, []), this.#put(atMs + chance.whole(300, 9000), key)]],
      [3, () => this.#stall(atMs, key)],
      [1, () => this.#absence(atMs, key)],
    ])();
  }

  /** Data and template together, as Helm does it. */
  #upgrade(): readonly Step[] {
    const chance = this.#chance;
    const atMs = chance.whole(20_000, this.#lengthMs - 60_000);
    const template = this.#reuse(atMs + chance.whole(0, 300), []);
    return [this.#put(atMs, chance.one<string>(this.#source.keys)), template];
  }

  #reuse(atMs: number, more: readonly TemplateUse[]): Step {
    const uses = this.#chance.happens(0.5) ? [this.#use()] : [];
    const of = { at: this.#at, as: this.#as, tier: 'front' };
    return this.#step(atMs, { do: 'useOthers', ...of, uses: [...uses, ...more] });
  }

  /** Two revisions for some time, and a change meanwhile. */
  #stall(atMs: number, key: string): readonly Step[] {
    const late: SourceAction = {
      ...{ do: 'put', at: `web/${LATE.name}`, kind: LATE.kind },
      data: { [LATE.key]: 'good' },
    };
    return [
      this.#reuse(atMs, [LATE]),
      this.#put(atMs + this.#chance.whole(7000, 30_000), key),
      this.#step(atMs + 50_000, late),
    ];
  }

  /** Of some data, some pods that start meanwhile, and the same data or other. */
  #absence(atMs: number, key: string): readonly Step[] {
    const { kind, name, keys } = this.#source;
    const backMs = atMs + this.#chance.whole(500, 20_000);
    const data = Object.fromEntries(keys.map((one) => [one, `good ${++this.#contents}`]));
    const put = { do: 'put', at: `web/${name}`, kind, data } as const;
    const pod = { do: 'pod', at: this.#at, nth: 0, what: 'deleted' } as const;
    return [
      this.#step(atMs - 15_000, put),
      this.#step(atMs, { do: 'drop', at: `web/${name}`, kind }),
      { atMs: atMs + 300, config: pod },
      this.#chance.happens(0.5) ? this.#step(backMs, put) : this.#put(backMs, key),
      ...(this.#chance.happens(0.5) ? [this.#put(backMs + 30_000, key)] : []),
    ];
  }
}
