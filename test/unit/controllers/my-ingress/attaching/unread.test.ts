import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import { Attachments } from '../../../../../src/controllers/my-ingress/attaching/attachments.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type { Joined } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { NamespaceLabels } from '../../../../../src/controllers/my-ingress/attaching/namespace-labels.ts';
import { api, SHOP, web } from '../traffic/specs.ts';
import { MINUTE_MS, World } from '../world.ts';
import { draftApp } from './app.ts';

const KEY = 'web/shop';
const APP = draftApp('guest', { namespace: 'team' });

/** @param synced default: of a process that cannot list what attaches */
function openUnread(synced: Promise<void> = new Promise(() => {})): Attachments {
  return new Attachments({
    cache: { get: () => undefined, list: () => [], subscribe: () => () => {} },
    sources: [
      {
        synced,
        follow: () => () => {},
        recall: ({ name }) => draftApp(name).backends,
      },
    ],
    ...{ namespaces: [], labels: new NamespaceLabels(undefined) },
  });
}

function joinApp(object: MyIngress): MyIngress {
  const attached = decideAttachments(object.spec, [APP], { held: new Map() });
  const joined: Joined = { ...object, spec: { ...object.spec, attached } };
  return joined;
}

interface Cut {
  readonly world: World;
  /** From here on it is known what attaches. */
  list(): void;
}

/** An operator that has attached an object, and a later one that cannot list what attaches. */
async function cutOff(tags: Readonly<Record<string, string>> = {}): Promise<Cut> {
  let join = joinApp;
  const world = World.started({ join: (object) => join(object) });
  await world.applied('shop', { ...SHOP, tags: { ...tags } });
  await world.clock.advance(MINUTE_MS);
  const unread = openUnread();
  join = (object) => unread.join(object);
  world.targets.published.clear();
  return {
    world,
    list: () => {
      join = joinApp;
    },
  };
}

function listFollowed(world: World): readonly string[] {
  const groups = world.targets.published.get(KEY) ?? [];
  return groups.map(({ backend, service: { namespace = 'web', name, port } }) => {
    return `${backend}: ${namespace}/${name} ${port}`;
  });
}

/** Target groups, and listeners with their rules. */
function listResources(world: World): unknown {
  const { targetGroups, listeners } = world.aws.control.snapshot();
  return { targetGroups, listeners };
}

function listTagged(world: World, key: string): readonly string[] {
  const tagged = world.beside.filter(({ tags }) => tags[key] !== undefined);
  return tagged.map(({ tags }) => tags['albridge.io/resource'] ?? '').toSorted();
}

const GUEST = 'WebApp/team/guest/app: team/guest 80';

describe('while what attaches cannot be listed', () => {
  it('the pods of an attached object are still followed', async () => {
    const { world } = await cutOff();
    const before = listResources(world);
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toContain(GUEST);
    expect(world.object('shop').status.targets).toBe('4/4');
    expect(listResources(world)).toEqual(before);
  });

  it.each([
    ['paused', { 'albridge.io/paused': 'true' }],
    ['edited', {}],
  ])('so it is of a MyIngress that is %s', async (_how, annotations) => {
    const { world } = await cutOff();
    world.annotate('shop', annotations);
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    world.edit('shop', { backends: [web, { ...api, healthCheck: { path: '/up' } }] });
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toContain(GUEST);
  });

  it('not by the word of status alone', async () => {
    const { world } = await cutOff();
    const [entry] = world.object('shop').status.attached ?? [];
    world.kube.server.applyStatus(world.object('shop'), {
      attached: [{ ...entry, namespace: 'victim' }],
    });
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    expect(listFollowed(world)).toContain(GUEST);
    expect(listFollowed(world)).toHaveLength(3);
  });

  it('afterwards all of it is as it was', async () => {
    const { world, list } = await cutOff();
    await world.restart();
    await world.clock.advance(MINUTE_MS);
    const before = listResources(world);
    list();
    await world.edited('shop', { tags: {} }, MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.object('shop').status.attached).toMatchObject([{ reason: 'Attached' }]);
    expect(listFollowed(world)).toContain(GUEST);
    expect(listResources(world)).toEqual(before);
  });

  it('a tag that leaves the spec is taken off attached resources afterwards', async () => {
    const { world, list } = await cutOff({ team: 'web' });
    await world.restart();
    await world.clock.advance(10 * MINUTE_MS);
    const idle = (): Promise<unknown> =>
      world.callsDuring(() => world.clock.advance(10 * MINUTE_MS));
    const before = await idle();
    await world.edited('shop', { tags: {} }, 10 * MINUTE_MS);
    expect(listTagged(world, 'team')).toEqual([
      ...['rule/80/WebApp/team/guest/app/0', 'target-group/WebApp/team/guest/app'],
    ]);
    expect(await idle()).toEqual(before);
    list();
    await world.restart();
    const calls = await world.callsDuring(() => world.clock.advance(MINUTE_MS));
    expect(calls['RemoveTags']).toBeGreaterThan(0);
    expect(listTagged(world, 'team')).toEqual([]);
    expect(world.object('shop').status.applied?.tags).toBeUndefined();
  });
});

it('the pods of an attached object are followed after a restart while AWS does not delete the balancer', async () => {
  let join = joinApp;
  const world = World.started({ join: (object) => join(object) });
  await world.applied('shop', { ...SHOP, attributes: { 'deletion_protection.enabled': 'true' } });
  await world.clock.advance(MINUTE_MS);
  const read = openUnread(Promise.resolve());
  read.start();
  await read.decided;
  join = (object) => read.join(object);
  await world.deleted('shop', MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True DeletionBlocked');
  world.targets.published.clear();
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(listFollowed(world)).toContain(GUEST);
  expect(listFollowed(world)).toHaveLength(3);
});

it.each([
  ['AWS refuses to delete its rule', {}],
  ['the MyIngress is paused', { 'albridge.io/paused': 'true' }],
  ['the MyIngress is in plan mode', { 'albridge.io/mode': 'plan' }],
])(
  'the pods of a detached object are followed after a restart while %s',
  async (_why, annotations) => {
    let join = joinApp;
    const world = World.started({ join: (object) => join(object) });
    await world.applied('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    const denied = { kind: 'error', code: 'AccessDenied', message: 'no', status: 403 } as const;
    world.fault('DeleteRule', denied, { times: 10_000 });
    world.annotate('shop', annotations);
    await world.clock.advance(MINUTE_MS);
    join = (object) => object;
    world.edit('shop', { tags: { any: 'edit' } });
    await world.clock.advance(10 * MINUTE_MS);
    world.targets.published.clear();
    await world.restart();
    await world.clock.advance(10 * MINUTE_MS);
    expect(listTagged(world, 'albridge.io/resource')).toContain('rule/80/WebApp/team/guest/app/0');
    expect(listFollowed(world)).toContain(GUEST);
  },
);
