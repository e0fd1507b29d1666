import { describe, expect, it } from 'vitest';
import {
  beginFacts,
  recordRefusal,
} from '../../../../../src/controllers/my-ingress/graph/facts.ts';
import { findObstacle, type Step } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import type { MemoryAws } from '../graph/memory-aws.ts';
import { meddleRules, rule, settled, shop, tls } from '../graph/samples.ts';
import type { TrafficWorld } from '../graph/traffic-world.ts';

const plain = { port: 80, protocol: 'HTTP' as const };
const redirecting = { ...plain, redirectToHTTPS: true };
const to443 = { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } } as const;
const login = { name: 'login', paths: ['/login'], listeners: [80], ...to443 };
const toNone = { forward: [{ backend: 'none' }] };
const secured: TrafficSpec = { ...shop, rules: [], listeners: [redirecting, tls] };
const withLogin: TrafficSpec = { ...shop, rules: [login], listeners: [plain, tls] };

/** Until nothing is left to do that AWS takes; the steps that it took. */
function converge(world: TrafficWorld, isRefused: (step: Step) => boolean = () => false): Step[] {
  const taken: Step[] = [];
  for (let pass = 0; pass < 5; pass += 1) {
    const plan = world.plan();
    const failed: Step[] = [];
    const done = plan.steps.filter((step) => {
      const isLeftOut = findObstacle(step, failed) !== undefined;
      if (!isLeftOut && !isRefused(step)) return true;
      failed.push(step);
      if (!isLeftOut) world.facts = recordRefusal(world.facts, { step, reason: 'AwsError' });
      return false;
    });
    world.execute({ ...plan, steps: done });
    taken.push(...done);
    world.nowMs += 60_000;
  }
  return taken;
}

function listPorts(aws: MemoryAws): readonly number[] {
  const ports = aws.observed().listeners.map(({ listener }) => listener.port);
  return ports.toSorted((a, b) => a - b);
}

function nameStep({ operation, id }: Step): string {
  return `${operation} ${id}`;
}

