import { expect } from 'vitest';
import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import type { Story } from '../../unit/controllers/my-ingress/crash-play.ts';
import { api, listIds, SHOP, web } from '../../unit/controllers/my-ingress/traffic/specs.ts';
import { MINUTE_MS, type World } from '../../unit/controllers/my-ingress/world.ts';
import { certificateArn } from '../../unit/localstack/traffic/traffic-model.ts';

const [FIRST, SECOND, THIRD] = [1, 2, 3].map(certificateArn) as [string, string, string];
const SERVER = 'routing.http.response.server.enabled';
const FRAME = 'routing.http.response.x_frame_options.header_value';
const DELAY = 'deregistration_delay.timeout_seconds';
const IDLE = 'idle_timeout.timeout_seconds';
const INBOUND: Partial<MyIngressSpec> = { inbound: { cidrs: ['10.0.0.0/8'] } };

function secure(
  further: string,
  attributes: Readonly<Record<string, string>>,
): Partial<MyIngressSpec> {
  const listener = { port: 443, protocol: 'HTTPS', certificates: [FIRST, further] } as const;
  return { listeners: [{ ...listener, attributes }] };
}

function rule(name: string, backend: string): NonNullable<MyIngressSpec['rules']>[number] {
  return { name, paths: [`/${name}`], forward: [{ backend }] };
}

/** An object with a balancer that others have made, with two groups. */
function adopt(world: World, spec: Partial<MyIngressSpec>): Promise<unknown> {
  const consent = { 'albridge.io/cluster': 'cluster-1', 'albridge.io/adopt': 'web/shop' };
  world.outOfBand('CreateLoadBalancer', {
    ...{ Name: 'legacy', Subnets: ['subnet-a', 'subnet-b'] },
    SecurityGroups: ['sg-web', 'sg-admin'],
    Tags: Object.entries(consent).map(([Key, Value]) => ({ Key, Value })),
  });
  const { arn } = world.balancer('legacy');
  return world.applied('shop', { ...SHOP, ...spec, adopt: { arn } });
}

function listenerOf(world: World) {
  const [listener, ...others] = world.aws.control.snapshot().listeners;
  if (listener === undefined || others.length > 0) throw new Error('not one listener');
  return listener;
}

function listRuleIds(world: World): readonly (string | undefined)[] {
  return listenerOf(world).rules.map(({ tags }) => tags['albridge.io/resource']);
}

function findManaged(world: World) {
  const groups = [...world.aws.world.network.securityGroups.values()];
  return groups.find(({ name }) => name.startsWith('albridge-'));
}

/** The group of the backend `api`: another one is gone. */
function groupOf(world: World) {
  const { targetGroups } = world.aws.world.traffic;
  const [group, ...others] = targetGroups
    .all()
    .filter(({ tags }) => tags.get('albridge.io/resource') === 'target-group/spec/api');
  if (group === undefined || others.length > 0) throw new Error('not one target group');
  return group;
}

function listTagged(world: World, key: string): readonly (string | undefined)[] {
  const everything = [world.balancer(), ...world.beside];
  return everything.map(({ tags }) => tags[key]).filter((value) => value !== undefined);
}

/** Settings of what is there: each story sends few operations, and together all that `TRAFFIC_STORIES` do not send. */
export const SETTING_STORIES: Readonly<Record<string, Story>> = {
  'edit certificates and attributes of a listener': {
    before: (world) => {
      world.aws.control.setCertificates([FIRST, SECOND, THIRD]);
      return world.applied('shop', { ...SHOP, ...secure(SECOND, { [FRAME]: 'DENY' }) });
    },
    act: (world) => world.edit('shop', secure(THIRD, { [SERVER]: 'false' })),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(listenerOf(world).certificates).toEqual([FIRST, THIRD]);
      expect(listenerOf(world).attributes).toMatchObject({ [FRAME]: '', [SERVER]: 'false' });
      expect(world.object('shop').status.owned?.listenerSettings).toEqual([`443 ${SERVER}`]);
    },
  },
  'edit a health check, and take a tag off': {
    before: (world) => world.applied('shop', { ...SHOP, tags: { team: 'web', env: 'prod' } }),
    act: (world) => {
      const healthCheck = { path: '/healthz', intervalSeconds: 20 };
      world.edit('shop', { backends: [web, { ...api, healthCheck }], tags: { team: 'ops' } });
    },
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(groupOf(world).healthCheck).toMatchObject({ path: '/healthz', intervalSeconds: 20 });
      expect(listTagged(world, 'env')).toEqual([]);
      expect(listTagged(world, 'team')).toEqual(Array.from({ length: 6 }, () => 'ops'));
      expect(world.object('shop').status.applied?.tags).toEqual(['team']);
    },
  },
  'swap two rules, and take one away': {
    before: (world) =>
      world.applied('shop', { ...SHOP, rules: ['a', 'b', 'c'].map((name) => rule(name, 'api')) }),
    act: (world) => world.edit('shop', { rules: [rule('c', 'api'), rule('a', 'web')] }),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      const [first, second, ...others] = listRuleIds(world);
      expect([first, second]).toEqual(['rule/80/spec/c/0', 'rule/80/spec/a/0']);
      expect(others).toEqual([undefined]);
    },
  },
  'take a backend away': {
    before: (world) => {
      const backends = [web, { ...api, attributes: { [DELAY]: '5' } }];
      return world.applied('shop', { ...SHOP, backends });
    },
    act: (world) => world.edit('shop', { backends: [web], rules: [] }),
    lastsMs: MINUTE_MS,
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(listIds(world)).toEqual([
        ...['listener/80', 'security-group/frontend', 'target-group/spec/web'],
      ]);
      expect(world.object('shop').status.owned?.removals).toBeUndefined();
    },
  },
  'edit the balancer': {
    before: (world) => world.applied('shop', { ...SHOP, subnets: ['subnet-a', 'subnet-c'] }),
    act: (world) => {
      const attributes = { [IDLE]: '120' };
      const subnets = ['subnet-a', 'subnet-b'] as const;
      world.edit('shop', { attributes, subnets, ipAddressType: 'dualstack' });
    },
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer()).toMatchObject({
        ...{ subnets: ['subnet-a', 'subnet-b'], ipAddressType: 'dualstack' },
        attributes: { [IDLE]: '120' },
      });
      expect(world.object('shop').status.applied?.attributes).toEqual({ [IDLE]: '60' });
      const sources = findManaged(world)?.ingress.map(({ source }) => source.value);
      expect(sources?.toSorted()).toEqual(['0.0.0.0/0', '::/0']);
    },
  },
  'give spec.inbound to an adopted balancer': {
    before: (world) => adopt(world, {}),
    act: (world) => world.edit('shop', INBOUND),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      const managed = findManaged(world);
      expect(world.balancer('legacy').securityGroups).toEqual([managed?.id]);
      expect(managed?.tags.get('albridge.io/previous-groups')).toBe('sg-web sg-admin');
      expect(managed?.ingress.map(({ source }) => source.value)).toEqual(['10.0.0.0/8']);
    },
  },
  'take spec.inbound from an adopted balancer': {
    before: (world) => adopt(world, INBOUND),
    act: (world) => world.unset('shop', 'inbound'),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer('legacy').securityGroups).toEqual(['sg-web', 'sg-admin']);
      expect(findManaged(world)).toBeUndefined();
      expect(world.object('shop').status.owned?.securityGroup).toBeUndefined();
    },
  },
};
