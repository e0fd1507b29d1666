import { describe, expect, it } from 'vitest';
import { type MyIngress, managedByValue, ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import { MY_INGRESSES } from '../../simulation/my-ingress/kind.ts';
import { applyService, buildScenario, createMyIngress } from '../../simulation/regression.ts';
import type { Step } from '../../simulation/scenario.ts';
import type { ServiceCast } from '../../simulation/services/cast.ts';
import { EndpointHistory } from '../../simulation/services/endpoint-history.ts';
import { TrafficCast } from '../../simulation/traffic/cast.ts';
import { MeddledObjects } from '../../simulation/traffic/meddled-objects.ts';
import type { Resource } from '../../simulation/traffic/resources.ts';
import type { AwsCallSeen } from '../../simulation/world/aws-network.ts';
import { World } from '../../simulation/world/world.ts';
import { call } from '../localstack/seeded-model.ts';

const STEPS: readonly Step[] = [
  ...(['web/web', 'web/next'] as const).map((at) => applyService(1000, at, 2)),
  createShop(5000),
];

function createShop(atMs: number): Step {
  return createMyIngress(atMs, 'web/shop', {
    subnets: ['subnet-a', 'subnet-b'],
    listeners: [{ port: 80, protocol: 'HTTP' }],
    backends: ['web', 'next'].map((name) => ({ name, service: { name, port: 80 } })),
    defaultAction: { forward: [{ backend: 'web' }] },
    rules: [
      { name: 'shop', paths: ['/shop/*'], forward: [{ backend: 'web' }] },
      { name: 'rest', paths: ['/*'], forward: [{ backend: 'next' }] },
    ],
  });
}

/** A MyIngress that the operator has made whole, and a further cast, which judges what the test does. */
class Bench {
  readonly broken = new Set<string>();
  readonly #world: World;
  readonly #cast: TrafficCast;

  constructor(more: readonly Step[] = []) {
    this.#world = new World(buildScenario({ why: '', seed: 1, steps: [...STEPS, ...more] }), {
      isTraced: false,
    });
    const { stage } = this.#world;
    const { table } = stage.model;
    const history = new EndpointHistory(table, () => stage.clock.monotonicMs());
    const services = { history, isServing: () => true, serviceAt: () => undefined };
    const report = (invariant: string): void => void this.broken.add(invariant);
    const cast = new TrafficCast(
      { ...stage, report },
      {
        services: services as unknown as ServiceCast,
        surroundings: { isCalm: true, isInformed: true, isFree: false },
      },
    );
    table.onCommit((commit) => {
      history.onCommit(commit);
      cast.onCommit(commit);
    });
    this.#cast = cast;
    this.#world.start();
  }

  async run(untilMs: number): Promise<void> {
    await this.#world.clock.runUntil(untilMs);
  }

  /** Others give a tag of the rule another value. */
  tagTheirs(): void {
    this.#cast.meddled(() => this.#tagRule('theirs'));
  }

  /** Others move the first of two rules, or the last one, which then stands in the order of the spec as before. */
  moveTheirs(which: 0 | -1): void {
    const RulePriorities = [{ RuleArn: this.#ruleArns.at(which), Priority: 4321 }];
    this.#cast.meddled(() => this.#call('SetRulePriorities', { RulePriorities }));
  }

  listFaults(isSettled: boolean): readonly string[] {
    const { spec } = this.#shop as MyIngress;
    return this.#cast.listFaults('web/shop', spec, { isSettled });
  }

  repair(): void {
    this.#write('AddTags', () => this.#tagRule(managedByValue));
  }

  /** What the operator must not do: the pods of the Service are ready, and the group has none of them. */
  sendToEmptyGroup(): void {
    const group = this.#world.stage.aws.world.traffic.targetGroups
      .all()
      .find(({ name }) => name.includes('next'));
    const Targets = [...(group?.targets.values() ?? [])].map(({ id, port }) => {
      return { Id: id, Port: port };
    });
    const TargetGroupArn = group?.arn;
    this.#call('DeregisterTargets', { TargetGroupArn, Targets });
    const Actions = [{ Type: 'forward', TargetGroupArn }];
    const input = { RuleArn: this.#ruleArns[0], Actions };
    this.#write('ModifyRule', () => this.#call('ModifyRule', input));
  }

  get uid(): string | undefined {
    return this.#shop?.metadata.uid;
  }

  get #shop(): MyIngress | undefined {
    const shop = this.#world.stage.model.table.get(MY_INGRESSES, 'web/shop');
    return shop as unknown as MyIngress | undefined;
  }

  get #ruleArns(): readonly string[] {
    const all = this.#world.stage.aws.world.traffic.rules.all();
    const own = all.filter(({ priority }) => priority !== 'default');
    return own
      .toSorted((one, other) => Number(one.priority) - Number(other.priority))
      .map(({ arn }) => arn);
  }

  #tagRule(value: string): void {
    const Tags = [{ Key: ownershipTagKeys.managedBy, Value: value }];
    this.#call('AddTags', { ResourceArns: [this.#ruleArns[0]], Tags });
  }

  #call(operation: string, input: object): void {
    call(this.#world.stage.aws, operation, input);
  }

  #write(operation: string, act: () => void): void {
    this.#cast.during({ operation, input: {} } as AwsCallSeen, act);
  }
}

