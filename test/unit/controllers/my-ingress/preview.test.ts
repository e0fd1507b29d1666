import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import type { AwsOperation } from '../../../../src/aws/elbv2/load-balancers.ts';
import { printStep } from '../../../../src/controllers/my-ingress/graph/planned-step.ts';
import { draftOf } from './drafts.ts';
import { spec as anySpec, CERTIFICATES, SMALL_LISTS, TRUST_STORE } from './graph/random-traffic.ts';
import { api, SHOP, web } from './traffic/specs.ts';
import { MINUTE_MS, SCAN_MS, World, type WorldOptions } from './world.ts';

const PLAN = { 'albridge.io/mode': 'plan' } as const;
const IDLE = 'idle_timeout.timeout_seconds';
const DELAY = 'deregistration_delay.timeout_seconds';
/** Target groups retire within the quarter of an hour for which the tests wait. */
const FAST = { attributes: { [DELAY]: '30' } };
const TWO_BY_PATH = {
  ...SHOP,
  backends: [
    { ...web, ...FAST },
    { ...api, ...FAST },
  ],
};

function startWorld(options: WorldOptions = {}): World {
  const world = new World(options);
  world.aws.control.setCertificates(CERTIFICATES);
  world.aws.control.setTrustStores([TRUST_STORE]);
  world.start();
  return world;
}

function applyPlanned(world: World, name: string, spec: Partial<MyIngressSpec>): void {
  const draft = draftOf(name, spec);
  world.kube.create({ ...draft, metadata: { ...draft.metadata, annotations: PLAN } });
}

