import { describe, expect, it } from 'vitest';
import type { QuotaCode } from '../../../../../src/aws/elbv2/traffic.ts';
import {
  forgetRefusals,
  keepRefusals,
  type Refusal,
  recordRefusal,
} from '../../../../../src/controllers/my-ingress/graph/facts.ts';
import type { ResourceId } from '../../../../../src/controllers/my-ingress/graph/resource-id.ts';
import {
  findObstacle,
  printPlan,
  type Step,
} from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import {
  planRelease,
  planTeardown,
} from '../../../../../src/controllers/my-ingress/graph/teardown.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { MemoryAws } from './memory-aws.ts';
import { IDENTITY, TrafficWorld } from './traffic-world.ts';

const rule = (name: string): NonNullable<TrafficSpec['rules']>[number] => ({
  ...{ name, paths: ['/*'], fixedResponse: { statusCode: 200 } },
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

const full = (step: Step, quota: QuotaCode): Refusal => ({ step, reason: 'QuotaExceeded', quota });

it('a rule is deleted 15 s after its successor has come, whatever comes for other requests meanwhile', () => {
  const named = (name: string, path: string) => ({ ...rule(name), paths: [path] });
  const world = settled({ ...withRules(), rules: [named('old', '/a')] });
  const rules = [named('new', '/a')];
  for (const other of ['/b', '/c/*', '/d']) {
    world.spec = { ...withRules(), rules: [...rules] };
    world.execute(world.plan());
    world.nowMs += 7_000;
    rules.push(named(`other${rules.length}`, other));
  }
  world.spec = { ...withRules(), rules };
  expect(operations(world)).toEqual(['DeleteRule', 'CreateRule']);
  world.execute(world.plan());
  expect(world.converge().postponed).toEqual([]);
});

it('a rule is deleted in time while another one changes its action again and again', () => {
  const named = (name: string, path: string) => ({ ...rule(name), paths: [path] });
  const world = settled({ ...withRules(), rules: [named('old', '/a'), named('kept', '/b')] });
  for (const statusCode of [201, 202, 203]) {
    const kept = { ...named('kept', '/b'), fixedResponse: { statusCode } };
    world.spec = { ...withRules(), rules: [named('new', '/a'), kept] };
    world.execute(world.plan());
    world.nowMs += 10_000;
  }
  expect(
    world.aws.observed().listeners[0]?.rules.map(({ tags }) => tags['albridge.io/resource']),
  ).not.toContain('rule/80/spec/old/0');
});

it('a rule waits for a change that may concern its requests, of whatever rule', () => {
  const named = (name: string, path: string) => ({ ...rule(name), paths: [path] });
  const world = settled({ ...withRules(), rules: [named('old', '/a'), named('kept', '/b')] });
  world.spec = { ...withRules(), rules: [named('new', '/a'), named('kept', '/b')] };
  world.execute(world.plan());
  world.nowMs += 10_000;
  world.spec = { ...withRules(), rules: [named('new', '/a'), named('kept', '/c')] };
  world.execute(world.plan());
  world.nowMs += 10_000;
  expect(operations(world)).toEqual([]);
  world.nowMs += 5_000;
  expect(operations(world)).toEqual(['DeleteRule']);
});

describe('a step that AWS has refused', () => {
  it('for a full quota lets removals come first, and is tried again behind them', () => {
    const world = settled(withRules('old'));
    world.spec = withRules('new');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    world.facts = recordRefusal(world.facts, { step: create, reason: 'TooManyTags' });
    expect(operations(world), 'no quota').toEqual(['CreateRule', 'DeleteRule']);
    world.facts = recordRefusal(world.facts, full(create, 'TooManyRules'));
    expect(operations(world)).toEqual(['DeleteRule', 'CreateRule']);
  });

  it('for the quota of its security group keeps the window in which rules overlap', () => {
    const world = settled(withRules('old'));
    world.spec = withRules('new');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    const allow = { ...create, id: 'security-group/frontend' };
    world.facts = recordRefusal(world.facts, { step: allow, reason: 'QuotaExceeded' });
    expect(operations(world)).toEqual(['CreateRule']);
  });

  it.each([443, 444])(
    'for the quota of certificates of listener %s keeps the window in which rules overlap',
    (port) => {
      const tls = { port: 443, protocol: 'HTTPS', certificates: ['arn:a'] } as const;
      const listeners = [tls, { ...tls, port: 444 }];
      const old = { ...rule('old'), listeners: [443] };
      const world = settled({ ...withRules(), listeners, rules: [old] });
      world.spec = { ...world.spec, rules: [{ ...old, name: 'new' }] };
      const [create] = world.plan().steps;
      if (create === undefined) throw new Error('nothing is created');
      const listener: ResourceId = `listener/${port}`;
      const input = { listener, certificate: 'arn:z' };
      const add = { ...create, id: listener, operation: 'AddListenerCertificates', input } as const;
      world.facts = recordRefusal(world.facts, full(add, 'TooManyCertificates'));
      expect(operations(world)).toEqual(['CreateRule']);
    },
  );

  it('for the quota of listeners keeps that window, and lets listeners that leave the spec go first', () => {
    const listeners = [80, 81].map((port) => ({ port, protocol: 'HTTP' as const }));
    const old = { ...rule('old'), listeners: [80] };
    const world = settled({ ...withRules(), listeners, rules: [old] });
    world.spec = {
      ...{ ...world.spec, rules: [{ ...old, name: 'new' }] },
      listeners: [80, 82].map((port) => ({ port, protocol: 'HTTP' as const })),
    };
    const create = world.plan().steps.find(({ operation }) => operation === 'CreateListener');
    if (create === undefined) throw new Error('nothing is created');
    world.facts = recordRefusal(world.facts, full(create, 'TooManyListeners'));
    const routing = operations(world).filter((one) => /Listener|Rule/.test(one));
    expect(routing).toEqual(['DeleteListener', 'CreateRule', 'CreateListener']);
  });

  it('stays on record where another change of the same resource is refused too', () => {
    const world = settled(withRules('old'));
    world.spec = withRules('new');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    const other = { ...create, input: { ...create.input, action: 'another' } } as unknown as Step;
    const once = recordRefusal(world.facts, { step: create, reason: 'InvalidLoadBalancerAction' });
    const both = recordRefusal(once, { step: other, reason: 'OperationNotPermitted' });
    expect(both.refused.map(({ reason }) => reason)).toEqual([
      ...['InvalidLoadBalancerAction', 'OperationNotPermitted'],
    ]);
    expect(recordRefusal(both, { step: other, reason: 'AwsError' }).refused).toHaveLength(2);
  });

  it('counts as long as the plan tries it', () => {
    const world = settled(withRules('old'));
    world.spec = withRules('new');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    const facts = recordRefusal(world.facts, full(create, 'TooManyRules'));
    expect(keepRefusals(facts, [create]).refused).toEqual(facts.refused);
    expect(keepRefusals(facts, [{ ...create, operation: 'DeleteRule' } as Step]).refused).toEqual(
      [],
    );
  });

  it('for another reason keeps nothing else from being deleted', () => {
    const world = settled(withRules('old', 'kept'));
    world.spec = withRules('new', 'kept');
    const [create] = world.plan().steps;
    if (create === undefined) throw new Error('nothing is created');
    expect(operations(world)).toEqual(['CreateRule']);
    world.facts = recordRefusal(world.facts, { step: create, reason: 'ValidationError' });
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
  const step = { ...create, id: 'rule/80/spec/one/0' } as const;
  blank.facts = recordRefusal(blank.facts, { step, reason: 'ListenerNotFound' });
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