describe('a listener that left the spec', () => {
  it('goes after one that redirects to it and goes as well', () => {
    const { world } = settled(secured);
    world.spec = { ...shop, listeners: [{ ...plain, port: 8080 }] };
    const deletions = converge(world)
      .map(nameStep)
      .filter((step) => step.startsWith('DeleteL'));
    expect(deletions).toEqual(['DeleteListener listener/80', 'DeleteListener listener/443']);
  });

  const onPlain: TrafficSpec = { ...shop, rules: [rule('login')], listeners: [plain] };
  const refusals: Readonly<Record<string, readonly [before: TrafficSpec, after: TrafficSpec]>> = {
    'DeleteListener listener/80': [secured, { ...secured, listeners: [{ ...tls, port: 8443 }] }],
    'ModifyListener listener/80': [secured, { ...secured, listeners: [plain] }],
    'ModifyRule rule/80/spec/login/0': [withLogin, onPlain],
    'DeleteRule rule/80/spec/login/0': [withLogin, { ...onPlain, rules: [] }],
  };

  it.each(Object.entries(refusals))('stays while AWS refuses %s', (refused, [before, after]) => {
    const { world, aws } = settled(before);
    world.spec = after;
    converge(world, (step) => nameStep(step) === refused);
    expect(listPorts(aws)).toContain(443);
    world.facts = beginFacts(world.nowMs);
    converge(world);
    expect(listPorts(aws)).not.toContain(443);
  });

  it('also where the one that redirects to it becomes HTTP', () => {
    const grpc = {
      name: 'grpc',
      service: { name: 'grpc', port: 80 },
      protocolVersion: 'GRPC',
    } as const;
    const { world, aws } = settled({
      backends: [...(shop.backends ?? []), grpc],
      rules: [
        { name: 'grpc', paths: ['/grpc'], listeners: [8443], forward: [{ backend: 'grpc' }] },
      ],
      listeners: [
        { ...tls, port: 8443, defaultAction: to443 },
        { ...tls, defaultAction: shop.defaultAction },
      ],
    } as TrafficSpec);
    world.spec = { ...shop, rules: [], listeners: [{ ...plain, port: 8443 }] };
    converge(world, ({ operation }) => operation === 'ModifyListener');
    expect(listPorts(aws)).toEqual([443, 8443]);
  });

  const noStep: Readonly<Record<string, readonly [before: TrafficSpec, after: TrafficSpec]>> = {
    'a default action waits for its backend': [
      secured,
      { ...secured, listeners: [{ ...plain, defaultAction: toNone }] },
    ],
    'a rule waits for its backend': [
      withLogin,
      { ...onPlain, rules: [{ ...rule('login'), ...toNone }] },
    ],
    'a listener lacks its certificate': [
      secured,
      { ...secured, listeners: [{ port: 80, protocol: 'HTTPS' }] },
    ],
  };

  it.each(Object.entries(noStep))('stays where %s and redirects to it', (_, [before, after]) => {
    const { world, aws } = settled(before);
    world.spec = after;
    converge(world);
    expect(listPorts(aws)).toEqual([80, 443]);
    expect(world.plan().problems).toContainEqual({
      ...{ id: 'listener/443', reason: 'ResourceInUse', isUntried: true },
      message: expect.stringMatching(
        / is not in the spec, but (listener 80|rule login on port 80) redirects to it$/,
      ),
      next: expect.stringMatching(
        /^correct what keeps (listener 80|rule login on port 80) as it is$/,
      ),
    });
  });

  it('stays where a rule redirects to it that others have given a transform', () => {
    const { world, aws } = settled(withLogin);
    const transforms = [{ kind: 'other', type: 'unknown' }];
    meddleRules(
      aws,
      ({ rules }) => rules.map((one) => ({ ...one, rule: { ...one.rule, transforms } })) as never,
    );
    world.spec = { ...onPlain, rules: [] };
    converge(world);
    expect(listPorts(aws)).toEqual([80, 443]);
  });

  it('stays with one that is kept for a rule of others and redirects to it', () => {
    const { world, aws } = settled(secured);
    const foreign = {
      ...{ arn: 'arn:foreign', priority: 7, actions: [], transforms: [] },
      conditions: [{ kind: 'path-pattern', values: ['/x'] }],
    };
    meddleRules(aws, ({ listener, rules }) => {
      return listener.port === 80 ? [{ rule: foreign, tags: {} } as never] : rules;
    });
    world.spec = { ...secured, listeners: [{ ...tls, port: 8443 }] };
    converge(world);
    expect(listPorts(aws)).toEqual([80, 443, 8443]);
    const told = world.plan().problems.map(({ id, reason }) => `${id} ${reason}`);
    expect(told).toEqual(['listener/80 ResourceInUse', 'listener/443 ResourceInUse']);
  });

  it('stays with one whose port is taken and that redirects to it', () => {
    const { world, aws } = settled(secured);
    aws.meddle(({ listeners }) => ({
      listeners: listeners.flatMap((one) => {
        if (one.listener.port !== 80) return [one];
        const foreign = {
          ...one,
          rules: [],
          tags: {},
          listener: { ...one.listener, arn: 'arn:foreign' },
        };
        return [{ ...one, listener: { ...one.listener, port: 81 } }, foreign];
      }),
    }));
    world.spec = { ...secured, listeners: [plain] };
    converge(world);
    expect(listPorts(aws)).toEqual([80, 81, 443]);
  });

  it('goes where the spec has another one redirect there all the same', () => {
    const kept = { ...plain, defaultAction: to443 };
    const { world, aws } = settled({
      ...shop,
      rules: [rule('a'), rule('b')],
      listeners: [kept, tls],
    });
    world.spec = { ...shop, rules: [rule('b'), rule('a')], listeners: [kept] };
    converge(world, ({ operation }) => operation === 'SetRulePriorities');
    expect(listPorts(aws)).toEqual([80]);
  });
});
