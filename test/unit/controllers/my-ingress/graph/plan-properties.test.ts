import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../../../src/controllers/my-ingress/graph/plan.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import type { Request } from '../../../../../src/routing/rule.ts';
import { type Decided, decideDesired, decideObserved } from './decisions.ts';
import {
  CERTIFICATES,
  listRequests,
  request,
  spec,
  specOfOneRule,
  specsOfOneRule,
  specsOfSteadyConditions,
} from './random-traffic.ts';
import { TrafficWorld } from './traffic-world.ts';

const NOTHING: Plan = { steps: [], postponed: [], problems: [] };

describe('a plan', () => {
  it('converges from every state that a crash can leave, and then has nothing to do', () => {
    const crashes = fc.array(fc.nat(30), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(spec, crashes), { minLength: 1, maxLength: 3 }), (edits) => {
        const world = new TrafficWorld();
        for (const [edited, stops] of edits) {
          world.spec = edited;
          for (const stop of stops) world.execute(world.plan(), stop);
        }
        expect(world.converge()).toEqual(NOTHING);
        expectNothingLeft(world);
      }),
      { numRuns: 60 },
    );
  });

  it('deletes what is due before a change of another listener that may take its requests', () => {
    const backends = [{ name: 'web', service: { name: 'web', port: 80 } }];
    const forward = [{ backend: 'web' }];
    const fixedResponse = { statusCode: 200 };
    const listenersWith = (certificate = '') => [
      { port: 80, protocol: 'HTTP' as const },
      { port: 443, protocol: 'HTTPS' as const, certificates: [certificate] },
    ];
    const world = new TrafficWorld();
    const [some, all] = [
      ['/a', '/a/b', '/a/bc', '/c', '/f/?'],
      ['/b', '/*', '/a/?', '/d/*', '/e'],
    ];
    world.spec = {
      ...{ backends, listeners: listenersWith(CERTIFICATES[0]) },
      rules: [
        { name: 'four', queryStrings: [{ key: 'Preview', value: '1' }], fixedResponse },
        { name: 'two', hosts: ['b.example.org'], paths: some, forward },
        { name: 'three', hosts: ['a.example.com'], paths: all, fixedResponse },
      ],
      defaultAction: { redirect: { statusCode: 301 } },
    };
    world.execute(world.plan(), 16);
    const headers = ['^blue(bell|bird)$', 'Bell'].map((regex) => ({ name: 'X-Team', regex }));
    world.spec = {
      ...{ backends, listeners: listenersWith(CERTIFICATES[1]) },
      rules: [
        { name: 'five', queryStrings: [{ value: 'a\\*' }], forward, listeners: [443] },
        { name: 'one', paths: ['/a/*'], fixedResponse },
        { name: 'four', headers, fixedResponse },
      ],
      defaultAction: { forward },
    };
    expect(world.converge()).toEqual(NOTHING);
  });

  it('keeps the order of the spec, whatever it was before', () => {
    const requests = fc.array(request, { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(spec, { minLength: 1, maxLength: 3 }), requests, (specs, asked) => {
        const world = new TrafficWorld();
        for (const one of specs) {
          world.spec = one;
          world.converge();
        }
        for (const one of asked) {
          const observed = decideObserved(world.aws.observed(), one)?.id;
          expect(observed).toBe(decideDesired(world.desired().listeners, one));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('misses no rule on the way from one spec to the next', () => {
    forEachState({ keepsOrder: false }, ({ from, now, to }) => {
      if (from?.id === 'default' || to?.id === 'default') return;
      expect(now?.id).not.toBe('default');
    });
  });

  it('answers as before or as after all the while, where rules only come, go and act otherwise', () => {
    forEachState({ keepsOrder: true }, ({ from, now, to }) => {
      expect([from?.action, to?.action]).toContain(now?.action);
    });
  });
});

describe('a rule whose values are several rules of AWS', () => {
  const lookAtRuleOne = ({ from, now, to }: Moment): void => {
    if (!isOfRuleOne(from) || !isOfRuleOne(to)) return;
    expect(now?.id).toMatch(RULE_ONE);
  };
  const requests = fc.constant(listRequests());

  it('catches what it has caught before and catches afterwards, all the while', () => {
    forEachStateOf({ specs: specsOfOneRule(2), requests }, lookAtRuleOne);
  });

  it('does so where its hosts were divided before, and its paths are afterwards', () => {
    const hosts = ['a.example.com', 'z.example.net'];
    const others = ['b', 'c', 'd', 'e'].map((name) => `${name}.example.com`);
    const before = { hosts: [...hosts, ...others], paths: ['/a', '/b'] };
    const after = { hosts, paths: ['/', '/a', '/a/b', '/a/bc', '/b', '/c'] };
    const specs = fc.constant([before, after].map(specOfOneRule));
    forEachStateOf({ specs, requests }, lookAtRuleOne);
  });
});

const RULE_ONE = /^rule\/80\/spec\/one\//;

function isOfRuleOne(decided: Decided | undefined): boolean {
  return RULE_ONE.test(decided?.id ?? '');
}

interface Moment {
  readonly from: Decided | undefined;
  readonly now: Decided | undefined;
  readonly to: Decided | undefined;
}

/** Looks at every request in every state between two specs. */
function forEachState(
  { keepsOrder }: { readonly keepsOrder: boolean },
  look: (moment: Moment) => void,
): void {
  const requests = fc.array(request, { minLength: 10, maxLength: 10 });
  forEachStateOf({ specs: specsOfSteadyConditions(2, { keepsOrder }), requests }, look);
}

interface Asked {
  readonly specs: fc.Arbitrary<readonly TrafficSpec[]>;
  readonly requests: fc.Arbitrary<readonly Request[]>;
}

function forEachStateOf({ specs, requests }: Asked, look: (moment: Moment) => void): void {
  fc.assert(
    fc.property(specs, requests, ([first, second], asked) => {
      const world = settledWorld(first);
      const states = [world.aws.observed()];
      world.spec = second ?? {};
      world.converge((plan) => {
        for (const step of plan.steps) {
          world.execute({ ...plan, steps: [step] });
          states.push(world.aws.observed());
        }
      });
      const decisionsOf = (one: Request): readonly (Decided | undefined)[] =>
        states.map((state) => decideObserved(state, one));
      for (const one of asked) {
        const decisions = decisionsOf(one);
        const [from, to] = [decisions[0], decisions.at(-1)];
        for (const now of decisions) look({ from, now, to });
      }
    }),
    { numRuns: 60 },
  );
}

function settledWorld(spec: TrafficSpec | undefined): TrafficWorld {
  const world = new TrafficWorld();
  world.spec = spec ?? {};
  world.converge();
  return world;
}

function expectNothingLeft(world: TrafficWorld): void {
  const { targetGroups, listeners, securityGroups, loadBalancer } = world.aws.observed();
  const desired = world.desired();
  expect(targetGroups.map(({ targetGroup }) => targetGroup.name).toSorted()).toEqual(
    desired.targetGroups.map(({ name }) => name).toSorted(),
  );
  expect(new Set(listeners.map(({ listener }) => listener.port))).toEqual(
    new Set(desired.listeners.map(({ port }) => port)),
  );
  expect(securityGroups).toHaveLength(desired.securityGroup === undefined ? 0 : 1);
  expect(loadBalancer?.securityGroups).toEqual([
    securityGroups[0]?.securityGroup.id ?? 'sg-default',
  ]);
}
