import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SCAN_MS, World } from '../world.ts';
import { listIds, SHOP } from './specs.ts';

const UID = 'albridge.io/uid';
const RESOURCE = 'albridge.io/resource';

async function settled(): Promise<World> {
  const world = await World.having('shop', SHOP);
  await world.clock.advance(MINUTE_MS);
  return world;
}

describe('a resource that has lost its tag for the UID gets it back, as a load balancer does:', () => {
  for (const kind of ['target-group', 'listener', 'rule']) {
    it(kind, async () => {
      const world = await settled();
      const find = () =>
        world.beside.find(({ tags }) => tags['albridge.io/resource']?.startsWith(`${kind}/`));
      const before = find();
      world.untagOutOfBand(before?.id ?? '', UID);
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      expect(find()).toEqual(before);
    });
  }

  it('security-group', async () => {
    const world = await settled();
    const find = () => world.beside.find(({ id }) => id.startsWith('sg-'));
    const before = find();
    world.outOfBand('DeleteTags', { Resources: [before?.id], Tags: [{ Key: UID }] });
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(find()).toEqual(before);
  });
});

describe('a resource that has lost its tag for itself', () => {
  const kinds = ['target-group', 'security-group'];

  /** The world, and the tags of all that it has beside the balancer, in their order. */
  async function lost(kind: string, spec = SHOP): Promise<World> {
    const world = await World.having('shop', spec);
    await world.clock.advance(MINUTE_MS);
    const { id = '' } = world.beside.find(({ tags }) => tags[RESOURCE]?.startsWith(kind)) ?? {};
    if (kind === 'security-group') {
      world.outOfBand('DeleteTags', { Resources: [id], Tags: [{ Key: RESOURCE }] });
    } else world.untagOutOfBand(id, RESOURCE);
    expect(listIds(world)).toContain('');
    return world;
  }

  it.each(kinds)('%s has it again, which is no take-over from an owner', async (kind) => {
    const world = await lost(kind);
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(listIds(world)).toEqual([
      ...['listener/80', 'rule/80/spec/api/0', 'security-group/frontend'],
      ...['target-group/spec/api', 'target-group/spec/web'],
    ]);
    expect(world.events.reasons).toContain('DriftRepaired');
    expect(world.events.reasons).not.toContain('AdoptedListener');
  });

  it.each(kinds)('%s goes with its object', async (kind) => {
    const world = await lost(kind);
    await world.deleted('shop', 5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.beside).toEqual([]);
  });

  it.each(kinds)('%s goes with its object also after a restart', async (kind) => {
    const world = await lost(kind);
    world.crash();
    world.delete('shop');
    world.start();
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.beside).toEqual([]);
  });

  it.each(kinds)('%s has no owner once Retain has released it', async (kind) => {
    const world = await lost(kind, { ...SHOP, deletionPolicy: 'Retain' });
    await world.deleted('shop', 5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(world.beside).toEqual([]);
  });
});

describe('a target group that has lost its tag for itself is served all the time', () => {
  /** Each list of backends that was published meanwhile. */
  async function listServed(world: World, minutes: number): Promise<readonly string[]> {
    const lists = new Set<string>();
    for (let second = 0; second < minutes * 60; second += 5) {
      await world.clock.advance(5_000);
      const served = world.targets.published.get('web/shop') ?? [];
      lists.add(served.map(({ backend }) => backend).join(' '));
    }
    return [...lists];
  }

  function untag(world: World): void {
    const group = world.beside.find(({ tags }) => tags[RESOURCE] === 'target-group/spec/web');
    world.untagOutOfBand(group?.id ?? '', RESOURCE);
    expect(listIds(world)).toContain('');
  }

  it('by the pass that gives it back, too', async () => {
    const world = await settled();
    untag(world);
    expect(await listServed(world, 40)).toEqual(['web api']);
    expect(listIds(world)).not.toContain('');
  });

  it('also after a restart, while the object is paused', async () => {
    const world = await settled();
    world.crash();
    world.targets.withdraw('web/shop');
    untag(world);
    world.annotate('shop', { 'albridge.io/paused': 'true' });
    world.start();
    await world.clock.advance(5 * MINUTE_MS);
    expect(await listServed(world, 1)).toEqual(['web api']);
  });
});

