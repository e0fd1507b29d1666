import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObservedGraph } from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import { findObstacle, type Step } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import type {
  RuleSpec,
  TrafficSpec,
} from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import type { Request } from '../../../../../src/routing/rule.ts';
import { decideObserved } from '../graph/decisions.ts';
import { MemoryAws } from '../graph/memory-aws.ts';
import { api, meddleRules, settled, web } from '../graph/samples.ts';
import { TrafficWorld } from '../graph/traffic-world.ts';

const backends = [web, api, { name: 'next', service: { name: 'next', port: 80 } }];

const to = (backend: string) => ({ forward: [{ backend }] });

function requestFor(path: string, host = 'a.example.com', method = 'GET'): Request {
  const rest = { query: '', headers: [], sourceIp: '192.0.2.1' };
  return { ...{ protocol: 'HTTP', port: 80, method, host, path }, ...rest };
}

interface Passage {
  readonly states: readonly ObservedGraph[];
  readonly steps: readonly Step[];
  /** How many steps were done when a plan was made: after a wait it begins with what is there then. */
  readonly planned: readonly number[];
  /** Carries the same steps out in another order. */
  readonly replay: (order: readonly Step[]) => readonly ObservedGraph[];
}

/** All states from one spec to the next. */
function pass(from: TrafficSpec, next: TrafficSpec): Passage {
  const begin = (): { readonly world: TrafficWorld; readonly aws: MemoryAws } => {
    const aws = new MemoryAws();
    const world = new TrafficWorld(aws);
    world.spec = from;
    world.converge();
    world.nowMs += 60_000;
    return { world, aws };
  };
  const { world, aws } = begin();
  const states: ObservedGraph[] = [aws.observed()];
  const steps: Step[] = [];
  const planned: number[] = [];
  world.spec = next;
  world.converge((plan) => {
    planned.push(steps.length);
    for (const step of plan.steps) {
      world.execute({ ...plan, steps: [step] });
      steps.push(step);
      states.push(aws.observed());
    }
  });
  const replay = (order: readonly Step[]): readonly ObservedGraph[] => {
    const again = begin().aws;
    return [again.observed(), ...order.map((step) => (again.apply(step), again.observed()))];
  };
  return { states, steps, planned, replay };
}

/** The requests that some state answers as neither the first nor the last one. */
function listStrays(
  states: readonly ObservedGraph[],
  requests: readonly Request[],
): readonly string[] {
  return requests.flatMap((request) => {
    const answers = states.map((state) => decideObserved(state, request)?.action);
    const ends = [answers[0], answers.at(-1)];
    const stray = answers.find((answer) => !ends.includes(answer));
    return stray === undefined
      ? []
      : [`${request.method} ${request.host}${request.path}: ${stray}`];
  });
}

const rule = (name: string, path: string, backend: string): RuleSpec => ({
  ...{ name, paths: [path], ...to(backend) },
});

