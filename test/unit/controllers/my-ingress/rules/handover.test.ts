import { describe, expect, it } from 'vitest';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { TrafficWorld } from '../graph/traffic-world.ts';

type Paths = Readonly<Record<string, readonly string[]>>;

const specOf = (rules: Paths): TrafficSpec => ({
  listeners: [{ port: 80, protocol: 'HTTP' }],
  rules: Object.entries(rules).map(([name, paths]) => ({
    ...{ name, paths, fixedResponse: { statusCode: 200 } },
  })),
});

interface Case {
  readonly from: Paths;
  readonly to: Paths;
  readonly order: readonly string[];
  readonly why: string;
}

const cases: Readonly<Record<string, Case>> = {
  'one after the other': {
    from: { a: ['/1'], b: ['/2'], c: ['/3'] },
    to: { a: ['/2'], b: ['/3'], c: ['/4'] },
    order: ['a', 'b', 'c'],
    why: 'a has /2 before b gives it up',
  },
  back: {
    from: { a: ['/1'], b: ['/2'], c: ['/3'] },
    to: { a: ['/0'], b: ['/1'], c: ['/2'] },
    order: ['c', 'b', 'a'],
    why: 'c has /2 before b gives it up',
  },
  'from one rule to another, in one condition of several values': {
    from: { a: ['/1', '/2'], b: ['/3'] },
    to: { a: ['/1'], b: ['/2', '/3'] },
    order: ['b', 'a'],
    why: 'b has /2 before a gives it up',
  },
  'in an exchange': {
    from: { a: ['/1'], b: ['/2'] },
    to: { a: ['/2'], b: ['/1'] },
    order: ['b', 'a'],
    why: 'no order keeps both, and each is modified once',
  },
};

describe('a path that goes from rule to rule', () => {
  it.each(Object.entries(cases))('%s', (_, { from, to, order, why }) => {
    const world = new TrafficWorld();
    world.spec = specOf(from);
    world.converge();
    world.spec = specOf(to);
    const ids = world.plan().steps.map(({ id }) => id);
    expect(ids, why).toEqual(order.map((name) => `rule/80/spec/${name}/0`));
  });
});
