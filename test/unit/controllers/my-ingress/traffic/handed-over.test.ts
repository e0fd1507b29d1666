import { describe, expect, it } from 'vitest';
import type { Tags } from '../../../../../src/aws/elbv2/traffic.ts';
import { MOST_LISTENERS } from '../../../../../src/controllers/my-ingress/traffic/status.ts';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const CONSENT = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
const TEAPOT = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '418' } };
const NOW = { 'albridge.io/reconcile-requested-at': 'now' };

/** A listener of others on the balancer of an object that has none yet. */
async function prepare(tags: Tags, port = 80): Promise<World> {
  const world = await World.having('shop');
  const { arn } = world.balancer();
  const LoadBalancerArn = arn;
  const input = { LoadBalancerArn, Port: port, Protocol: 'HTTP', DefaultActions: [TEAPOT] };
  const Tags = Object.entries({ owner: 'ops', ...tags }).map(([Key, Value]) => ({ Key, Value }));
  world.outOfBand('CreateListener', { ...input, Tags });
  return world;
}

function findListener(world: World, port = 80) {
  const found = world.aws.control.snapshot().listeners.find((one) => one.port === port);
  if (found === undefined) throw new Error(`no listener on ${port}`);
  return found;
}

/** What the operator has written to this listener. */
function listWrites(world: World, arn: string): readonly string[] {
  return world.aws.control
    .calls()
    .filter(({ userAgent, input }) => {
      return userAgent === undefined && JSON.stringify(input).includes(`"${arn}"`);
    })
    .map(({ operation }) => operation)
    .filter((operation) => !operation.startsWith('Describe'));
}