describe('an edit leads no request to a rule that is meant for neither spec', () => {
  const probes = ['/', '/a', '/a/x', '/b', '/b/x', '/c'].map((path) => requestFor(path));

  it('where rules change their places and their conditions at once', () => {
    const from = {
      ...{ backends, defaultAction: to('web') },
      rules: [rule('narrow', '/a', 'api'), rule('wide', '/*', 'next')],
    };
    const next = { ...from, rules: [rule('wide', '/b', 'next'), rule('narrow', '/a', 'api')] };
    expect(listStrays(pass(from, next).states, probes)).toEqual([]);
  });

  it('where a rule grows over another one and is put behind it', () => {
    const from = {
      ...{ backends, defaultAction: to('web') },
      rules: [rule('wide', '/b', 'next'), rule('narrow', '/a', 'api')],
    };
    const next = { ...from, rules: [rule('narrow', '/a', 'api'), rule('wide', '/*', 'next')] };
    expect(listStrays(pass(from, next).states, probes)).toEqual([]);
  });

  it.each([
    ['an escaped star', 'a\\*', 'k=a*'],
    ['a wildcard before a text', '*a', 'k=xa'],
  ])('where a rule gives its requests to one of %s in a query string', (_kind, value, query) => {
    const first = { name: 'first', queryStrings: [{ value: 'a' }], ...to('api') };
    const wide = rule('wide', '/a/*', 'api');
    const narrow = rule('narrow', '/a/x', 'web');
    const old = rule('old', '/*', 'next');
    const followed = { name: 'followed', queryStrings: [{ value }], ...to('next') };
    const from = { backends, defaultAction: to('web'), rules: [first, wide, narrow, old] };
    const next = { ...from, rules: [first, followed, narrow, wide] };
    expect(listStrays(pass(from, next).states, [{ ...requestFor('/c'), query }])).toEqual([]);
  });

  it('where a rule goes that stood behind two which change places', () => {
    const [admin, api] = [rule('admin', '/a/x', 'web'), rule('api', '/a*', 'api')];
    const from = {
      backends,
      defaultAction: to('web'),
      rules: [api, admin, rule('rest', '/*', 'next')],
    };
    const next = { ...from, rules: [rule('narrow', '/b*', 'next'), admin, api] };
    const asked = ['/a', '/b', '/b/x'].map((path) => requestFor(path));
    expect(listStrays(pass(from, next).states, asked)).toEqual([]);
  });

  it('where a block of addresses is followed by one that begins with the same address', () => {
    const wide = rule('wide', '/a/*', 'api');
    const narrow = rule('narrow', '/a/x', 'web');
    const first = { name: 'first', sourceCIDRs: ['2001:db8::/64'], ...to('api') };
    const second = { name: 'second', sourceCIDRs: ['2001:db8::/56'], ...to('next') };
    const from = {
      backends,
      defaultAction: to('web'),
      rules: [first, wide, narrow, rule('old', '/*', 'next')],
    };
    const next = { ...from, rules: [first, second, narrow, wide] };
    const asked = [{ ...requestFor('/c'), sourceIp: '2001:db8:0:1::7' }];
    expect(listStrays(pass(from, next).states, asked)).toEqual([]);
  });

  it('where a question mark stands for a character of another path', () => {
    const last = rule('last', '/v1/*', 'api');
    const from = {
      ...{ backends, defaultAction: to('next') },
      rules: [rule('one', '/b/*', 'api'), rule('two', '/v?/u', 'web'), last],
    };
    const next = { ...from, rules: [rule('two', '/a/*', 'api'), rule('new', '/b/*', 'next')] };
    expect(listStrays(pass(from, next).states, [requestFor('/v1/u')])).toEqual([]);
  });

  it('where the default action changes with the conditions of a rule', () => {
    const from = { backends, defaultAction: to('web'), rules: [rule('one', '/a', 'api')] };
    const next = { backends, defaultAction: to('next'), rules: [rule('one', '/a*', 'web')] };
    expect(listStrays(pass(from, next).states, probes)).toEqual([]);
  });

  it('where a rule gives its path to a default action that is another one', () => {
    const from = { backends, defaultAction: to('web'), rules: [rule('one', '/a', 'api')] };
    const next = { backends, defaultAction: to('next'), rules: [rule('one', '/b', 'next')] };
    expect(listStrays(pass(from, next).states, probes)).toEqual([]);
  });

  it.each([
    {
      ...{ what: 'goes from rule to rule, and its new rule gives a path up', path: '/c' },
      rules: [rule('taker', '/a', 'web'), rule('giver', '/c', 'next')],
      later: [rule('giver', '/b', 'next'), rule('taker', '/c', 'web')],
    },
    {
      ...{ what: 'leaves a default action that forwards for a rule', path: '/a' },
      rules: [rule('r0', '/c', 'api'), rule('r1', '/c', 'next'), rule('r2', '/b', 'api')],
      later: [rule('r0', '/a', 'api')],
    },
  ])('where the default action forwards no more, and a path $what', ({ path, rules, later }) => {
    const next = { backends, defaultAction: { fixedResponse: { statusCode: 404 } }, rules: later };
    const { states } = pass({ backends, defaultAction: to('next'), rules }, next);
    expect(listStrays(states, [requestFor(path)])).toEqual([]);
  });

  it('where a rule that is deleted lies behind one that changes', () => {
    const from = {
      ...{ backends, defaultAction: to('web') },
      rules: [rule('one', '/a', 'api'), rule('old', '/a*', 'next')],
    };
    const next = { ...from, rules: [rule('one', '/b', 'api')] };
    expect(listStrays(pass(from, next).states, probes)).toEqual([]);
  });
});

it('a rule that takes the priority of one that AWS refuses to delete waits for that deletion', () => {
  const post = (name: string, path: string, backend: string): RuleSpec => ({
    ...{ ...rule(name, path, backend), methods: ['POST'] },
  });
  const from = {
    ...{ backends, defaultAction: to('next') },
    rules: [
      ...[post('one', '/a/*', 'next'), post('three', '/*', 'web')],
      ...[post('four', '/*', 'api'), post('two', '/*', 'next')],
    ],
  };
  const rules = [post('three', '/b', 'web'), post('two', '/b', 'next'), post('one', '/b', 'next')];
  const next = { ...from, rules };
  const { steps } = pass(from, next);
  const order = steps.map(({ operation }) => operation);
  const move = steps.find(({ operation }) => operation === 'SetRulePriorities');
  const before = steps.slice(0, order.indexOf('SetRulePriorities'));
  const deleted = before.filter(({ operation }) => operation === 'DeleteRule');
  expect(deleted.map(({ id }) => id)).toEqual(['rule/80/spec/four/0']);
  expect(move && findObstacle(move, deleted)).toBe(deleted[0]);
});

