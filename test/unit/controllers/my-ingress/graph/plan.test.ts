import { describe, expect, it } from 'vitest';
import { printPlan } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { MemoryAws } from './memory-aws.ts';
import { API, api, meddleRules, rule, settled, shop, tls, WEB, web, withRules } from './samples.ts';
import { TrafficWorld } from './traffic-world.ts';

const planned = (world: TrafficWorld): readonly string[] => printPlan(world.plan());

describe('the plan of a first pass', () => {
  it('comes in the order of need, and all of it in one go', () => {
    const world = new TrafficWorld();
    world.spec = shop;
    expect(planned(world)).toEqual([
      'create security-group/frontend  (not there)',
      'allow ingress of security-group/frontend  (new: 80 from 0.0.0.0/0, 80 from ::/0)',
      'set security groups of load-balancer  (observed sg-default, desired security-group/frontend)',
      'create target-group/spec/web  (not there)',
      'create target-group/spec/api  (not there)',
      'create listener/80  (not there)',
      'create rule/80/spec/api/0  (not there, priority 100)',
    ]);
  });

  it('comes before the balancer is there, which its own create call attaches the group to', () => {
    const aws = new MemoryAws();
    const world = new TrafficWorld({
      defaultGroup: aws.defaultGroup,
      observed: () => ({ ...aws.observed(), loadBalancer: undefined }),
      apply: (step) => aws.apply(step),
    });
    world.spec = shop;
    const { steps } = world.plan();
    expect(steps.map(({ operation }) => operation)).not.toContain('SetSecurityGroups');
    const first = steps.findIndex(({ needs }) => needs.includes('load-balancer'));
    expect(steps.slice(0, first).map(({ id }) => id)).toEqual([
      ...['security-group/frontend', 'security-group/frontend'],
    ]);
  });

  it('says what each step needs', () => {
    const world = new TrafficWorld();
    world.spec = shop;
    const rule = world.plan().steps.at(-1);
    expect(rule?.needs).toEqual(['listener/80', 'target-group/spec/api']);
  });
});

interface Edit {
  readonly to: TrafficSpec;
  readonly plan: readonly string[];
  readonly why: string;
}

const many = Array.from({ length: 50 }, (_, index) => `rule-${index}`);

