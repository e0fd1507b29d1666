import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Subnet } from '../../../../../src/aws/ec2/subnets.ts';
import {
  chooseSubnets,
  describeCandidates,
  type SubnetChoice,
} from '../../../../../src/controllers/my-ingress/discovery/choose-subnets.ts';

const request = { clusterName: 'prod', vpcId: undefined };
const OWN = { 'kubernetes.io/cluster/prod': 'shared' };
const OTHER = { 'kubernetes.io/cluster/test': 'owned' };

function subnet(id: string, zone: string, more: Partial<Subnet> = {}): Subnet {
  return {
    ...{ id, zone: `eu-west-1${zone}`, vpcId: 'vpc-1', freeAddresses: 100, tags: {} },
    ...{ isAvailable: true, isOnOutpost: false },
    ...more,
  };
}

interface Case {
  readonly why: string;
  readonly tagged: readonly Subnet[];
  readonly vpcId?: string;
  readonly chooses: readonly string[] | 'too-few' | 'ambiguous';
}

const cases: Readonly<Record<string, Case>> = {
  'one for each zone, in the order of zones': {
    why: 'AWS allows one subnet of a zone, and more zones serve better',
    tagged: [subnet('subnet-3', 'c'), subnet('subnet-1', 'b'), subnet('subnet-2', 'a')],
    chooses: ['subnet-2', 'subnet-1', 'subnet-3'],
  },
  'the first id of a zone': {
    why: 'the answers of EC2 have no order',
    tagged: [subnet('subnet-2', 'a'), subnet('subnet-1', 'a'), subnet('subnet-3', 'b')],
    chooses: ['subnet-1', 'subnet-3'],
  },
  'the one of this cluster before the first id': {
    why: 'one that is shared by all clusters is the second choice',
    tagged: [subnet('subnet-1', 'a'), subnet('subnet-2', 'a', { tags: OWN }), subnet('s', 'b')],
    chooses: ['subnet-2', 's'],
  },
  'none of another cluster': {
    why: 'that cluster counts its addresses',
    tagged: [subnet('subnet-1', 'a', { tags: OTHER }), subnet('subnet-2', 'a'), subnet('s', 'b')],
    chooses: ['subnet-2', 's'],
  },
  'one that this cluster shares with another': {
    why: 'both tags are there on purpose',
    tagged: [subnet('subnet-1', 'a', { tags: { ...OWN, ...OTHER } }), subnet('s', 'b')],
    chooses: ['subnet-1', 's'],
  },
  'none with seven free addresses': {
    why: 'AWS refuses the balancer for it',
    tagged: [
      subnet('subnet-1', 'a', { freeAddresses: 7 }),
      subnet('subnet-2', 'a', { freeAddresses: 8 }),
      subnet('s', 'b'),
    ],
    chooses: ['subnet-2', 's'],
  },
  'none of a Local Zone, of an Outpost, or on its way': {
    why: 'a balancer has one kind of zones',
    tagged: [
      subnet('subnet-1', '-lax-1a'),
      subnet('subnet-2', 'a', { isOnOutpost: true }),
      subnet('subnet-3', 'a', { isAvailable: false }),
      subnet('subnet-4', 'a'),
      subnet('s', 'b'),
    ],
    chooses: ['subnet-4', 's'],
  },
  'only those of the VPC that is set': {
    why: 'the pods are there',
    tagged: [subnet('s-1', 'a'), subnet('s-2', 'b'), subnet('s-3', 'c', { vpcId: 'vpc-2' })],
    vpcId: 'vpc-1',
    chooses: ['s-1', 's-2'],
  },
  'nothing of two VPCs': {
    why: 'a guess would put a public door into a foreign network',
    tagged: [subnet('s-1', 'a'), subnet('s-2', 'b'), subnet('s-3', 'c', { vpcId: 'vpc-2' })],
    chooses: 'ambiguous',
  },
  'the VPC whose subnets are tagged for this cluster': {
    why: 'the tag says where the cluster is',
    tagged: [
      subnet('s-1', 'a', { tags: OWN }),
      subnet('s-2', 'b'),
      subnet('s-3', 'c', { vpcId: 'vpc-2' }),
    ],
    chooses: ['s-1', 's-2'],
  },
  'nothing of one zone': {
    why: 'AWS wants two',
    tagged: [subnet('s-1', 'a'), subnet('s-2', 'a')],
    chooses: 'too-few',
  },
  'nothing of nothing': { why: 'no subnet is tagged', tagged: [], chooses: 'too-few' },
};

