import { expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import type { AttachingObject } from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type { Joined } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { driftScanMetrics } from '../../../../../src/controllers/my-ingress/drift-scan.ts';
import { draftApp } from '../attaching/app.ts';
import { SHOP } from '../traffic/specs.ts';
import { MINUTE_MS, World } from '../world.ts';

/** Their target groups have equal names, as the object `shop` names them in `vpc-main`; the second one sorts first. */
const [VICTIM, ATTACKER] = [draftApp('z163571'), draftApp('z141522')] as const;
const OWN = ['api', 'web'];

interface Scene {
  readonly world: World;
  /** From here on these attach. */
  attach(...apps: readonly AttachingObject[]): Promise<void>;
}

async function start(...first: readonly AttachingObject[]): Promise<Scene> {
  let apps = first;
  const join = (object: MyIngress): Joined => {
    const attached = decideAttachments(object.spec, apps, { held: new Map() });
    return { ...object, spec: { ...object.spec, attached } };
  };
  const world = World.started({ join });
  await world.applied('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  return {
    world,
    attach: async (...next) => {
      apps = next;
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': next.map(nameApp).join() });
      await world.clock.advance(MINUTE_MS);
    },
  };
}

function nameApp({ name }: AttachingObject): string {
  return name;
}

/** Services that fill target groups. */
function listFilled(world: World): readonly string[] {
  const groups = world.targets.published.get('web/shop') ?? [];
  return groups.map(({ service: { name } }) => name).toSorted();
}

/** Names of the objects that have a rule. */
function listRouted({ beside }: World): readonly string[] {
  const ids = beside.map(({ tags }) => tags['albridge.io/resource'] ?? '');
  return ids.filter((id) => id.startsWith('rule/80/WebApp/')).map((id) => id.split('/')[4] ?? '');
}

function describeAttached(world: World): readonly string[] {
  const { attached = [] } = world.object('shop').status;
  return attached.map(({ name, reason }) => `${name} ${reason}`).toSorted();
}

function expectServed(world: World, { name }: AttachingObject): void {
  expect(listFilled(world)).toEqual([...OWN, name].toSorted());
  expect(listRouted(world)).toEqual([name]);
  expect(world.condition('shop')).toBe('True Available');
}

/** The tags of the target group that both would have. */
function findShared(world: World): (typeof world.beside)[number] {
  const found = world.beside.filter(({ tags }) =>
    tags['albridge.io/resource']?.startsWith('target-group/WebApp/'),
  );
  expect(found).toHaveLength(1);
  return found[0] as (typeof found)[number];
}

it('an object whose target group would have the name of another one takes nothing from that one', async () => {
  const { world, attach } = await start(VICTIM);
  await attach(VICTIM, ATTACKER);
  expectServed(world, VICTIM);
  expect(describeAttached(world)).toEqual([
    `${ATTACKER.name} NameConflict`,
    `${VICTIM.name} Attached`,
  ]);
  expect(world.condition('shop', 'AttachmentsAccepted')).toBe('False NameConflict');
});

it('nor after a restart, nor by drift of the tag that says whose it is', async () => {
  const { world, attach } = await start(VICTIM);
  await attach(VICTIM, ATTACKER);
  await world.restart();
  world.targets.published.clear();
  await world.clock.advance(MINUTE_MS);
  expectServed(world, VICTIM);
  const { id } = findShared(world);
  for (const drift of ['', 'target-group/spec/none']) {
    if (drift === '') world.untagOutOfBand(id, 'albridge.io/resource');
    else world.tagOutOfBand(id, { 'albridge.io/resource': drift });
    await world.restart();
    await world.clock.advance(30 * MINUTE_MS);
    expectServed(world, VICTIM);
    expect(findShared(world).tags['albridge.io/resource']).toContain(VICTIM.name);
  }
});

it('a drift scan finds nothing in it to repair', async () => {
  const { world, attach } = await start(VICTIM);
  await attach(VICTIM, ATTACKER);
  const found = world.metrics.valueOf(driftScanMetrics.found);
  await world.clock.advance(20 * MINUTE_MS);
  expect(world.metrics.valueOf(driftScanMetrics.found)).toEqual(found);
});

it('it gets a target group of its own once that of the other one is deleted, and not before', async () => {
  const { world, attach } = await start(VICTIM);
  const { id } = findShared(world);
  await attach(VICTIM, ATTACKER);
  await attach(ATTACKER);
  expect(listFilled(world)).not.toContain(ATTACKER.name);
  await world.clock.advance(20 * MINUTE_MS);
  expectServed(world, ATTACKER);
  expect(findShared(world).id).not.toBe(id);
  expect(describeAttached(world)).toEqual([`${ATTACKER.name} Attached`]);
});

it('of two that attach at once one is served', async () => {
  const { world } = await start(VICTIM, ATTACKER);
  expectServed(world, ATTACKER);
  await world.clock.advance(20 * MINUTE_MS);
  expectServed(world, ATTACKER);
});

it('a backend of the spec takes no target group either, and the others are reported as they are', async () => {
  const name = 'abcdefghijklmnopqr';
  const { backends: _, rules, ...app } = draftApp('z143034');
  const held = { ...app, backends: [{ name, service: { name, port: 80 } }] };
  const { world } = await start({
    ...held,
    rules: rules.map((rule) => ({ ...rule, forward: [{ backend: name }] })),
  });
  const before = world.object('shop').status.backends ?? [];
  expect(before).toHaveLength(2);
  const late = { name: `${name}44705`, service: { name: 'late', port: 80 } };
  await world.edited('shop', { backends: [late, ...(SHOP.backends ?? [])] }, MINUTE_MS);
  expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
  expect(listFilled(world)).toEqual([name, ...OWN].toSorted());
  const arns = (world.object('shop').status.backends ?? []).map((one) => one.targetGroupARN);
  expect(arns).toEqual([undefined, ...before.map((one) => one.targetGroupARN)]);
});