const edits: Readonly<Record<string, Edit & { readonly from: TrafficSpec }>> = {
  nothing: { from: shop, to: shop, plan: [], why: 'a second pass changes nothing' },
  'a weight': {
    from: shop,
    to: {
      ...shop,
      rules: [
        {
          ...{ name: 'api', paths: ['/api/*'] },
          forward: [
            { backend: 'api', weight: 9 },
            { backend: 'web', weight: 1 },
          ],
        },
      ],
    },
    plan: [
      `modify rule/80/spec/api/0  (action: observed forward ${API}:1, desired forward ${API}:9, ${WEB}:1)`,
    ],
    why: 'one ModifyRule, and the conditions are left out of it',
  },
  'a rule between two': {
    from: withRules('a', 'b'),
    to: withRules('a', 'new', 'b'),
    plan: ['create rule/80/spec/new/0  (not there, priority 150)'],
    why: 'nobody moves until a gap is used up',
  },
  'the order of fifty': {
    from: withRules(...many),
    to: withRules(...many.toReversed()),
    plan: [
      'set priorities of rules of listener/80  (order differs or a gap is used up, 50 rules move)',
    ],
    why: 'one call, whatever the permutation',
  },
  'a rule that goes': {
    from: withRules('a', 'b'),
    to: withRules('b'),
    plan: ['delete rule/80/spec/a/0  (not in the spec)'],
    why: 'nothing replaces it, so it need not wait',
  },
  'a rule under another name': {
    from: withRules('a'),
    to: { ...shop, rules: [{ ...rule('a'), name: 'b' }] },
    plan: [
      'create rule/80/spec/b/0  (not there, priority 101)',
      'in 15 s: delete rule/80/spec/a/0  (not in the spec)',
    ],
    why: 'what replaces it has to reach the data plane first',
  },
  'a rule for other requests': {
    from: withRules('a'),
    to: withRules('b'),
    plan: [
      'delete rule/80/spec/a/0  (not in the spec)',
      'create rule/80/spec/b/0  (not there, priority 101)',
    ],
    why: 'no request that it catches depends on the new one, which it may give room',
  },
  'health checks': {
    from: shop,
    to: { ...shop, backends: [{ ...web, healthCheck: { path: '/healthz' } }, api] },
    plan: [
      'set health check of target-group/spec/web  (healthCheck.path: observed /, desired /healthz)',
    ],
    why: 'the one thing of a group that AWS changes in place, beside attributes and tags',
  },
  'an attribute that leaves the spec': {
    from: {
      ...shop,
      backends: [{ ...web, attributes: { 'slow_start.duration_seconds': '30' } }, api],
    },
    to: shop,
    plan: [
      'set attributes of target-group/spec/web  (slow_start.duration_seconds: observed 30, desired 0)',
    ],
    why: "a group of ours is ours entirely: the attribute goes back to AWS's default",
  },
  'what a group cannot change': {
    from: shop,
    to: { ...shop, backends: [{ ...web, protocol: 'HTTPS' }, api] },
    plan: [
      'create target-group/spec/web  (not there)',
      `modify listener/80  (action: observed forward ${WEB}:1, desired forward shop-web-d306ff81:1)`,
    ],
    why: 'a successor under another name; the old group retires once no action names it',
  },
  certificates: {
    from: { ...shop, listeners: [tls] },
    to: { ...shop, listeners: [{ ...tls, certificates: ['arn:c', 'arn:a'] }] },
    plan: [
      'add certificate to listener/443  (not there: arn:a)',
      'modify listener/443  (certificate: observed arn:a, desired arn:c)',
      'in 15 s: remove certificate from listener/443  (left the spec: arn:b)',
    ],
    why: 'at no time does a host lack its certificate',
  },
  'HTTP to HTTPS': {
    from: { ...shop, listeners: [{ port: 443, protocol: 'HTTP' }] },
    to: { ...shop, listeners: [tls] },
    plan: [
      'modify listener/443  (protocol: observed HTTP, desired HTTPS; sslPolicy: observed none, desired ELBSecurityPolicy-TLS13-1-2-2021-06; certificate: observed none, desired arn:a)',
      'add certificate to listener/443  (not there: arn:b)',
    ],
    why: 'in place, with policy and certificate in the same call',
  },
  'another port': {
    from: { ...shop, rules: [] },
    to: { ...shop, rules: [], listeners: [{ port: 8080, protocol: 'HTTP' }] },
    plan: [
      'allow ingress of security-group/frontend  (not allowed: 8080 from 0.0.0.0/0, 8080 from ::/0)',
      'create listener/8080  (not there)',
      'in 15 s: delete listener/80  (not in the spec)',
    ],
    why: 'another port is another listener, and port 80 is admitted until its listener is gone',
  },
};

describe('the plan of an edit', () => {
  it.each(Object.entries(edits))('of %s', (_, { from, to, plan, why }) => {
    const { world } = settled(from);
    world.spec = to;
    expect(planned(world), why).toEqual(plan);
  });

  it('from HTTPS to HTTP comes once no rule has a target group that needs HTTPS', () => {
    const grpc = { ...api, protocolVersion: 'GRPC' as const };
    const { world } = settled({ ...shop, backends: [web, grpc], listeners: [tls] });
    world.spec = { ...shop, listeners: [{ port: 443, protocol: 'HTTP' }] };
    expect(planned(world)).toEqual([
      'create target-group/spec/api  (not there)',
      expect.stringMatching(/^modify rule\/443\/spec\/api\/0 /),
      'in 15 s: modify listener/443  (protocol: observed HTTPS, desired HTTP)',
    ]);
    world.converge();
    expect(world.aws.observed().listeners[0]?.listener.protocol).toBe('HTTP');
  });

  it('sets no attribute to its default because the answer lacks it', () => {
    const { world, aws } = settled(shop);
    const { observed } = aws;
    aws.observed = () => {
      const state = observed.call(aws);
      const targetGroups = state.targetGroups.map((group) => ({ ...group, attributes: {} }));
      return { ...state, targetGroups };
    };
    expect(planned(world)).toEqual([]);
    const attributes = { 'deregistration_delay.timeout_seconds': '5' };
    world.spec = { ...shop, backends: [web, { ...api, attributes }] };
    expect(planned(world)).toEqual([
      'set attributes of target-group/spec/api  (deregistration_delay.timeout_seconds: observed 300, desired 5)',
    ]);
  });

  it('turns stickiness on after the rules, and off before them', () => {
    const both = { forward: [{ backend: 'web' }, { backend: 'api' }] };
    const plain: TrafficSpec = { backends: [web, api], defaultAction: both };
    const sticky = { ...plain, backends: [{ ...web, stickiness: { durationSeconds: 60 } }, api] };
    const { world } = settled(plain);
    world.spec = sticky;
    const operations = (): readonly string[] => world.plan().steps.map((step) => step.operation);
    expect(operations()).toEqual(['ModifyListener', 'ModifyTargetGroupAttributes']);
    world.converge();
    world.spec = plain;
    expect(operations()).toEqual(['ModifyTargetGroupAttributes', 'ModifyListener']);
  });

  it('gives a new target group its attributes before it gets requests', () => {
    const sticky = { ...web, stickiness: { durationSeconds: 60 } };
    const { world } = settled({ ...shop, backends: [sticky, api] });
    const secure = { ...sticky, protocol: 'HTTPS' as const };
    world.spec = { ...shop, backends: [secure, api] };
    expect(world.plan().steps.map((step) => step.operation)).toEqual([
      ...['CreateTargetGroup', 'ModifyTargetGroupAttributes', 'ModifyListener'],
    ]);
  });

  it('uses up a gap before it moves a rule', () => {
    const { world } = settled(withRules('a', 'b'));
    let names = ['a', 'b'];
    const operations: string[] = [];
    for (let count = 0; !operations.includes('SetRulePriorities'); count += 1) {
      names = [names[0] ?? '', `n${count}`, ...names.slice(1)];
      world.spec = withRules(...names);
      operations.push(...world.plan().steps.map((step) => step.operation));
      world.converge();
    }
    expect(operations).toEqual([
      ...Array<string>(7).fill('CreateRule'),
      'SetRulePriorities',
      'CreateRule',
    ]);
  });
});