/** What a step does to what, in the words of the printed plan. */
function readPhrase(line: string): string {
  const [, verb = '', kind = ''] =
    /^(?:in \d+ s: |later: )?(.*) ([a-z-]+)(?:\/\S+)?  \(/.exec(line) ?? [];
  return ['create', 'modify', 'delete'].includes(verb) ? `${verb} ${kind}` : verb;
}

const KINDS = ['load-balancer', 'security-group', 'target-group', 'listener', 'rule'] as const;

/** The same of a call. */
function phraseOf(operation: string): string {
  const name = operation.replace(/(?<=.)([A-Z])/g, '-$1').toLowerCase();
  const kind = KINDS.find((one) => name.endsWith(one)) ?? 'load-balancer';
  const id = kind as Parameters<typeof printStep>[0]['id'];
  return readPhrase(printStep({ id, operation: operation as AwsOperation, why: '' }));
}

function planOf(world: World): readonly string[] {
  return world.object('shop').status?.plan?.steps ?? ['no plan'];
}

/** Takes the annotation off, and compares what is then written with what was shown. */
async function expectCarriedOut(world: World, label?: string): Promise<void> {
  const shown = planOf(world);
  const atOnce = shown.filter((line) => !/^(in|later)\b.*: /.test(line)).length;
  const before = world.writesToAws.length;
  world.annotate('shop', {});
  await world.clock.advance(15 * MINUTE_MS);
  const made = world.writesToAws.slice(before).map(phraseOf);
  // What waits is done when its time has come.
  const order = (phrases: readonly string[]): readonly string[] => [
    ...phrases.slice(0, atOnce),
    ...phrases.slice(atOnce).toSorted(),
  ];
  expect(joinTags(order(made)), label).toEqual(joinTags(order(shown.map(readPhrase))));
}

/** One call takes the tags off many resources. */
function joinTags(phrases: readonly string[]): readonly string[] {
  return phrases.filter((one, index) => !one.includes('tags') || one !== phrases[index - 1]);
}

interface Story {
  readonly spec: Partial<MyIngressSpec>;
  /** Edits and drift, under the annotation. */
  readonly change: (world: World) => unknown;
  readonly steps: readonly string[];
}

const edits: Readonly<Record<string, Story>> = {
  'subnets, a tag and an attribute of a balancer alone': {
    spec: { tags: { team: 'web' } },
    change: (world) =>
      world.edit('shop', {
        ...{ subnets: ['subnet-b', 'subnet-c'], tags: { team: 'ops' } },
        attributes: { [IDLE]: '120' },
      }),
    steps: ['add tags to', 'set subnets of', 'set attributes of'],
  },
  'traffic for a balancer alone': {
    spec: {},
    change: (world) => world.edit('shop', SHOP),
    steps: [
      ...['create security-group', 'allow ingress of', 'set security groups of'],
      ...['create target-group', 'create target-group', 'create listener', 'create rule'],
    ],
  },
  'a backend that goes': {
    spec: TWO_BY_PATH,
    change: (world) => world.edit('shop', { backends: [{ ...web, ...FAST }], rules: [] }),
    steps: ['delete rule', 'delete target-group'],
  },
  'a port that goes': {
    spec: {
      ...TWO_BY_PATH,
      listeners: [
        { port: 80, protocol: 'HTTP' },
        { port: 8080, protocol: 'HTTP' },
      ],
    },
    change: (world) => world.edit('shop', { listeners: [{ port: 80, protocol: 'HTTP' }] }),
    steps: ['delete listener', 'revoke ingress of'],
  },
  'two certificates for a port that was HTTP': {
    spec: { ...TWO_BY_PATH, listeners: [{ port: 443, protocol: 'HTTP' }] },
    change: (world) =>
      world.edit('shop', {
        listeners: [{ port: 443, protocol: 'HTTPS', certificates: CERTIFICATES.slice(1) }],
      }),
    steps: ['modify listener', 'add certificate to'],
  },
  'a backend that gets another target group, which takes the requests later': {
    spec: TWO_BY_PATH,
    change: (world) =>
      world.edit('shop', {
        backends: [
          { ...web, ...FAST },
          { ...api, ...FAST, protocol: 'HTTPS' },
        ],
      }),
    steps: [
      ...['create target-group', 'set attributes of', 'modify rule'],
      ...['modify rule', 'delete target-group'],
    ],
  },
  'a rule that drifts': {
    spec: TWO_BY_PATH,
    change: (world) => {
      const [rule] = world.beside.filter(({ tags }) =>
        tags['albridge.io/resource']?.startsWith('rule/'),
      );
      world.outOfBand('DeleteRule', { RuleArn: rule?.id });
      world.annotate('shop', { ...PLAN, 'albridge.io/reconcile-requested-at': 'now' });
    },
    steps: ['create rule'],
  },
  nothing: { spec: TWO_BY_PATH, change: () => undefined, steps: [] },
};

describe('albridge.io/mode: plan', () => {
  const creates: Readonly<Record<string, Partial<MyIngressSpec>>> = {
    'a balancer alone': {},
    'a balancer with attributes': {
      attributes: { [IDLE]: '120', 'routing.http2.enabled': 'true' },
    },
    'two backends by path': TWO_BY_PATH,
    'two backends, with security groups of its own': { ...SHOP, securityGroups: ['sg-admin'] },
  };

  it.each(Object.entries(creates))('shows the create of %s, and it is done so', async (_, spec) => {
    const world = startWorld();
    await world.clock.settle();
    applyPlanned(world, 'shop', spec);
    await world.clock.advance(15 * MINUTE_MS);
    expect(world.writesToAws).toEqual([]);
    expect(world.object('shop').metadata.finalizers).toBeUndefined();
    expect(world.condition('shop')).toBe('Unknown Planned');
    expect(world.message('shop')).toMatch(
      /^status\.plan has \d+ steps?; remove the annotation albridge\.io\/mode to execute it$/,
    );
    await expectCarriedOut(world);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.object('shop').status?.plan).toBeUndefined();
  });

  it.each(Object.entries(edits))('shows what an object lacks: %s', async (_, story) => {
    const world = startWorld();
    await world.applied('shop', story.spec);
    await world.clock.advance(MINUTE_MS);
    world.annotate('shop', PLAN);
    await world.clock.advance(MINUTE_MS);
    expect(planOf(world)).toEqual([]);
    const before = world.writesToAws.length;
    story.change(world);
    await world.clock.advance(SCAN_MS);
    expect(planOf(world).map(readPhrase)).toEqual(story.steps);
    expect(world.writesToAws).toHaveLength(before);
    await expectCarriedOut(world);
  });
});