describe('subnets by their tags', () => {
  it.each(Object.entries(cases))('are %s', (_name, { tagged, vpcId, chooses }) => {
    const choice = chooseSubnets(tagged, { ...request, vpcId });
    expect(choice.kind === 'chosen' ? choice.subnets : choice.kind).toEqual(chooses);
  });

  const tags = fc.subarray(Object.entries({ ...OWN, ...OTHER }));
  const subnets = fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^subnet-[0-9a-f]{1,2}$/),
      zone: fc.constantFrom('a', 'b', 'c', '-lax-1a'),
      vpcId: fc.constantFrom('vpc-1', 'vpc-1', 'vpc-1', 'vpc-2'),
      freeAddresses: fc.nat({ max: 12 }),
      tags: tags.map((entries) => Object.fromEntries(entries)),
    }),
    { selector: ({ id }) => id, maxLength: 12 },
  );
  const drawn = subnets.map((all) => all.map(({ id, zone, ...more }) => subnet(id, zone, more)));

  it('are one for each zone of one VPC, with room, none of another cluster', () => {
    fc.assert(
      fc.property(drawn, (tagged) => {
        const chosen = pick(tagged, chooseSubnets(tagged, request));
        expect(new Set(chosen.map(({ zone }) => zone)).size).toBe(chosen.length);
        expect(new Set(chosen.map(({ vpcId }) => vpcId)).size).toBeLessThanOrEqual(1);
        expect(chosen).not.toHaveLength(1);
        expect(chosen.every(({ freeAddresses }) => freeAddresses >= 8)).toBe(true);
        const keys = chosen.map((one) => Object.keys(one.tags));
        expect(
          keys.every((all) => all.length === 0 || all.includes(Object.keys(OWN)[0] ?? '')),
        ).toBe(true);
      }),
    );
  });

  it('do not depend on the order of an answer', () => {
    const shuffled = drawn.chain((tagged) =>
      fc.tuple(
        fc.constant(tagged),
        fc.shuffledSubarray([...tagged], { minLength: tagged.length, maxLength: tagged.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([tagged, other]) => {
        const [first, second] = [tagged, other].map((all) => chooseSubnets(all, request));
        expect(print(first)).toEqual(print(second));
      }),
    );
  });
});

function pick(tagged: readonly Subnet[], choice: SubnetChoice): readonly Subnet[] {
  if (choice.kind !== 'chosen') return [];
  return choice.subnets.flatMap((id) => tagged.filter((one) => one.id === id));
}

function print(choice: SubnetChoice | undefined): unknown {
  if (choice === undefined || choice.kind === 'chosen') return choice;
  return describeCandidates(choice);
}

describe('the candidates of a choice that failed', () => {
  it('are listed with what is wrong with each, usable ones first', () => {
    const tagged = [
      subnet('s-1', 'b', { tags: OTHER }),
      subnet('s-2', 'a'),
      subnet('s-3', 'c', { freeAddresses: 3 }),
      subnet('s-4', 'b', { vpcId: 'vpc-2' }),
    ];
    const choice = chooseSubnets(tagged, { ...request, vpcId: 'vpc-1' });
    expect(choice.kind !== 'chosen' && describeCandidates(choice)).toBe(
      's-2 (eu-west-1a), s-1 (tagged for another cluster), s-3 (3 free addresses), s-4 (in vpc-2)',
    );
  });

  it('are listed with their VPCs where these are the question', () => {
    const tagged = [subnet('s-2', 'a', { vpcId: 'vpc-2' }), subnet('s-1', 'a')];
    const choice = chooseSubnets(tagged, request);
    expect(choice.kind !== 'chosen' && describeCandidates(choice)).toBe('s-1 (vpc-1), s-2 (vpc-2)');
  });

  it('are a dozen at most', () => {
    const tagged = Array.from({ length: 20 }, (_, index) => subnet(`s-${10 + index}`, 'a'));
    const choice = chooseSubnets(tagged, request);
    const said = choice.kind === 'chosen' ? '' : describeCandidates(choice);
    expect(said.split(', ')).toHaveLength(13);
    expect(said).toMatch(/, and 8 more$/);
  });
});