it('a rewrite is marked as ours before it is written, also where the default action waits for a deletion', () => {
  const one: RuleSpec = { name: 'one', hosts: ['*.example.com'], ...to('web') };
  const rewrite = { url: { regex: '^/a/(.*)$', replace: '/$1' } };
  const old = { ...rule('old', '/*', 'api'), hosts: ['*.example.com'] };
  const from = {
    ...{ backends, defaultAction: to('next') },
    rules: [rule('six', '/a/*', 'next'), old, rule('older', '/b', 'api'), one],
  };
  const rules: RuleSpec[] = [
    { name: 'six', methods: ['GET'], ...to('next') },
    { name: 'five', sourceCIDRs: ['10.0.0.0/8'], ...to('api') },
    { ...one, ...to('next'), rewrite },
    { name: 'four', queryStrings: [{ value: '1' }], ...to('web') },
  ];
  const { steps } = pass(from, { backends, defaultAction: to('web'), rules });
  const own = steps.filter(({ id }) => id === 'rule/80/spec/one/0');
  expect(own.map(({ operation }) => operation)).toEqual(['AddTags', 'ModifyRule']);
});

it.each([12, 20, 35, 50, 62])(
  'a catch-all that is narrowed and put first, of %d rules, is narrowed first',
  (count) => {
    const shops = Array.from({ length: count }, (_, at): RuleSpec => {
      const hosts = [`shop-${at}.example.com`];
      return { ...{ name: `s${at}`, hosts, paths: [`/*/orders-${at}/*`] }, ...to('api') };
    });
    const ports = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
    const from = {
      ...{ backends, listeners: ports, defaultAction: to('web') },
      rules: [...shops, rule('rest', '/*', 'next')],
    };
    const next = { ...from, rules: [rule('rest', '/maintenance', 'next'), ...shops] };
    const operations = pass(from, next).steps.map(({ operation }) => operation);
    const [first] = operations.filter((one) => ROUTING.test(one));
    expect(first).toBe('ModifyRule');
    expect(operations.indexOf('SetRulePriorities')).toBeGreaterThan(0);
  },
);

const PATHS = ['/a', '/a/*', '/b', '/*', '/a/b*'];
const HOSTS = ['a.example.com', '*.example.com'];
const NAMES = ['one', 'two', 'three', 'four'];

const conditions = fc.record(
  {
    paths: fc.subarray(PATHS, { minLength: 1, maxLength: 2 }),
    hosts: fc.subarray(HOSTS, { minLength: 1, maxLength: 1 }),
    methods: fc.constant(['POST']),
  },
  { requiredKeys: ['paths'] },
);
const action = fc.constantFrom(...backends.map(({ name }) => to(name)));
const small: fc.Arbitrary<TrafficSpec> = fc.shuffledSubarray(NAMES).chain((names) =>
  fc.record({
    backends: fc.constant(backends),
    defaultAction: action,
    rules: fc.tuple(
      ...names.map((name) =>
        fc.tuple(conditions, action).map(([when, then]) => ({ name, ...when, ...then })),
      ),
    ),
  }),
);

const asked = ['/a', '/a/x', '/a/b', '/a/bc', '/b', '/c'].flatMap((path) =>
  ['a.example.com', 'b.example.com', 'z.example.net'].flatMap((host) =>
    ['GET', 'POST'].map((method) => requestFor(path, host, method)),
  ),
);

const ROUTING = /Listener|Rule/;