describe('status.plan', () => {
  const rules = Array.from({ length: 60 }, (_, index) => ({
    ...{ name: `rule-${index}`, paths: [`/${index}/*`] },
    forward: [{ backend: 'web' }],
  }));

  async function planFor(spec: Partial<MyIngressSpec>): Promise<World> {
    const world = startWorld();
    await world.applied('shop', {});
    world.annotate('shop', PLAN);
    await world.edited('shop', spec, MINUTE_MS);
    return world;
  }

  it('has fifty steps at most, says how many more there are, and its digest is of all', async () => {
    const spec = { backends: [web], rules };
    const world = await planFor(spec);
    const { steps = [], omitted, digest, generation } = world.object('shop').status?.plan ?? {};
    expect([steps.length, omitted, generation]).toEqual([50, 15, 2]);
    const [last = rules[0], ...others] = rules.toReversed();
    world.edit('shop', { rules: [...others.reverse(), { ...last, name: 'other' }] as never });
    await world.clock.advance(MINUTE_MS);
    const changed = world.object('shop').status?.plan;
    expect(changed?.steps).toEqual(steps);
    expect(changed?.digest).not.toBe(digest);
    await world.edited('shop', spec, MINUTE_MS);
    expect(world.object('shop').status?.plan).toMatchObject({ digest, generation: 4 });
  });

  it('cuts a step that its bound does not admit', async () => {
    const tags = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`tag-${index}`, 'x'.repeat(50)]),
    );
    const [step = ''] = planOf(await planFor({ tags }));
    expect(step).toMatch(/^add tags to load-balancer {2}\(tag tag-0: .*\.\.\.\)$/);
    expect(step).toHaveLength(512);
  });

  it('keeps its digest while the time of a step comes nearer', async () => {
    const world = startWorld();
    await world.applied('shop', TWO_BY_PATH);
    await world.edited('shop', { backends: [{ ...web, ...FAST }], rules: [] }, 17_000);
    world.annotate('shop', PLAN);
    const digests = new Set<string | undefined>();
    const texts = new Set<string>();
    for (let i = 0; i < 4; i++) {
      world.annotate('shop', { ...PLAN, 'albridge.io/reconcile-requested-at': `${i}` });
      await world.clock.advance(5_000);
      digests.add(world.object('shop').status?.plan?.digest);
      texts.add(planOf(world).join());
    }
    expect(digests.size).toBe(1);
    expect(texts.size).toBeGreaterThan(1);
  });

  it('leaves a problem to the message of Ready', async () => {
    const world = startWorld();
    await world.applied('shop', {});
    world.outOfBand('CreateListener', {
      ...{ LoadBalancerArn: world.balancer().arn, Protocol: 'HTTP', Port: 80 },
      DefaultActions: [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }],
    });
    world.annotate('shop', PLAN);
    await world.edited('shop', { backends: [web] }, MINUTE_MS);
    expect(world.condition('shop')).toBe('Unknown Planned');
    expect(world.message('shop')).toMatch(/^listener 80: .* status\.plan has \d steps; remove/);
  });
});

describe('the deletion of an object in plan mode', () => {
  const deleted: Readonly<
    Record<string, { spec: Partial<MyIngressSpec>; steps: readonly string[] }>
  > = {
    'a balancer alone': { spec: {}, steps: ['delete load-balancer'] },
    'two backends by path': {
      spec: TWO_BY_PATH,
      steps: [
        ...['delete load-balancer', 'delete target-group', 'delete target-group'],
        'delete security-group',
      ],
    },
    'two backends, retained': {
      spec: { ...TWO_BY_PATH, deletionPolicy: 'Retain' },
      steps: Array.from({ length: 6 }, () => 'remove tags from'),
    },
  };

  it.each(Object.entries(deleted))('waits and is planned: %s', async (_, { spec, steps }) => {
    const world = startWorld();
    await world.applied('shop', spec);
    await world.clock.advance(MINUTE_MS);
    world.annotate('shop', PLAN);
    world.delete('shop');
    const before = world.writesToAws.length;
    await world.clock.advance(15 * MINUTE_MS);
    expect(world.writesToAws).toHaveLength(before);
    expect(world.condition('shop')).toBe('Unknown Planned');
    expect(world.message('shop')).toMatch(/^the deletion waits, status\.plan has \d steps?; /);
    expect(planOf(world).map(readPhrase)).toEqual(steps);
    await expectCarriedOut(world);
    expect(world.exists('shop')).toBe(false);
  });
});

it('pause wins over plan', async () => {
  const world = startWorld();
  await world.applied('shop');
  world.annotate('shop', { ...PLAN, 'albridge.io/paused': 'true' });
  await world.clock.advance(MINUTE_MS);
  expect(world.condition('shop')).toBe('Unknown Paused');
});

it('a mistyped mode writes nothing', async () => {
  const world = startWorld();
  await world.applied('shop');
  world.annotate('shop', { 'albridge.io/mode': 'Plan ' });
  world.edit('shop', { tags: { team: 'web' } });
  expect(await world.callsDuring(() => world.clock.advance(MINUTE_MS))).not.toHaveProperty(
    'AddTags',
  );
  expect(planOf(world).map(readPhrase)).toEqual(['add tags to']);
});

const SPECS = fc.sample(anySpec, { numRuns: 40, seed: 16 }) as readonly Partial<MyIngressSpec>[];