describe('an object that others have changed', () => {
  it('is not judged before that is repaired', async () => {
    const bench = new Bench();
    await bench.run(60_000);
    bench.tagTheirs();
    bench.sendToEmptyGroup();
    expect([...bench.broken]).not.toContain('filled-before-used');
  });

  it('is judged again once that is repaired', async () => {
    const bench = new Bench();
    await bench.run(60_000);
    bench.tagTheirs();
    bench.repair();
    bench.sendToEmptyGroup();
    expect([...bench.broken]).toContain('filled-before-used');
  });

  it('is judged by its targets while a rule stands where others have put it', async () => {
    const bench = new Bench();
    await bench.run(60_000);
    bench.moveTheirs(-1);
    bench.repair();
    bench.sendToEmptyGroup();
    expect([...bench.broken]).toContain('filled-before-used');
  });

  it('has rules in the order of its spec once all is settled, where others have moved one', async () => {
    const bench = new Bench();
    await bench.run(60_000);
    bench.moveTheirs(0);
    expect(bench.listFaults(false)).toEqual([]);
    expect(bench.listFaults(true)).toEqual([expect.stringMatching(/^rules of listener 80 is/)]);
  });

  it('says nothing of a later one of its name', async () => {
    const bench = new Bench([
      { atMs: 70_000, myIngress: { do: 'delete', at: 'web/shop' } },
      createShop(200_000),
    ]);
    await bench.run(60_000);
    const { uid } = bench;
    bench.tagTheirs();
    await bench.run(260_000);
    expect(bench.uid).not.toBe(uid);
    bench.sendToEmptyGroup();
    expect([...bench.broken]).toContain('filled-before-used');
  });
});

describe('a rule that others move', () => {
  const at = (priority: number): Resource =>
    ({ kind: 'rule', key: 'rule', tags: new Map(), record: { priority } }) as never;

  it.each([
    { what: 'stands there until the operator moves it', moves: [[10, 4321]], now: 4321 },
    { what: 'is back where the operator moves it', moves: [[10, 4321]], now: 10, isBack: true },
    {
      what: 'is back where they move it back',
      moves: [
        [10, 4321],
        [4321, 10],
      ],
      now: 10,
      isBack: true,
    },
  ] as const)('$what', ({ moves, now, ...rest }) => {
    const objects = new MeddledObjects();
    for (const [from, to] of moves) {
      objects.add('web/shop', [{ before: at(from), after: at(to) }]);
    }
    expect(objects.hasMoved('web/shop', new Map([['rule', at(now)]]))).toBe(!('isBack' in rest));
  });
});