describe('what others have given the tags of the load balancer, and no tag for itself, stays as it is:', () => {
  const kinds = ['target-group', 'security-group'];
  const MINE = 'mine-0123abcd';

  interface Mine {
    readonly name: string;
    readonly tags: Readonly<Record<string, string>>;
  }

  /** All of the groups that others have made. */
  function showMine(world: World) {
    const { securityGroups, targetGroups } = world.aws.control.snapshot();
    const all = [...securityGroups, ...targetGroups] as readonly Mine[];
    return all.filter(({ name }) => name === MINE);
  }

  /** With a group of this kind, as tools make them that copy tags to all that stands around a balancer. */
  async function copied(kind: string, spec: Parameters<typeof World.having>[1] = SHOP) {
    const world = await World.having('shop', spec);
    await world.clock.advance(MINUTE_MS);
    const tags = Object.entries(world.balancer().tags);
    const Tags = tags.map(([Key, Value]) => ({ Key, Value }));
    const VpcId = world.object('shop').status.alb?.vpcId;
    if (kind === 'security-group') {
      const TagSpecifications = [{ ResourceType: kind, Tags }];
      const given = { GroupName: MINE, Description: 'mine', VpcId, TagSpecifications };
      const { GroupId } = world.outOfBand('CreateSecurityGroup', given) as { GroupId: string };
      const ports = { IpProtocol: 'tcp', FromPort: 9000, ToPort: 9000 };
      const IpPermissions = [{ ...ports, IpRanges: [{ CidrIp: '10.0.0.0/8' }] }];
      world.outOfBand('AuthorizeSecurityGroupIngress', { GroupId, IpPermissions });
    } else {
      const given = { Name: MINE, Protocol: 'HTTP', Port: 80, VpcId, TargetType: 'ip', Tags };
      world.outOfBand('CreateTargetGroup', given);
    }
    return world;
  }

  /** A rule of theirs sends requests to it. */
  function addRule(world: World): void {
    const { listeners, targetGroups } = world.aws.control.snapshot();
    const [{ arn: ListenerArn } = { arn: '' }] = listeners;
    const TargetGroupArn = targetGroups.find(({ name }) => name === MINE)?.arn;
    world.outOfBand('CreateRule', {
      ...{ ListenerArn, Priority: 40_000 },
      Conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/mine'] } }],
      Actions: [{ Type: 'forward', TargetGroupArn }],
    });
  }

  const OURS = [
    ...['', 'listener/80', 'rule/80/spec/api/0', 'security-group/frontend'],
    ...['target-group/spec/api', 'target-group/spec/web'],
  ];

  it.each(kinds)('a %s, by scans, edits and a restart', async (kind) => {
    const world = await copied(kind);
    const before = showMine(world);
    await world.clock.advance(2 * SCAN_MS);
    await world.edited('shop', { inbound: { cidrs: ['10.0.0.0/8'] } }, MINUTE_MS);
    world.crash();
    world.start();
    await world.clock.advance(2 * SCAN_MS);
    expect(before).toHaveLength(1);
    expect(showMine(world)).toEqual(before);
    expect(listIds(world)).toEqual(OURS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it.each(kinds)('a %s, by the deletion, which does not wait for it', async (kind) => {
    const world = await copied(kind);
    const before = showMine(world);
    await world.deleted('shop', 5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(showMine(world)).toEqual(before);
    expect(listIds(world)).toEqual(['']);
  });

  it.each(kinds)('a %s, by Retain', async (kind) => {
    const world = await copied(kind, { ...SHOP, deletionPolicy: 'Retain' });
    const before = showMine(world);
    await world.deleted('shop', 5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(showMine(world)).toEqual(before);
    expect(listIds(world)).toEqual(['']);
  });

  it('a target group that a rule of theirs names, also once the rule is gone', async () => {
    const world = await copied('target-group');
    addRule(world);
    const find = () => world.aws.control.snapshot().listeners.flatMap(({ rules }) => rules);
    await world.clock.advance(2 * SCAN_MS);
    const rule = find().find(({ priority }) => priority === 40_000);
    world.outOfBand('DeleteRule', { RuleArn: rule?.arn });
    await world.clock.advance(4 * SCAN_MS);
    expect(showMine(world)).toHaveLength(1);
    expect(world.object('shop').status.owned?.targetGroups).not.toContain(MINE);
  });

  it.each(['Delete', 'Retain'] as const)('a target group in use, by %s', async (deletionPolicy) => {
    const world = await copied('target-group', { ...SHOP, deletionPolicy });
    addRule(world);
    await world.clock.advance(2 * SCAN_MS);
    const [before] = showMine(world);
    await world.deleted('shop', 5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(showMine(world)).toMatchObject([{ tags: before?.tags }]);
  });

  it('a target group in use, by the deletion right after a restart', async () => {
    const world = await copied('target-group');
    addRule(world);
    world.crash();
    world.delete('shop');
    world.start();
    await world.clock.advance(5 * MINUTE_MS);
    expect(world.exists('shop')).toBe(false);
    expect(showMine(world)).toHaveLength(1);
  });
});

describe('a name that a resource of another owner has', () => {
  it('is that of a security group which Retain has left: the message names it and what to do', async () => {
    const world = await World.having('shop', { ...SHOP, deletionPolicy: 'Retain' });
    await world.clock.advance(MINUTE_MS);
    const id = world.beside.find((one) => one.id.startsWith('sg-'))?.id ?? '';
    await world.deleted('shop', MINUTE_MS);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    world.apply('shop', SHOP);
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toContain(`is held by security group ${id}`);
    expect(world.message('shop')).toContain(`; delete ${id} if it is no longer needed`);
    await world.edited('shop', { securityGroups: [id] }, MINUTE_MS);
    expect(world.message('shop')).not.toContain(id);
  });

  it('is that of a security group which balancers with groups of their own have not needed yet', async () => {
    const world = await World.having('shop', { ...SHOP, deletionPolicy: 'Retain' });
    await world.clock.advance(MINUTE_MS);
    const id = world.beside.find((one) => one.id.startsWith('sg-'))?.id ?? '';
    await world.deleted('shop', MINUTE_MS);
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    for (const { arn } of world.aws.control.snapshot().targetGroups) {
      world.outOfBand('DeleteTargetGroup', { TargetGroupArn: arn });
    }
    await world.applied('shop', { ...SHOP, securityGroups: ['sg-web'] });
    world.unset('shop', 'securityGroups');
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toContain(`is held by security group ${id}`);
    world.outOfBand('DeleteSecurityGroup', { GroupId: id });
    await world.clock.advance(SCAN_MS + MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('is that of a target group: the conflict comes before the listeners and rules that lack it', async () => {
    const world = await settled();
    const group = world.beside.find(
      ({ tags }) => tags['albridge.io/resource'] === 'target-group/spec/api',
    );
    world.untagOutOfBand(group?.id ?? '', 'albridge.io/name');
    await world.clock.advance(2 * SCAN_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
    expect(world.message('shop')).toMatch(/^backend api: a target group shop-api-/);
    expect(world.message('shop')).toMatch(
      /; delete target group shop-api-[0-9a-f]{8} if it is no longer needed/,
    );
  });
});

describe('the tags of a target group that this process has made', () => {
  /** Without the tag that proves it ours, as a read shows it that is older than the tags. */
  async function untagged(afterMs: number): Promise<World> {
    const world = await World.having('shop', SHOP);
    await world.clock.advance(afterMs);
    const group = world.beside.find(
      ({ tags }) => tags['albridge.io/resource'] === 'target-group/spec/api',
    );
    world.untagOutOfBand(group?.id ?? '', 'albridge.io/name');
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(500);
    return world;
  }

  it('are read again while a read may be older than they are: that takes no person', async () => {
    const world = await untagged(2_000);
    expect(world.condition('shop', 'Reconciling')).toBe('True OwnershipUnconfirmed');
    expect(world.condition('shop', 'Stalled')).toBeUndefined();
    await world.clock.advance(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
  });

  it('count at once when no read can be older any more', async () => {
    const world = await untagged(MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True NameConflict');
  });
});
