import { describe, expect, it } from 'vitest';
import { previousGroupsTagKeys } from '../../../../../src/apis/my-ingress.ts';
import type { Tags } from '../../../../../src/aws/elbv2/traffic.ts';
import { findObstacle } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import {
  type AttachmentSpec,
  chooseAttachment,
} from '../../../../../src/controllers/my-ingress/security-group/attachment.ts';
import { normaliseCidr } from '../../../../../src/controllers/my-ingress/security-group/cidr.ts';
import {
  desireSecurityGroup,
  type Frontend,
} from '../../../../../src/controllers/my-ingress/security-group/desired.ts';
import { MemoryAws } from '../graph/memory-aws.ts';
import { PLACE, TrafficWorld } from '../graph/traffic-world.ts';

const none: AttachmentSpec = {
  ...{ securityGroups: undefined, hasListeners: false, isAdopted: false, hasInbound: false },
};

const modes: Readonly<Record<string, readonly [Partial<AttachmentSpec>, string]>> = {
  'a balancer alone': [{}, 'default'],
  listeners: [{ hasListeners: true }, 'managed'],
  'given groups': [{ securityGroups: ['sg-a'] }, 'given'],
  'given groups and listeners': [{ securityGroups: ['sg-a'], hasListeners: true }, 'given'],
  'an adopted balancer': [{ hasListeners: true, isAdopted: true }, 'adopted'],
  'an adopted balancer with inbound': [
    { hasListeners: true, isAdopted: true, hasInbound: true },
    'managed',
  ],
  'inbound without listeners': [{ hasInbound: true }, 'default'],
};

describe('whose security groups a balancer has:', () => {
  it.each(Object.entries(modes))('%s', (_, [spec, mode]) => {
    expect(chooseAttachment({ ...none, ...spec })).toBe(mode);
  });
});

type Mode = 'default' | 'managed' | 'given' | 'others' | 'adopted' | 'bare';

interface Transition {
  readonly from: Mode;
  readonly to: Mode;
  /** After each step: what is attached, and whether the managed group exists. */
  readonly attached: readonly string[];
  readonly why: string;
  /** `ALBRIDGE_BACKEND_SECURITY_GROUPS` */
  readonly backendGroups?: readonly string[];
  /** What the balancer had before it was adopted. */
  readonly adopted?: readonly string[];
}

const OWN = 'sg-1';