describe('a target group that is not desired', () => {
  const https = { ...shop, backends: [{ ...web, protocol: 'HTTPS' as const }, api] };

  it('is deleted once no action has named it for the deregistration delay', () => {
    const { world } = settled(shop);
    world.spec = https;
    world.execute(world.plan());
    expect(planned(world)).toEqual([
      'in 300 s: delete target-group/spec/web  (not desired, and no action names it)',
    ]);
    world.nowMs += 300_000;
    expect(planned(world)).toEqual([
      'delete target-group/spec/web  (not desired, and no action names it)',
    ]);
  });

  it('is found again when the spec goes back', () => {
    const { world } = settled(shop);
    world.spec = https;
    world.execute(world.plan());
    world.plan();
    world.spec = shop;
    expect(world.plan().steps.map((step) => step.operation)).toEqual(['ModifyListener']);
    world.execute(world.plan());
    expect(planned(world).join()).toMatch(/^in 300 s: delete target-group\/spec\/web/);
  });

  it('stays while an action of others names it', () => {
    const { world, aws } = settled(shop);
    const [group] = aws.observed().targetGroups;
    const targetGroups = [{ arn: group?.targetGroup.arn ?? '', weight: 1 }];
    const conditions = [{ field: 'path-pattern' as const, values: ['/x'] }];
    meddleRules(aws, (listener) => [
      ...listener.rules,
      {
        rule: {
          ...{ arn: 'arn:foreign', priority: 7, conditions, transforms: [] },
          actions: [{ kind: 'forward', targetGroups }],
        },
        tags: {},
      },
    ]);
    world.spec = https;
    world.execute(world.plan());
    world.nowMs += 3_600_000;
    expect(planned(world)).toEqual([]);
  });
});

describe('a part that was not read', () => {
  it('is not planned: certificates beside the default one, and attributes of a group', () => {
    const { aws } = settled({ ...shop, listeners: [tls] });
    const partial = new TrafficWorld({
      defaultGroup: aws.defaultGroup,
      observed: () => {
        const { listeners, targetGroups, ...rest } = aws.observed();
        return {
          ...rest,
          listeners: listeners.map(({ listener, tags, rules }) => ({ listener, tags, rules })),
          targetGroups: targetGroups.map(({ targetGroup, tags }) => ({ targetGroup, tags })),
        };
      },
      apply: (step) => aws.apply(step),
    });
    const sticky = { ...web, stickiness: { durationSeconds: 60 } };
    const listeners = [{ ...tls, certificates: ['arn:a', 'arn:c'] }];
    partial.spec = { ...shop, listeners, backends: [sticky, api] };
    expect(planned(partial)).toEqual([]);
  });
});

it('a listener redirects to HTTPS after the one for it is there', () => {
  const { world } = settled(shop);
  const redirecting = { port: 80, protocol: 'HTTP' as const, redirectToHTTPS: true };
  world.spec = { ...shop, listeners: [redirecting, tls] };
  const ids = world.plan().steps.map(({ operation, id }) => `${operation} ${id}`);
  const [created, redirected] = ['CreateListener listener/443', 'ModifyListener listener/80'];
  expect(ids.filter((one) => one === created || one === redirected)).toEqual([created, redirected]);
});
