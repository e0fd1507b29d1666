import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import { itIsFinished } from './crash-finishing.ts';
import { cutsOf, play, type Story, staleFor } from './crash-play.ts';
import { Incarnation } from './crashing-ports.ts';
import { type Balancer, MINUTE_MS } from './world.ts';

const FULL: Partial<MyIngressSpec> = {
  tags: { team: 'web', env: 'prod' },
  securityGroups: ['sg-web'],
  attributes: { 'idle_timeout.timeout_seconds': '120' },
};
const EDITED: Partial<MyIngressSpec> = {
  subnets: ['subnet-b', 'subnet-c'],
  securityGroups: ['sg-admin'],
  tags: { team: 'ops' },
  attributes: { 'routing.http2.enabled': 'false' },
};

const stories: Readonly<Record<string, Story>> = {
  create: {
    before: async () => {},
    act: (world) => void world.apply('shop', FULL),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(world.object('shop').status.alb?.arn).toBe(world.balancer().arn);
      expect(world.object('shop').status.applied).toEqual({
        tags: ['env', 'team'],
        attributes: { 'idle_timeout.timeout_seconds': '60' },
      });
      expect(world.balancer()).toMatchObject({
        securityGroups: ['sg-web'],
        attributes: FULL.attributes,
      });
      expect(world.balancer().tags).toEqual({
        ...FULL.tags,
        'albridge.io/cluster': 'cluster-1',
        'albridge.io/namespace': 'web',
        'albridge.io/name': 'shop',
        'albridge.io/uid': 'uid-1',
        'albridge.io/managed-by': 'albridge',
      });
    },
  },
  edit: {
    before: (world) => world.applied('shop', FULL),
    act: (world) => world.edit('shop', EDITED),
    ends: (world) => {
      expect(world.condition('shop')).toBe('True Available');
      expect(world.balancer()).toMatchObject({
        subnets: EDITED.subnets,
        securityGroups: ['sg-admin'],
      });
      expect(world.balancer().attributes).toMatchObject({
        'idle_timeout.timeout_seconds': '60',
        'routing.http2.enabled': 'false',
      });
      expect(world.balancer().tags).toMatchObject({ team: 'ops' });
      expect(world.balancer().tags).not.toHaveProperty('env');
    },
  },
  delete: {
    before: (world) => world.applied('shop', FULL),
    act: (world) => world.delete('shop'),
    ends: (world) => {
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toEqual([]);
    },
  },
  'delete behind protection': {
    before: async (world) => {
      await world.applied('shop', { attributes: { 'deletion_protection.enabled': 'true' } });
      world.edit('shop', { attributes: { 'deletion_protection.enabled': 'false' } });
    },
    act: (world) => world.delete('shop'),
    ends: (world) => {
      expect(world.exists('shop')).toBe(false);
      expect(world.balancers).toEqual([]);
    },
  },
  retain: {
    before: (world) => world.applied('shop', { ...FULL, deletionPolicy: 'Retain' }),
    act: (world) => world.delete('shop'),
    ends: (world) => {
      expect(world.exists('shop')).toBe(false);
      expect(world.balancer().tags).toEqual(FULL.tags);
    },
  },
};

describe('a process that dies at any of its operations', () => {
  for (const [name, story] of Object.entries(stories)) {
    itIsFinished(name, story, 10 * MINUTE_MS);

    it(`leaves nothing where the object is deleted at that moment: ${name}`, async () => {
      for (const cut of await cutsOf(story)) {
        const world = await play(story, cut, staleFor(MINUTE_MS));
        const retained =
          world.exists('shop') && world.object('shop').spec.deletionPolicy === 'Retain';
        if (world.exists('shop')) world.delete('shop');
        world.start();
        await world.clock.advance(10 * MINUTE_MS);
        expect(world.exists('shop'), JSON.stringify(cut)).toBe(false);
        expect(world.balancers.filter(isOurs), JSON.stringify(cut)).toEqual([]);
        if (!retained && name !== 'retain')
          expect(world.balancers, JSON.stringify(cut)).toEqual([]);
      }
    });
  }
});

function isOurs({ tags }: Balancer): boolean {
  return Object.keys(tags).some((key) => key.startsWith('albridge.io/'));
}

describe('the crashing ports themselves', () => {
  const done = (log: string[]) => async (): Promise<string> => {
    log.push('done');
    return 'answer';
  };

  it('let nothing through before the crash, and nothing after', async () => {
    const log: string[] = [];
    const incarnation = new Incarnation({ port: 'aws', at: 2, when: 'before' });
    await incarnation.through('aws', done(log));
    void incarnation.through('aws', done(log));
    void incarnation.through('kube', done(log));
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['done']);
    expect(incarnation.isOver).toBe(true);
  });

  it('carry out what they leave unanswered', async () => {
    const log: string[] = [];
    const incarnation = new Incarnation({ port: 'aws', at: 1, when: 'unanswered' });
    void incarnation.through('aws', done(log)).then(() => log.push('answered'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['done']);
  });
});