/** Every transition among the VPC's default group, the managed one, given ones and those of an adopted balancer. */
const transitions: readonly Transition[] = [
  {
    ...{ from: 'default', to: 'managed' },
    attached: [
      'sg-default',
      'sg-default, sg-1 exists',
      'sg-default, sg-1 exists',
      'sg-1, sg-1 exists',
    ],
    why: 'it admits everybody whom it should before it is attached, and listeners come after',
  },
  {
    ...{ from: 'default', to: 'given' },
    attached: ['sg-default', 'sg-a'],
    why: 'given ones are only attached',
  },
  {
    ...{ from: 'managed', to: 'given' },
    attached: ['sg-1, sg-1 exists', 'sg-a, sg-1 exists', 'sg-a'],
    why: 'the managed one goes once nothing has it',
  },
  {
    ...{ from: 'given', to: 'managed' },
    attached: ['sg-a', 'sg-a, sg-1 exists', 'sg-a, sg-1 exists', 'sg-1, sg-1 exists'],
    why: 'admission refuses it, an object of an older CRD may do it',
  },
  {
    ...{ from: 'managed', to: 'default' },
    attached: ['sg-1, sg-1 exists', 'sg-default, sg-1 exists', 'sg-default'],
    why: 'a balancer must have one',
  },
  {
    ...{ from: 'given', to: 'default' },
    attached: ['sg-a'],
    why: 'AWS has no way back, and nothing of ours is there: they stay',
  },
  {
    ...{ from: 'given', to: 'others' },
    attached: ['sg-a', 'sg-b'],
    why: 'in one step',
  },
  {
    ...{ from: 'default', to: 'managed', backendGroups: ['sg-pods'] },
    attached: [
      'sg-default',
      'sg-default, sg-1 exists',
      'sg-default, sg-1 exists',
      'sg-1+sg-pods, sg-1 exists',
    ],
    why: 'the pods admit the group of the operator, which is attached with the managed one',
  },
  {
    ...{ from: 'managed', to: 'given', backendGroups: ['sg-pods'] },
    attached: ['sg-1+sg-pods, sg-1 exists', 'sg-a, sg-1 exists', 'sg-a'],
    why: 'given ones are attached alone',
  },
  {
    ...{ from: 'managed', to: 'default', backendGroups: ['sg-pods'] },
    attached: ['sg-1+sg-pods, sg-1 exists', 'sg-default, sg-1 exists', 'sg-default'],
    why: 'without listeners no request reaches the pods',
  },
  {
    ...{ from: 'adopted', to: 'managed', adopted: ['sg-x', 'sg-y'] },
    attached: [
      'sg-x+sg-y',
      'sg-x+sg-y, sg-2 of sg-x sg-y exists',
      'sg-2, sg-2 of sg-x sg-y exists',
    ],
    why: 'the groups that it replaces are on record from its creation on',
  },
  {
    ...{ from: 'managed', to: 'adopted', adopted: ['sg-x', 'sg-y'] },
    attached: [
      'sg-1, sg-1 of sg-x sg-y exists',
      'sg-x+sg-y, sg-1 of sg-x sg-y exists',
      'sg-x+sg-y',
    ],
    why: 'its previous groups come back, and their record is deleted with the managed group',
  },
  {
    ...{ from: 'managed', to: 'adopted', adopted: ['sg-x'], backendGroups: ['sg-pods'] },
    attached: ['sg-1+sg-pods, sg-1 of sg-x exists', 'sg-x, sg-1 of sg-x exists', 'sg-x'],
    why: 'it had no group of the operator before',
  },
  {
    ...{ from: 'managed', to: 'bare', adopted: ['sg-x'] },
    attached: ['sg-1, sg-1 of sg-x exists', 'sg-x, sg-1 of sg-x exists', 'sg-x'],
    why: 'nor without listeners is the default group its own',
  },
  {
    ...{ from: 'managed', to: 'given', adopted: ['sg-x'] },
    attached: ['sg-1, sg-1 of sg-x exists', 'sg-a, sg-1 of sg-x exists', 'sg-a'],
    why: 'what the spec gives decides, and no record does any more',
  },
  {
    ...{ from: 'adopted', to: 'given', adopted: ['sg-x'] },
    attached: ['sg-x', 'sg-a'],
    why: 'given ones are only attached',
  },
  {
    ...{ from: 'adopted', to: 'adopted', adopted: ['sg-x'] },
    attached: ['sg-x'],
    why: 'nothing to do',
  },
  ...(['default', 'managed', 'given'] as const).map((mode) => ({
    ...{ from: mode, to: mode, why: 'nothing to do' },
    attached: [{ default: 'sg-default', managed: 'sg-1, sg-1 exists', given: 'sg-a' }[mode]],
  })),
];

describe('security groups of a balancer go', () => {
  it.each(transitions)('from $from to $to $backendGroups $adopted', (transition) => {
    const { from, to, attached, why } = transition;
    const world = start(transition);
    become(world, from);
    world.converge();
    become(world, to);
    const seen = [observe(world)];
    world.converge((plan) => {
      for (const step of plan.steps) {
        world.execute({ ...plan, steps: [step] });
        if (step.operation.includes('SecurityGroup')) seen.push(observe(world));
      }
    });
    const changes = seen.filter((one, index) => index === 0 || one !== '');
    expect(changes, why).toEqual(attached);
  });
});

function start({
  adopted,
  backendGroups = [],
}: Pick<Transition, 'adopted' | 'backendGroups'>): AdoptingWorld {
  const aws = new MemoryAws();
  const world = Object.assign(new TrafficWorld(aws), { memoryAws: aws });
  world.backendGroups = backendGroups;
  world.isAdopted = adopted !== undefined;
  if (adopted !== undefined) attach(world, adopted);
  return world;
}

