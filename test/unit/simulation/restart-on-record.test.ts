import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { CONFIG_MAPS, PODS } from '../../simulation/api-model/kinds.ts';
import { ObjectTable } from '../../simulation/api-model/object-table.ts';
import type { ServedKind, StoredObject } from '../../simulation/api-model/stored-object.ts';
import { History } from '../../simulation/config-monitor/history.ts';
import { RestartInvariants } from '../../simulation/config-monitor/restart-invariants.ts';
import type { Fault } from '../../simulation/scenario.ts';
import { definedKind } from '../../simulation/served-definition.ts';
import { DataHashes } from '../../simulation/sources/data-hashes.ts';
import { FaultBoard } from '../../simulation/world/fault-board.ts';
import type { Label } from '../../simulation/world/operations.ts';
import type { Stage } from '../../simulation/world/stage.ts';

const MONITORS = definedKind('ConfigMonitor');
const OPERATOR = 'replica-0_1';
const USER = 'user';

/** Two pods of one ConfigMonitor, whose data has changed since they began. */
class Bench {
  readonly reported: string[] = [];
  readonly #clock = new ManualClock();
  readonly #table = new ObjectTable();
  readonly #board: FaultBoard;

  constructor(faults: readonly Fault[] = []) {
    const board = new FaultBoard(faults);
    this.#board = board;
    const stage = {
      ...{ clock: this.#clock, model: { table: this.#table } },
      isCutOff: (fromMs: number, toMs: number) => board.isCutOff(fromMs, toMs),
      isDisturbed: (fromMs: number, toMs: number) => board.isDisturbed(fromMs, toMs),
      isLeaseDoubtful: () => false,
      report: (invariant: string) => this.reported.push(invariant),
    } as unknown as Stage;
    const history = new History(stage, MONITORS);
    const hashes = new DataHashes(this.#table);
    const parts = { history, hashes, kind: MONITORS };
    const invariants = new RestartInvariants(stage, parts);
    this.#table.onCommit((commit) => {
      history.onCommit(commit);
      invariants.onCommit(commit);
    });
  }

  async begin(): Promise<this> {
    this.#fill('old');
    for (const name of ['one', 'two']) this.#put(PODS, name, { labels: { app: 'shop' } });
    this.#monitor(undefined, USER);
    await this.#clock.advance(10_000);
    this.#fill('new');
    await this.#clock.advance(1_000);
    return this;
  }

  /** The operator stores a rollout that names these pods. */
  record(...names: readonly string[]): void {
    const time = new Date(this.#clock.now()).toISOString();
    const pods = names.map((name) => `uid-${name}`);
    this.#monitor({ hash: 'new', startTime: time, progressTime: time, pods }, OPERATOR);
  }

  /** Time passes after a call that meets the fault of the scenario, if there is one. */
  async pass(call: Label, forMs: number): Promise<void> {
    this.#board.fateOf(call, this.#clock.monotonicMs());
    await this.#clock.advance(forMs);
  }

  suspend(): void {
    this.#monitor(undefined, USER, { suspend: true });
  }

  unmonitor(): void {
    const monitor = this.#table.get(MONITORS, 'web/watch');
    if (monitor) this.#table.remove(MONITORS, monitor, USER);
  }

  restart(name: string): void {
    const pod = this.#table.get(PODS, `web/${name}`);
    if (pod) this.#table.remove(PODS, pod, OPERATOR);
  }

  #fill(config: string): void {
    this.#put(CONFIG_MAPS, 'settings', { data: { config } });
  }

  #monitor(rollout: object | undefined, by: string, more: object = {}): void {
    const spec = {
      ...more,
      ...{ configMap: 'settings', podSelector: { app: 'shop' }, strategy: 'Delete' },
      ...{ debounceSeconds: 0, minIntervalSeconds: 0, maxUnavailable: 1 },
    };
    this.#put(MONITORS, 'watch', { spec, by, ...(rollout && { status: { rollout } }) });
  }

  #put(kind: ServedKind, name: string, { labels = {}, by = USER, ...content }: Content): void {
    const metadata = { name, namespace: 'web', uid: `uid-${name}`, labels };
    this.#table.put(kind, { kind: kind.kind, metadata, ...content } as StoredObject, by);
  }
}

interface Content {
  readonly labels?: Readonly<Record<string, string>>;
  readonly by?: string;
  readonly [field: string]: unknown;
}

/** Seed 310000773 reported the second of these. */
describe('a pod that the operator restarts', () => {
  it('is in the stored rollout', async () => {
    const bench = await new Bench().begin();
    bench.record('one', 'two');
    bench.restart('one');
    expect(bench.reported).toEqual([]);
  });

  it('is in the rollout that was stored when its ConfigMonitor was deleted in the middle of it', async () => {
    const bench = await new Bench().begin();
    bench.record('one', 'two');
    bench.restart('one');
    bench.unmonitor();
    bench.restart('two');
    expect(bench.reported).toEqual([]);
  });

  it.each([
    ['there is none', []],
    ['the stored one names another pod', ['one']],
  ])('is reported where %s, also after its ConfigMonitor was deleted', async (_, recorded) => {
    for (const isDeleted of [false, true]) {
      const bench = await new Bench().begin();
      if (recorded.length > 0) bench.record(...recorded);
      if (isDeleted) bench.unmonitor();
      bench.restart('two');
      expect(bench.reported).toEqual(['restart-on-record']);
    }
  });
});

describe('a pod of a monitor that was suspended a minute ago', () => {
  const window = { fromMs: 0, forMs: 300_000, times: 1 };

  it.each<[string, Label, readonly Fault[]]>([
    ['without a fault', 'aws AddTags', []],
    [
      'where AWS refuses a call',
      'aws AddTags',
      [{ kind: 'aws', effect: 'failing', operation: 'AddTags', ...window }],
    ],
  ])('is reported %s', async (_, call, faults) => {
    expect(await restartSuspended(call, faults)).toContain('rests');
  });

  it('is not reported where the API server fails: the operator may not have observed the edit', async () => {
    const fault = { kind: 'kube', effect: 'failing', label: 'WATCH', ...window } as const;
    const call = 'kube WATCH configmonitors on';
    expect(await restartSuspended(call, [fault])).not.toContain('rests');
  });
});

async function restartSuspended(call: Label, faults: readonly Fault[]): Promise<readonly string[]> {
  const bench = await new Bench(faults).begin();
  bench.suspend();
  await bench.pass(call, 60_000);
  bench.restart('one');
  return bench.reported;
}
