import { describe, expect, it } from 'vitest';
import {
  forgetRefusals,
  recordRefusal,
} from '../../../../../src/controllers/my-ingress/graph/facts.ts';
import { findObstacle, printPlan } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import {
  planRelease,
  planTeardown,
} from '../../../../../src/controllers/my-ingress/graph/teardown.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { MemoryAws } from './memory-aws.ts';
import { IDENTITY, TrafficWorld } from './traffic-world.ts';

const rule = (name: string): NonNullable<TrafficSpec['rules']>[number] => ({
  ...{ name, paths: [`/${name}`], fixedResponse: { statusCode: 200 } },
});
const withRules = (...names: readonly string[]): TrafficSpec => ({
  ...{ backends: [{ name: 'web', service: { name: 'web', port: 80 } }], rules: names.map(rule) },
});

function settled(spec: TrafficSpec, aws = new MemoryAws()): TrafficWorld {
  const world = new TrafficWorld(aws);
  world.spec = spec;
  world.converge();
  world.nowMs += 60_000;
  return world;
}

const operations = (world: TrafficWorld): readonly string[] =>
  world.plan().steps.map(({ operation }) => operation);

describe('a step that AWS has refused', () => {
  it('for a full quota lets removals come first, and is tried again behind them', () => {
    const world = settled(withRules('old'));
    world.spec = withRules('new');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    world.facts = recordRefusal(world.facts, create, 'TooManyTags');
    expect(operations(world), 'no quota').toEqual(['CreateRule', 'DeleteRule']);
    world.facts = recordRefusal(world.facts, create, 'QuotaExceeded');
    expect(operations(world)).toEqual(['DeleteRule', 'CreateRule']);
  });

  it('for the quota of its security group keeps the window in which rules overlap', () => {
    const world = settled(withRules('old'));
    world.spec = withRules('new');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    const allow = { ...create, id: 'security-group/frontend' };
    world.facts = recordRefusal(world.facts, allow, 'QuotaExceeded');
    expect(operations(world)).toEqual(['CreateRule']);
  });

  it('for another reason keeps nothing else from being deleted', () => {
    const world = settled(withRules('old', 'kept'));
    world.spec = withRules('new', 'kept');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    expect(operations(world)).toEqual(['CreateRule']);
    world.facts = recordRefusal(world.facts, create, 'ValidationError');
    expect(operations(world)).toEqual(['CreateRule', 'DeleteRule']);
    world.facts = forgetRefusals(world.facts);
    expect(operations(world)).toEqual(['CreateRule']);
  });
});

it('a rule that AWS has refused comes after its listener, where a read does not show that one yet', () => {
  const world = settled(withRules('one'));
  world.spec = withRules('one', 'two');
  const [create] = world.plan().steps;
  if (create === undefined) throw new Error('nothing is created');
  const blank = new TrafficWorld();
  blank.spec = world.spec;
  blank.facts = recordRefusal(
    blank.facts,
    { ...create, id: 'rule/80/spec/one/0' },
    'ListenerNotFound',
  );
  expect(operations(blank).filter((one) => /Listener|Rule/.test(one))).toEqual([
    ...['CreateListener', 'CreateRule', 'CreateRule'],
  ]);
});

describe('a step that fails', () => {
  it('keeps those from being carried out that need what it creates, and no others', () => {
    const world = new TrafficWorld();
    world.spec = { ...withRules('a'), listeners: [{ port: 80, protocol: 'HTTP' }] };
    const { steps } = world.plan();
    const failed = steps.filter(({ operation }) => operation === 'CreateTargetGroup');
    const held = steps.filter((step) => findObstacle(step, failed) !== undefined);
    expect(held.map(({ operation }) => operation)).toEqual(['CreateListener']);
    const alsoHeld = steps.filter((step) => findObstacle(step, [...failed, ...held]) !== undefined);
    expect(alsoHeld.map(({ operation }) => operation)).toEqual(['CreateListener', 'CreateRule']);
  });

  it('that only sets tags holds nothing up', () => {
    const world = new TrafficWorld();
    world.spec = withRules('a');
    const tags = { operation: 'AddTags' as const, input: { resource: 'arn:x', tags: {} } };
    const failed = { id: 'listener/80', why: '', needs: [], ...tags };
    expect(world.plan().steps.some((step) => findObstacle(step, [failed]))).toBe(false);
  });
});

describe('the end of an object', () => {
  it('leaves its groups to be deleted, and those of others alone', () => {
    const aws = new MemoryAws();
    settled(withRules('a'), aws);
    aws.meddle(({ targetGroups, securityGroups }) => ({
      targetGroups: [...targetGroups, ...targetGroups.map((one) => ({ ...one, tags: {} }))],
      securityGroups: [...securityGroups, ...securityGroups.map((one) => ({ ...one, tags: {} }))],
    }));
    const steps = planTeardown(aws.observed(), IDENTITY);
    expect(printPlan({ steps, postponed: [] })).toEqual([
      'delete target-group/spec/web  (the object is being deleted)',
      'delete security-group/frontend  (the object is being deleted)',
    ]);
    expect(steps.map(({ needs }) => needs)).toEqual([['load-balancer'], ['load-balancer']]);
  });

  it('with Retain takes our tags off everything, and a second time nothing', () => {
    const aws = new MemoryAws();
    settled(withRules('a'), aws);
    const steps = planRelease(aws.observed(), IDENTITY);
    expect(printPlan({ steps, postponed: [] })).toEqual([
      'remove tags from rule/80/spec/a/0  (deletionPolicy is Retain)',
      'remove tags from listener/80  (deletionPolicy is Retain)',
      'remove tags from target-group/spec/web  (deletionPolicy is Retain)',
      'remove tags from security-group/frontend  (deletionPolicy is Retain)',
    ]);
    for (const step of steps) aws.apply(step);
    expect(aws.observed().listeners.map(({ tags }) => tags)).toEqual([{ team: 'web' }]);
    expect(planRelease(aws.observed(), IDENTITY)).toEqual([]);
  });
});