type AdoptingWorld = TrafficWorld & { readonly memoryAws: MemoryAws };

/** By others. */
function attach({ memoryAws }: AdoptingWorld, securityGroups: readonly string[]): void {
  memoryAws.meddle(({ loadBalancer }) => ({
    loadBalancer: loadBalancer && { ...loadBalancer, securityGroups },
  }));
}

function become(world: TrafficWorld, mode: Mode): void {
  const isServing = mode === 'managed' || mode === 'adopted';
  world.spec = {
    ...(isServing && { listeners: [{ port: 80, protocol: 'HTTP' as const }] }),
    ...(world.isAdopted && mode !== 'adopted' && { inbound: {} }),
  };
  world.securityGroups = {
    given: ['sg-a'],
    others: ['sg-b'],
    ...{ default: undefined, managed: undefined, adopted: undefined, bare: undefined },
  }[mode];
}

function observe(world: TrafficWorld): string {
  const { loadBalancer, securityGroups } = world.aws.observed();
  const exists = securityGroups.map(({ securityGroup: { id }, tags }) => {
    const record = listRecord(tags);
    return `${[id, ...(record === '' ? [] : ['of', record])].join(' ')} exists`;
  });
  return [loadBalancer?.securityGroups.join('+'), ...exists].join(', ');
}

function listRecord(tags: Tags): string {
  return previousGroupsTagKeys.flatMap((key) => tags[key] ?? []).join(' ');
}

describe('the record of the groups that a managed one replaces', () => {
  const world = (): AdoptingWorld => start({ adopted: ['sg-x'] });

  it('is written before they are replaced, wherever the process ends', () => {
    for (let ends = 0; ends < 4; ends += 1) {
      const one = world();
      become(one, 'managed');
      one.execute(one.plan(), ends);
      one.converge();
      expect(observe(one)).toBe('sg-1, sg-1 of sg-x exists');
      become(one, 'adopted');
      one.execute(one.plan(), 1);
      one.converge();
      expect(observe(one)).toBe('sg-x');
    }
  });

  it('outlives what others attach, which is drift', () => {
    const one = world();
    become(one, 'managed');
    one.converge();
    attach(one, ['sg-other']);
    one.converge();
    expect(observe(one)).toBe('sg-1, sg-1 of sg-x exists');
  });

  it('is forgotten, also where AWS does not delete the group, and made for the groups of the time', () => {
    const one = world();
    become(one, 'managed');
    one.converge();
    become(one, 'adopted');
    one.execute(one.plan());
    const [forget, remove] = one.plan().steps;
    expect([forget?.operation, remove?.operation]).toEqual(['DeleteTags', 'DeleteSecurityGroup']);
    one.execute({ ...one.plan(), steps: one.plan().steps.slice(0, 1) });
    attach(one, ['sg-y']);
    become(one, 'managed');
    const { steps } = one.plan();
    expect(steps.map(({ operation }) => operation)).toEqual(['CreateTags', 'SetSecurityGroups']);
    const obstacle = steps[1] && findObstacle(steps[1], steps.slice(0, 1));
    expect(obstacle, 'no group is replaced whose record AWS refuses').toBe(steps[0]);
    one.converge();
    expect(observe(one)).toBe('sg-1, sg-1 of sg-y exists');
  });

  it('holds all groups that AWS admits, in values that it takes', () => {
    const ids = Array.from({ length: 16 }, (_, index) => `sg-${`${index}`.padStart(17, '0')}`);
    const one = start({ adopted: ids });
    become(one, 'managed');
    one.converge();
    const [managed] = one.aws.observed().securityGroups;
    const lengths = previousGroupsTagKeys.map((key) => managed?.tags[key]?.length);
    expect(lengths).toEqual([251, 83]);
    become(one, 'adopted');
    one.converge();
    expect(observe(one)).toBe(ids.join('+'));
  });
});

