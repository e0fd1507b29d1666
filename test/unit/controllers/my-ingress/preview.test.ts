import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import type { AwsOperation } from '../../../../src/aws/elbv2/load-balancers.ts';
import { printStep } from '../../../../src/controllers/my-ingress/graph/planned-step.ts';
import { draftOf } from './drafts.ts';
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

function planOf(world: World, name = 'shop'): readonly string[] {
  return world.object(name).status?.plan?.steps ?? ['no plan'];
}

/** Takes the annotation off, and compares what is then written with what was shown. */
async function expectCarriedOut(world: World, name = 'shop'): Promise<void> {
  const shown = planOf(world, name).map(readPhrase);
  const before = world.writesToAws.length;
  world.annotate(name, {});
  await world.clock.advance(15 * MINUTE_MS);
  expect(world.writesToAws.slice(before).map(phraseOf)).toEqual(shown);
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
      /^status\.plan has \d+ steps?; remove the annotation albridge\.io\/mode to carry it out$/,
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