describe('a listener that its owner hands over by tags', () => {
  it('is taken over: tagged first, then as the spec says, with what is not ours left on it', async () => {
    const world = await prepare(CONSENT);
    const { arn } = findListener(world);
    world.outOfBand('CreateRule', {
      ...{ ListenerArn: arn, Priority: 7, Actions: [TEAPOT] },
      Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
    });
    await world.edited('shop', { ...SHOP, tags: { team: 'web' } }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.object('shop').status.listeners).toEqual([{ port: 80, arn }]);
    expect(findListener(world).tags).toEqual({
      ...{ owner: 'ops', team: 'web', ...CONSENT, 'albridge.io/resource': 'listener/80' },
      ...{ 'albridge.io/namespace': 'web', 'albridge.io/name': 'shop' },
      ...{ 'albridge.io/uid': 'uid-1', 'albridge.io/managed-by': 'albridge' },
    });
    expect(listWrites(world, arn)).toEqual(['AddTags', 'CreateRule', 'ModifyListener']);
    const priorities = findListener(world).rules.map(({ priority }) => priority);
    expect(new Set(priorities)).toEqual(new Set([7, 100, 'default']));
    const note = 'Took over listener 80 with the consent of its owner';
    expect(world.events.recorded).toContainEqual(
      expect.objectContaining({ reason: 'AdoptedListener', note }),
    );
    world.annotate('shop', NOW);
    const later = await world.writesDuring(() => world.clock.advance(10 * MINUTE_MS));
    expect(later.filter((verb) => verb !== 'applyStatus')).toEqual([]);
  });

  it('is taken over as soon as its tags say so, and then released by taking one off', async () => {
    const world = await prepare({});
    await world.edited('shop', SHOP, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True PortConflict');
    const { arn } = findListener(world);
    world.tagOutOfBand(arn, CONSENT);
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    world.untagOutOfBand(arn, 'albridge.io/name');
    world.annotate('shop', NOW);
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True PortConflict');
  });

  it('has its tags before anything else is done to it, also where AWS refuses them', async () => {
    const world = await prepare(CONSENT);
    const { arn } = findListener(world);
    world.fault('AddTags', { kind: 'error', code: 'TooManyTags', status: 400, message: 'no' });
    await world.edited('shop', SHOP, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True TooManyTags');
    expect(new Set(listWrites(world, arn))).toEqual(new Set(['AddTags']));
  });

  it('is taken over and served by one pass', async () => {
    const world = await prepare(CONSENT);
    await world.edited('shop', SHOP, 500);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is one event, also while reads of its tags lag', async () => {
    const world = await prepare(CONSENT);
    await world.clock.advance(MINUTE_MS);
    world.fault('DescribeTags', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await world.edited('shop', SHOP, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    const events = world.events.recorded.filter(({ reason }) => reason === 'AdoptedListener');
    expect(events).toHaveLength(1);
  });

  it('is taken over by one pass, also where it was made by this process', async () => {
    const world = await World.having('shop', SHOP);
    await world.clock.advance(60 * MINUTE_MS);
    const { arn } = findListener(world);
    world.untagOutOfBand(arn, ...Object.keys(findListener(world).tags));
    world.tagOutOfBand(arn, CONSENT);
    world.annotate('shop', NOW);
    await world.clock.advance(500);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.recorded.map(({ reason }) => reason)).toContain('AdoptedListener');
  });

  it('is left alone and not shown while its port is not in the spec', async () => {
    const world = await prepare(CONSENT, 8080);
    const before = findListener(world, 8080);
    await world.edited('shop', SHOP, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.object('shop').status.listeners).toMatchObject([{ port: 80 }]);
    expect(findListener(world, 8080)).toEqual(before);
  });

  it('is deleted once it leaves the spec, as any other', async () => {
    const world = await prepare(CONSENT);
    await world.edited('shop', SHOP, MINUTE_MS);
    await world.edited('shop', { listeners: [{ port: 8080, protocol: 'HTTP' }] }, MINUTE_MS);
    const ports = world.aws.control.snapshot().listeners.map(({ port }) => port);
    expect(ports).toEqual([8080]);
  });

  it('is shown in a plan, and nothing is written', async () => {
    const world = await prepare(CONSENT);
    const { arn } = findListener(world);
    world.annotate('shop', { 'albridge.io/mode': 'plan' });
    await world.edited('shop', SHOP, MINUTE_MS);
    const line = 'add tags to listener/80  (taken over with the consent of its owner)';
    expect(world.object('shop').status.plan?.steps).toContain(line);
    expect(listWrites(world, arn)).toEqual([]);
  });
});

const refusals: Readonly<Record<string, Tags>> = {
  'without a tag': {},
  'with consent for another object': { ...CONSENT, 'albridge.io/adopt': 'web/other' },
  'with consent for another cluster': { ...CONSENT, 'albridge.io/cluster': 'cluster-2' },
  'with consent without a cluster': { 'albridge.io/adopt': 'web/shop' },
  'that another object holds': { ...CONSENT, 'albridge.io/name': 'other' },
  'that was released': { ...CONSENT, 'albridge.io/uid': 'uid-0' },
};

describe('a listener of others', () => {
  it.each(Object.entries(refusals))('%s is a conflict that names the tags', async (_, tags) => {
    const world = await prepare(tags);
    const before = findListener(world);
    await world.edited('shop', SHOP, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True PortConflict');
    expect(world.message('shop')).toBe(
      `listener 80: port 80 is held by ${before.arn}; remove that listener, choose another port in ` +
        'spec.listeners, or have its owner hand it over by the tags albridge.io/cluster=<id of this ' +
        'cluster> and albridge.io/adopt=web/shop, and no others of albridge',
    );
    expect(findListener(world)).toEqual(before);
    expect(listWrites(world, before.arn)).toEqual([]);
  });
});

const CLAIM = {
  ...{ 'albridge.io/cluster': 'cluster-1', 'albridge.io/namespace': 'web' },
  'albridge.io/name': 'shop',
};

describe('a listener of others that someone has tagged as ours', () => {
  it.each([
    'listener/x',
    'listener/8080.5',
    'listener/08080',
    'listener/70000',
    'rule/80/spec/a/0',
  ])('by %s is not in status, which takes ports alone', async (id) => {
    const world = await prepare({ ...CLAIM, 'albridge.io/resource': id }, 8080);
    // Only a listener without rules of others is deleted.
    world.outOfBand('CreateRule', {
      ...{ ListenerArn: findListener(world, 8080).arn, Priority: 7, Actions: [TEAPOT] },
      Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
    });
    await world.edited('shop', SHOP, MINUTE_MS);
    expect(world.condition('shop')).toBe('False ResourceInUse');
    const ports = world.object('shop').status.listeners?.map(({ port }) => port);
    expect(ports).toEqual([80]);
  });
});

/** Tags that are taken off, and the reason of Ready ten minutes later. */
const releases: Readonly<
  Record<string, { readonly keys: readonly string[]; readonly state: string }>
> = {
  'is released by its tag for the resource': { keys: ['resource'], state: 'PortConflict' },
  'is released by its tag for the cluster': { keys: ['cluster'], state: 'PortConflict' },
  'is released by its tag for the namespace': { keys: ['namespace'], state: 'PortConflict' },
  'is taken over again by all but the consent': {
    keys: ['uid', 'resource', 'namespace', 'name', 'managed-by'],
    state: 'Available',
  },
  'stays ours without its tag for the UID, which is written again': {
    keys: ['uid'],
    state: 'Available',
  },
  'stays ours without the consent, which has been used': { keys: ['adopt'], state: 'Available' },
};

describe('a listener that was taken over', () => {
  it.each(Object.entries(releases))('%s', async (_, { keys, state }) => {
    const world = await prepare(CONSENT);
    await world.edited('shop', SHOP, MINUTE_MS);
    const { arn } = findListener(world);
    const before = listWrites(world, arn).length;
    for (const key of keys) world.untagOutOfBand(arn, `albridge.io/${key}`);
    const { tags } = findListener(world);
    world.annotate('shop', NOW);
    await world.clock.advance(10 * MINUTE_MS);
    expect(
      world.object('shop').status.conditions?.find(({ type }) => type === 'Ready')?.reason,
    ).toBe(state);
    if (state === 'Available') {
      expect(findListener(world).tags).toMatchObject({ 'albridge.io/uid': 'uid-1' });
      return;
    }
    expect(findListener(world).tags).toEqual(tags);
    expect(listWrites(world, arn)).toHaveLength(before);
  });
});

describe('what someone has given the four tags of an object', () => {
  const CLAIMED = { ...CLAIM, 'albridge.io/resource': 'forged' };

  it('is deleted as its own: a rule', async () => {
    const world = await prepare(CONSENT);
    await world.edited('shop', SHOP, MINUTE_MS);
    const { arn } = findListener(world);
    world.outOfBand('CreateRule', {
      ...{ ListenerArn: arn, Priority: 7, Actions: [TEAPOT] },
      Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
      Tags: Object.entries(CLAIMED).map(([Key, Value]) => ({ Key, Value })),
    });
    world.annotate('shop', NOW);
    await world.clock.advance(10 * MINUTE_MS);
    const priorities = findListener(world).rules.map(({ priority }) => priority);
    expect(priorities).not.toContain(7);
  });

  it('is deleted as its own: a listener', async () => {
    const world = await prepare(CLAIMED, 8080);
    await world.edited('shop', SHOP, 10 * MINUTE_MS);
    expect(world.aws.control.snapshot().listeners.map(({ port }) => port)).toEqual([80]);
  });
});

it('status.listeners has as many as the CRD admits, those of the spec first', async () => {
  const world = await World.having('shop');
  const { arn } = world.balancer();
  for (let port = 1; port <= MOST_LISTENERS; port++) {
    const input = { LoadBalancerArn: arn, Port: 9000 + port, Protocol: 'HTTP' };
    const tags = { ...CLAIM, 'albridge.io/resource': `listener/${9000 + port}` };
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    world.outOfBand('CreateListener', { ...input, DefaultActions: [TEAPOT], Tags });
  }
  const refused = { kind: 'error', code: 'ResourceInUse', status: 400, message: 'no' } as const;
  world.fault('DeleteListener', refused, { forMs: 10 * MINUTE_MS });
  await world.edited('shop', SHOP, MINUTE_MS);
  const ports = world.object('shop').status.listeners?.map(({ port }) => port) ?? [];
  expect(ports).toHaveLength(MOST_LISTENERS);
  expect(ports[0]).toBe(80);
});