const frontend: Frontend = {
  ...{
    scheme: 'internet-facing',
    ipAddressType: 'ipv4',
    ports: [80],
    inbound: undefined,
    previousGroups: [],
  },
};

const sources: Readonly<Record<string, readonly [Partial<Frontend>, readonly string[]]>> = {
  everybody: [{}, ['80 from 0.0.0.0/0']],
  'everybody by IPv6 too': [{ ipAddressType: 'dualstack' }, ['80 from 0.0.0.0/0', '80 from ::/0']],
  'the private ranges for an internal balancer': [
    { scheme: 'internal', ipAddressType: 'dualstack' },
    [
      '80 from 10.0.0.0/8',
      '80 from 172.16.0.0/12',
      '80 from 192.168.0.0/16',
      '80 from 100.64.0.0/10',
    ],
  ],
  'each port, in order and once': [
    { ports: [443, 80, 443] },
    ['80 from 0.0.0.0/0', '443 from 0.0.0.0/0'],
  ],
  'what is asked for, in one form and once': [
    {
      inbound: {
        cidrs: ['10.0.0.9/8', '10.0.0.0/8', '2001:DB8::1/32'],
        prefixListIDs: ['pl-1'],
        securityGroupIDs: ['sg-a'],
      },
    },
    ['80 from 10.0.0.0/8', '80 from 2001:db8::/32', '80 from pl-1', '80 from sg-a'],
  ],
  nobody: [{ inbound: {} }, []],
};

describe('the managed security group admits', () => {
  it.each(Object.entries(sources))('%s', (_, [given, admitted]) => {
    const { ingress } = desireSecurityGroup({ ...frontend, ...given }, PLACE);
    const words = ingress.map(({ fromPort, source }) => `${fromPort} from ${source.value}`);
    expect(words).toEqual(admitted);
  });

  it('no source that someone else has let in', () => {
    const world = new TrafficWorld();
    become(world, 'managed');
    world.converge();
    const source = { kind: 'ipv4' as const, value: '192.0.2.0/24' };
    const ingress = [{ protocol: 'tcp', fromPort: 22, toPort: 22, source }];
    const step = {
      id: OWN,
      why: '',
      needs: [],
      operation: 'AuthorizeSecurityGroupIngress' as const,
    };
    world.aws.apply({ ...step, input: { ingress } });
    expect(world.plan().steps.map(({ operation, input }) => ({ operation, input }))).toEqual([
      { operation: 'RevokeSecurityGroupIngress', input: { ingress } },
    ]);
  });
});

it('sources of a managed group are allowed before others are revoked or groups are replaced', () => {
  const world = start({ adopted: ['sg-x'] });
  become(world, 'managed');
  world.spec = { ...world.spec, inbound: { cidrs: ['10.0.0.0/8'] } };
  world.converge();
  attach(world, ['sg-y']);
  world.spec = { ...world.spec, inbound: { cidrs: ['192.0.2.0/24'] } };
  const [allow, ...others] = world.plan().steps;
  expect(allow?.operation).toBe('AuthorizeSecurityGroupIngress');
  const stopped = others.filter((step) => allow && findObstacle(step, [allow]) === allow);
  const operations = ['SetSecurityGroups', 'RevokeSecurityGroupIngress'];
  expect(stopped.map(({ operation }) => operation)).toEqual(operations);
});

describe('a block of addresses', () => {
  it.each([
    ['100.68.0.18/18', '100.68.0.0/18'],
    ['10.1.2.3/32', '10.1.2.3/32'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['10.1.2.3/31', '10.1.2.2/31'],
    ['2001:DB8:0:0:0:0:0:1/64', '2001:db8::/64'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['::/0', '::/0'],
    ['::ffff:10.0.0.1/128', '::ffff:a00:1/128'],
  ])('%s is echoed as %s', (given, echoed) => {
    expect(normaliseCidr(given)).toBe(echoed);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', '300.0.0.0/8', 'x/8', '::g/8', '::/129', ''])(
    'that is none, %s, is left for AWS to refuse',
    (given) => {
      expect(normaliseCidr(given)).toBe(given);
    },
  );
});