describe('over random specs', () => {
  it('an edit is done as it was shown, and nothing before', async () => {
    let carriedOut = 0;
    for (const [index, spec] of SPECS.entries()) {
      const world = startWorld(SMALL_LISTS);
      await world.applied('shop', { ipAddressType: 'dualstack', ...SPECS[index - 1] });
      await world.clock.advance(15 * MINUTE_MS);
      world.annotate('shop', PLAN);
      await world.clock.advance(MINUTE_MS);
      const writes = await world.writesDuring(async () => {
        world.unset('shop', 'backends', 'listeners', 'rules', 'defaultAction', 'inbound');
        await world.edited('shop', spec, 2 * SCAN_MS);
      });
      expect(
        writes.filter((write) => write !== 'applyStatus'),
        `spec ${index}`,
      ).toEqual([]);
      // Of a long plan not all is shown.
      if (world.object('shop').status?.plan?.omitted !== 0) continue;
      await expectCarriedOut(world, `spec ${index}`);
      carriedOut += 1;
    }
    expect(carriedOut).toBeGreaterThan(30);
  });
});

describe('a crash', () => {
  const crashes = (['aws', 'kube'] as const).flatMap((port) =>
    [1, 2, 3, 4, 5, 6].flatMap((at) =>
      (['before', 'unanswered', 'after'] as const).map((when) => ({ port, at, when })),
    ),
  );

  it('anywhere in plan mode leaves the same plan, and nothing written', async () => {
    const plans = new Set<string>();
    for (const crash of crashes) {
      const world = new World();
      applyPlanned(world, 'shop', TWO_BY_PATH);
      world.start(crash);
      await world.clock.advance(MINUTE_MS);
      await world.restart();
      await world.clock.advance(MINUTE_MS);
      plans.add(JSON.stringify(world.object('shop').status?.plan));
      expect(world.writesToAws).toEqual([]);
      expect(new Set(world.kube.writes.map(({ verb }) => verb))).toEqual(new Set(['applyStatus']));
    }
    expect([...plans]).toEqual([expect.stringContaining('create load-balancer  (not there)')]);
  });
});

it('at rest a plan is written once, and the plan of an object in place asks AWS nothing', async () => {
  const world = startWorld();
  await world.applied('shop', TWO_BY_PATH);
  await world.clock.advance(MINUTE_MS);
  world.annotate('shop', PLAN);
  applyPlanned(world, 'cart', TWO_BY_PATH);
  await world.clock.advance(MINUTE_MS);
  const scan = { DescribeLoadBalancers: 1, DescribeTargetGroups: 1, DescribeTags: 1 };
  world.kube.delete(draftOf('cart'));
  expect(await world.callsDuring(() => world.clock.advance(SCAN_MS))).toEqual(scan);
  expect(await world.writesDuring(() => world.clock.advance(6 * SCAN_MS))).toEqual([]);
});

describe('targets of an object in plan mode', () => {
  async function restartPlanned(hasFinalizer: boolean): Promise<World> {
    const world = startWorld();
    await world.applied('shop', TWO_BY_PATH);
    await world.clock.advance(MINUTE_MS);
    world.kube.edit(draftOf('shop'), ({ metadata: { finalizers = [], ...metadata }, ...live }) => ({
      ...live,
      metadata: { ...metadata, annotations: PLAN, ...(hasFinalizer && { finalizers }) },
    }));
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(SCAN_MS);
    return world;
  }

  it('are registered as under pause, once it was carried out', async () => {
    expect((await restartPlanned(true)).targets.published.size).toBe(1);
  });

  it('are not registered where it never was', async () => {
    expect((await restartPlanned(false)).targets.published.size).toBe(0);
  });
});

describe('ALBRIDGE_MODE=observe', () => {
  it('plans creates, edits and deletions, and writes status alone', async () => {
    const world = startWorld();
    for (const name of ['edited', 'deleted', 'paused']) await world.applied(name, TWO_BY_PATH);
    await world.clock.advance(MINUTE_MS);
    world.crash();
    world.start(undefined, 'observe');
    world.apply('created', TWO_BY_PATH);
    world.edit('edited', { tags: { team: 'web' } });
    world.delete('deleted');
    world.annotate('paused', { 'albridge.io/paused': 'true' });
    world.targets.published.clear();
    const writes = await world.writesDuring(() => world.clock.advance(15 * MINUTE_MS));
    expect(new Set(writes)).toEqual(new Set(['applyStatus']));
    expect(['created', 'edited', 'deleted', 'paused'].map((name) => world.condition(name))).toEqual(
      [...['Unknown ObserveMode', 'Unknown ObserveMode', 'Unknown ObserveMode', 'Unknown Paused']],
    );
    expect(world.message('deleted')).toBe(
      'the deletion waits, status.plan has 4 steps; set ALBRIDGE_MODE to reconcile to execute it',
    );
    expect(world.object('edited').status?.plan?.steps).toHaveLength(6);
    expect(world.targets.published.size).toBe(0);
  });
});
