import { describe, expect, it } from 'vitest';
import {
  keepRefusals,
  recordRefusal,
  recordStep,
} from '../../../../../src/controllers/my-ingress/graph/facts.ts';
import { findObstacle, type Step } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import type { MemoryAws } from './memory-aws.ts';
import { TrafficWorld } from './traffic-world.ts';

const MOST_RULES = 100;

type RuleSpec = NonNullable<TrafficSpec['rules']>[number];

/** A rule for the host of its name. */
function draftRule(name: string, others: Partial<RuleSpec> = {}): RuleSpec {
  return {
    ...{ name, hosts: [`${name}.example.com`], forward: [{ backend: 'web' }] },
    ...others,
  };
}

function draftRules(count: number, kind = 'app'): readonly RuleSpec[] {
  return Array.from({ length: count }, (_, index) => draftRule(`${kind}-${index}`));
}

const backends = [{ name: 'web', service: { name: 'web', port: 80 } }];

function serveByHttp(rules: readonly RuleSpec[]): TrafficSpec {
  return { backends, listeners: [{ port: 80, protocol: 'HTTP' }], rules: [...rules] };
}

function serveByHttps(rules: readonly RuleSpec[]): TrafficSpec {
  return {
    ...serveByHttp(rules),
    listeners: [
      { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
      { port: 443, protocol: 'HTTPS', certificates: ['arn:c'] },
    ],
  };
}

function settled(spec: TrafficSpec): TrafficWorld {
  const world = new TrafficWorld();
  world.spec = spec;
  world.converge();
  world.nowMs += 60_000;
  return world;
}

function findRules(world: TrafficWorld, port: number): readonly string[] {
  const { rules = [] } =
    world.aws.observed().listeners.find(({ listener }) => listener.port === port) ?? {};
  return rules.flatMap(({ rule, tags }) => {
    const [, , , name = 'foreign'] = (tags['albridge.io/resource'] ?? '').split('/');
    return rule.priority === 'default' ? [] : [name];
  });
}

function countRules(world: TrafficWorld): number {
  const ports = world.aws.observed().listeners.map(({ listener }) => listener.port);
  return ports.flatMap((port) => findRules(world, port)).length;
}

/** Names of the rules whose requests by HTTP end at a default action. */
function listLost(world: TrafficWorld): readonly string[] {
  const [plain, secure] = [80, 443].map((port) => new Set(findRules(world, port)));
  const door = world.aws.observed().listeners.find(({ listener }) => listener.port === 80);
  const isRedirecting = door?.listener.defaultActions[0]?.kind === 'redirect';
  const names = (world.spec.rules ?? []).map(({ name }) => name);
  return names.filter((name) => !plain?.has(name) && !(isRedirecting && secure?.has(name)));
}

/** Against an AWS that takes no more rules than its quota; the steps that it took. */
function runPass(world: TrafficWorld, onStep: (step: Step) => void): readonly Step[] {
  const plan = world.plan();
  const all = [...plan.steps, ...plan.postponed.map(({ step }) => step)];
  world.facts = keepRefusals(world.facts, all);
  const failed: Step[] = [];
  const done = plan.steps.filter((step) => {
    world.nowMs += 100;
    const isFull = step.operation === 'CreateRule' && countRules(world) >= MOST_RULES;
    const isLeftOut = findObstacle(step, failed) !== undefined;
    if (isFull && !isLeftOut) {
      const refusal = { step, reason: 'QuotaExceeded', quota: 'TooManyRules' } as const;
      world.facts = recordRefusal(world.facts, refusal);
    }
    if (isFull || isLeftOut) {
      failed.push(step);
      return false;
    }
    world.aws.apply(step);
    world.facts = recordStep(world.facts, step, world.nowMs);
    onStep(step);
    return true;
  });
  return done;
}

/** Passes every 15 s until a few change nothing; how many did. */
function converge(world: TrafficWorld, onStep: (step: Step) => void = () => {}): number {
  let idle = 0;
  for (let pass = 1; pass < 250; pass += 1) {
    idle = runPass(world, onStep).length === 0 ? idle + 1 : 0;
    if (idle === 3) return pass - idle;
    world.nowMs += 15_000;
  }
  throw new Error('does not converge');
}

describe('where AWS takes no more rules', () => {
  it.each([51, 60, 80, 99])('%s rules move to HTTPS and each is there all the while', (count) => {
    const rules = draftRules(count);
    const world = settled(serveByHttp(rules));
    world.spec = serveByHttps(rules);
    converge(world, ({ operation, id }) => {
      expect(listLost(world), `after ${operation} ${id}`).toEqual([]);
    });
    expect(findRules(world, 80)).toEqual([]);
    expect(findRules(world, 443)).toHaveLength(count);
  });

  const toOld = { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } } as const;
  it.each([
    ['with the one that redirects there', { port: 8080, redirectToHTTPS: true }],
    ['although the user still redirects there', { port: 80, defaultAction: toOld }],
  ])('a listener leaves with its rules %s', (_, door) => {
    const rules = draftRules(60);
    const world = settled(serveByHttps(rules));
    const secure = { port: 8443, protocol: 'HTTPS', certificates: ['arn:c'] } as const;
    const listeners = [{ ...door, protocol: 'HTTP' as const }, secure];
    const moved = rules.map((one) => ({ ...one, listeners: [8443] }));
    world.spec = { ...serveByHttps(moved), listeners };
    converge(world);
    expect(findRules(world, 8443)).toHaveLength(60);
    expect(findRules(world, 443)).toEqual([]);
    expect(world.aws.observed().listeners).toHaveLength(2);
  });

  it('a rule that is replaced stays for 15 s', () => {
    const rules = draftRules(60);
    const world = settled(serveByHttp(rules));
    world.spec = serveByHttps(rules);
    const madeMs = new Map<string, number>();
    converge(world, ({ operation, id }) => {
      const [, , , name = ''] = id.split('/');
      if (operation === 'CreateRule') madeMs.set(name, world.nowMs);
      if (operation !== 'DeleteRule') return;
      const heldMs = world.nowMs - (madeMs.get(name) ?? Number.POSITIVE_INFINITY);
      expect(heldMs, id).toBeGreaterThanOrEqual(15_000);
    });
    expect(madeMs.size).toBe(60);
  });

  it('rules for other requests take the places of those that leave, in one pass', () => {
    const kept = draftRules(50);
    const world = settled(serveByHttp([...kept, ...draftRules(50, 'old')]));
    world.spec = serveByHttp([...kept, ...draftRules(50, 'new')]);
    runPass(world, () => {});
    expect(findRules(world, 80)).toHaveLength(MOST_RULES);
    expect(findRules(world, 80).filter((name) => name.startsWith('new'))).toHaveLength(50);
  });

  it('a rule stays whose requests another one has yet to take over', () => {
    const kept = draftRules(98);
    const world = settled(serveByHttp([...kept, draftRule('a'), draftRule('b')]));
    const hosts = ['a.example.com', 'b.example.com'];
    world.spec = serveByHttp([...kept, draftRule('a', { hosts }), draftRule('c')]);
    const create = world.plan().steps.find(({ operation }) => operation === 'CreateRule');
    if (create === undefined) throw new Error('nothing is created');
    const refusal = { step: create, reason: 'QuotaExceeded', quota: 'TooManyRules' } as const;
    world.facts = recordRefusal(world.facts, refusal);
    world.nowMs += 60_000;
    const order: string[] = [];
    converge(world, ({ operation, id }) => order.push(`${operation} ${id.split('/')[3]}`));
    expect(order).toEqual(['ModifyRule a', 'DeleteRule b', 'CreateRule c']);
  });

  it('nor has any to spare, one after the other moves', () => {
    const rules = draftRules(MOST_RULES);
    const world = settled(serveByHttp(rules));
    world.spec = serveByHttps(rules);
    const passes = converge(world, ({ operation, id }) => {
      expect(listLost(world).length, `after ${operation} ${id}`).toBeLessThanOrEqual(1);
    });
    expect(findRules(world, 443)).toHaveLength(MOST_RULES);
    expect(passes).toBeLessThan(5);
  });

  it('none of a host goes before a later one that would take its requests', () => {
    const host = ['guarded.example.com'];
    const rules = [
      draftRule('guard', { hosts: host, paths: ['/admin/*'] }),
      ...draftRules(58),
      draftRule('rest', { hosts: host }),
    ];
    const world = settled(serveByHttp(rules));
    world.spec = serveByHttps(rules);
    converge(world, ({ operation, id }) => {
      const there = findRules(world, 80);
      const isOpen = there.includes('rest') && !there.includes('guard');
      expect(isOpen, `after ${operation} ${id}`).toBe(false);
      expect(listLost(world)).toEqual([]);
    });
    expect(findRules(world, 443)).toHaveLength(60);
  });

  it('because of those of others, what fits is served and the rest stays refused', () => {
    const world = settled(serveByHttp(draftRules(40, 'old')));
    (world.aws as MemoryAws).meddle(({ listeners }) => ({
      listeners: listeners.map((one) => ({
        ...one,
        rules: [
          ...one.rules,
          ...one.rules.slice(0, 30).flatMap(({ rule }) => {
            if (rule.priority === 'default') return [];
            const priority = 40_000 + rule.priority;
            return [{ rule: { ...rule, arn: `${rule.arn}x`, priority }, tags: {} }];
          }),
        ],
      })),
    }));
    const foreign = findRules(world, 80).filter((name) => name === 'foreign').length;
    expect(foreign).toBeGreaterThan(20);
    world.spec = serveByHttp(draftRules(90, 'new'));
    converge(world);
    const left = findRules(world, 80).filter((name) => name.startsWith('new'));
    expect(left).toHaveLength(MOST_RULES - foreign);
    expect(countRules(world)).toBe(MOST_RULES);
    expect(world.facts.refused).toHaveLength(90 - left.length);
  });

  it('a rule gets another name with no other one missing', () => {
    const rules = draftRules(MOST_RULES);
    const world = settled(serveByHttp(rules));
    const [first, ...others] = rules;
    world.spec = serveByHttp([{ ...(first as RuleSpec), name: 'renamed' }, ...others]);
    converge(world, ({ operation, id }) => {
      const lost = listLost(world).filter((name) => name !== 'renamed');
      expect(lost, `after ${operation} ${id}`).toEqual([]);
    });
    expect(findRules(world, 80)).toContain('renamed');
    expect(countRules(world)).toBe(MOST_RULES);
  });
});
