import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FaultRule } from '../../../../../localstack/embedded/faults/fault-script.ts';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import type { CrashPlan } from '../crashing-ports.ts';
import { CERTIFICATES, SMALL_LISTS, spec, TRUST_STORE } from '../graph/random-traffic.ts';
import { MINUTE_MS, World } from '../world.ts';
import { describeAws } from './describe-aws.ts';

/** More of them find more: `numRuns: 400` takes some minutes. */
const RUNS = { numRuns: 20, seed: 7 };

type Act = (world: World) => unknown;
type Spec = Partial<MyIngressSpec>;

const TRAFFIC = ['backends', 'listeners', 'rules', 'defaultAction', 'inbound'] as const;

const edit = (change: Spec): Act => {
  const gone = TRAFFIC.filter((key) => !(key in change));
  return (world) => {
    if (!world.exists('shop'))
      return world.apply('shop', { ipAddressType: 'dualstack', ...change });
    world.edit('shop', change);
    return world.unset('shop', ...gone);
  };
};
const change = (part: Spec): Act => {
  return (world) => world.exists('shop') && world.edit('shop', part);
};
const annotate = (annotations: Readonly<Record<string, string>>): Act => {
  return (world) => world.exists('shop') && world.annotate('shop', annotations);
};
const restart = (plan?: CrashPlan): Act => {
  return async (world) => {
    world.crash();
    world.targets.published.clear();
    world.start(plan);
    await world.clock.settle();
  };
};
const limits = {
  'rules-per-application-load-balancer': 3,
  'listeners-per-application-load-balancer': 1,
};

/** Somebody deletes one of our listeners or rules. */
const meddle = (which: number): Act => {
  return (world) => {
    if (world.aws.control.pendingFaults().length > 0) return;
    const { listeners } = world.aws.control.snapshot();
    const rules = listeners.flatMap((one) =>
      one.rules.filter((rule) => rule.priority !== 'default'),
    );
    const arn = [...listeners, ...rules][which % (listeners.length + rules.length)]?.arn;
    if (arn?.includes(':listener/')) world.outOfBand('DeleteListener', { ListenerArn: arn });
    else if (arn !== undefined) world.outOfBand('DeleteRule', { RuleArn: arn });
  };
};

const plans = fc.record<CrashPlan>({
  port: fc.constantFrom('aws', 'kube'),
  at: fc.integer({ min: 1, max: 30 }),
  when: fc.constantFrom('before', 'unanswered', 'after'),
});
const effects = fc.constantFrom<FaultRule['effect']>(
  { kind: 'lostResponse' },
  { kind: 'dropBeforeApply' },
  { kind: 'html500' },
  { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' },
  { kind: 'staleReads', ageMs: 9_000 },
);
const faults = fc.tuple(effects, fc.record({ skip: fc.nat(3), times: fc.constantFrom(1, 4) }));

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: spec.map((one) => edit(one as Spec)) },
  {
    weight: 8,
    arbitrary: fc.constantFrom(10, 700, 3_000, 16_000, 40_000, 400_000).map((ms): Act => {
      return (world) => world.clock.advance(ms);
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom({}, { team: 'web' }).map((tags) => change({ tags })) },
  { weight: 1, arbitrary: fc.constant(annotate({ 'albridge.io/paused': 'true' })) },
  { weight: 1, arbitrary: fc.constant(annotate({})) },
  {
    weight: 1,
    arbitrary: fc.constant<Act>((world) => world.exists('shop') && world.delete('shop')),
  },
  { weight: 3, arbitrary: fc.option(plans, { nil: undefined }).map(restart) },
  {
    weight: 2,
    arbitrary: faults.map(
      ([effect, rule]): Act =>
        (world) =>
          world.fault('*', effect, rule),
    ),
  },
  { weight: 2, arbitrary: fc.nat(20).map(meddle) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({}, limits).map(
      (given): Act =>
        (world) => {
          world.aws.control.changeSettings({ limits: given });
        },
    ),
  },
);

function begin(): World {
  const world = new World(SMALL_LISTS);
  world.aws.control.setCertificates(CERTIFICATES);
  world.aws.control.setTrustStores([TRUST_STORE]);
  world.start();
  return world;
}

async function rest(world: World, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await world.clock.advance(MINUTE_MS);
    if (world.incarnation.isOver) world.start();
  }
}

it('whatever happens to an object, AWS has in the end what it would have from the start', async () => {
  const lives = fc.array(acts, { minLength: 10, maxLength: 20, size: 'max' });
  const property = fc.asyncProperty(spec, lives, async (first, life) => {
    const world = begin();
    for (const act of [edit(first), ...life]) {
      await act(world);
      if (world.incarnation.isOver) world.start();
    }
    world.aws.control.clearFaults();
    world.aws.control.changeSettings({ limits: {} });
    annotate({})(world);
    await rest(world, 75);
    if (world.exists('shop')) {
      const anew = begin();
      await anew.applied('shop', world.object('shop').spec);
      await rest(anew, 1);
      expect(describeAws(world)).toEqual(describeAws(anew));
      world.delete('shop');
      await rest(world, 20);
    }
    expect([world.exists('shop'), world.beside, world.balancers]).toEqual([false, [], []]);
  });
  await fc.assert(property, RUNS);
}, 60_000);