describe('between any two specs of up to six resources', () => {
  it('each request is answered as by one of them, unless no order of the same writes does so', () => {
    let unavoidable = 0;
    fc.assert(
      fc.property(small, small, (from, next) => {
        const { states, steps, planned, replay } = pass(from, next);
        const isSmall =
          steps.length <= 6 && steps.every(({ operation }) => ROUTING.test(operation));
        if (!isSmall) return;
        for (const [index, start] of planned.entries()) {
          const until = states.slice(start, (planned[index + 1] ?? steps.length) + 1);
          if (listStrays([...until, ...states.slice(-1)], asked).length === 0) continue;
          unavoidable += 1;
          const done = steps.slice(0, start);
          for (const order of permute(steps.slice(start))) {
            const answers = findAnswers([...done, ...order], replay, start);
            expect(answers, describeOrder(order)).not.toEqual([]);
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(unavoidable).toBeLessThan(20);
  });

  it('nothing is written that need not be', () => {
    fc.assert(
      fc.property(small, small, (from, next) => {
        const { states, steps, replay } = pass(from, next);
        if (steps.length > 6) return;
        const end = listEnd(states.at(-1));
        for (const left of steps) {
          const fewer = steps.filter((step) => step !== left);
          const isThere = tryReplay(fewer, replay);
          if (isThere !== undefined) expect(listEnd(isThere.at(-1))).not.toEqual(end);
        }
      }),
      { numRuns: 40 },
    );
  });
});

function describeOrder(steps: readonly Step[]): string {
  return steps.map(({ operation, id }) => `${operation} ${id}`).join(', ');
}

/** Strays, after the first steps, of an order that AWS takes; any text where AWS refuses it. */
function findAnswers(
  order: readonly Step[],
  replay: Passage['replay'],
  start: number,
): readonly string[] {
  const states = tryReplay(order, replay);
  return states === undefined ? ['refused'] : listStrays(states.slice(start), asked);
}

function tryReplay(
  order: readonly Step[],
  replay: Passage['replay'],
): readonly ObservedGraph[] | undefined {
  try {
    return replay(order);
  } catch {
    return undefined;
  }
}

/** Rules in the order of evaluation: two that do the same are two all the same. */
function listEnd(state: ObservedGraph | undefined): unknown {
  return state?.listeners.map(({ listener, rules }) => [
    listener.defaultActions,
    rules
      .filter(({ rule: { priority } }) => priority !== 'default')
      .toSorted((a, b) => Number(a.rule.priority) - Number(b.rule.priority))
      .map(({ rule: { conditions: when, actions }, tags }) => ({ tags, when, actions })),
  ]);
}

function permute<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) =>
    permute(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  );
}

it('a certificate that waits for a rule to be gone is not added again and again', () => {
  const [first, second] = ['arn:a', 'arn:b'] as const;
  const begin = (certificates: readonly string[], defaultBackend: string): TrafficSpec => ({
    ...{ backends, defaultAction: to(defaultBackend) },
    listeners: [{ port: 80, protocol: 'HTTPS', certificates }],
  });
  const rules = [rule('one', '/a', 'web'), rule('old', '/a', 'next')];
  const from = { ...begin([first], 'web'), rules };
  const next = { ...begin([second, first], 'api'), rules: [rule('one', '/b', 'web')] };
  const world = new TrafficWorld();
  world.spec = from;
  world.converge();
  world.spec = next;
  const added: Step[] = [];
  world.converge((plan) => {
    added.push(...plan.steps.filter(({ operation }) => operation === 'AddListenerCertificates'));
    world.execute(plan);
  });
  // Once more where what was the default one is a further one then.
  expect(added.length).toBeLessThan(3);
});

describe('the order of a hundred changed rules is searched for with bounded effort, where conditions have', () => {
  const stars = '*a'.repeat(55);
  const cases: Readonly<Record<string, (at: number) => Partial<RuleSpec>>> = {
    'few paths': (at) => ({ paths: [`/${at}`] }),
    'patterns that take long to compare': (at) => ({
      paths: [0, 1, 2, 3, 4].map((path) => `/${stars}${at}/${path}*b`),
    }),
    'hosts with wildcards': (at) => ({ hosts: [`${at}.*`, `*.${at}.example.com`], paths: ['/*'] }),
    'blocks of addresses': (at) => ({
      sourceCIDRs: [0, 1, 2, 3, 4].map((block) => `10.${at}.${block}.0/28`),
    }),
    'pairs of a query': (at) => ({
      queryStrings: [0, 1, 2, 3, 4].map((value) => ({ key: `k${at}`, value: `*v${value}*` })),
    }),
  };
  it.each(Object.entries(cases))('%s', (_, conditionsOf) => {
    const ruleOf = (at: number, by: number): RuleSpec => ({
      ...{ name: `r${at}`, ...conditionsOf((at + by) % 100) },
      ...to(by === 0 ? 'api' : 'next'),
    });
    const specOf = (by: number): TrafficSpec => {
      const rules = Array.from({ length: 100 }, (__, at) => ruleOf(at, by));
      const isFirst = by === 0;
      return {
        backends,
        rules: isFirst ? rules : rules.toReversed(),
        defaultAction: to(isFirst ? 'web' : 'api'),
      };
    };
    const { world, aws } = settled(specOf(0));
    let reads = 0;
    meddleRules(aws, ({ rules }) =>
      rules.map((one) => {
        const counted = one.rule.conditions.map((condition) => ({
          ...condition,
          get values() {
            reads += 1;
            return 'values' in condition ? condition.values : [];
          },
        }));
        return { ...one, rule: { ...one.rule, conditions: counted as typeof one.rule.conditions } };
      }),
    );
    world.spec = specOf(7);
    expect(world.plan().steps.length).toBeGreaterThan(100);
    expect(reads).toBeLessThan(20_000);
  });
});
