import { describe, expect, it } from 'vitest';
import {
  chooseInstances,
  describeLeftOut,
} from '../../../../../src/controllers/targets/instances/instances.ts';
import {
  type TrimmedNode,
  trimNode,
} from '../../../../../src/controllers/targets/instances/trimmed-node.ts';
import { draftNode, instanceOf } from './nodes.ts';

const READY = {};
const SILENT = { ready: 'Unknown' } as const;
const UNREADY = { ready: 'False' } as const;
const FARGATE = { providerID: 'aws:///us-east-1a/0a1b/fargate-ip-10-0-0-1' };
const EXCLUDED = { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } };

function choose(
  ...plans: readonly Parameters<typeof draftNode>[1][]
): ReturnType<typeof chooseInstances> {
  return chooseInstances(plans.map((plan, at) => trimNode(draftNode(at, plan)) as TrimmedNode));
}

describe('of the nodes are targets', () => {
  it('those that are Ready', () => {
    expect(choose(READY, UNREADY, SILENT, READY, EXCLUDED).usable).toEqual([0, 3].map(instanceOf));
  });

  it('where none is, those whose kubelet is silent', () => {
    expect(choose(UNREADY, SILENT, EXCLUDED).usable).toEqual([instanceOf(1)]);
  });

  it('and otherwise none', () => {
    expect(choose(UNREADY, FARGATE).usable).toEqual([]);
  });

  it('each instance once, also while a node comes back under another name', () => {
    expect(choose(READY, { providerID: `aws:///us-east-1b/${instanceOf(0)}` }).usable).toEqual([
      instanceOf(0),
    ]);
  });
});

it('live is every instance, so that none goes before another is registered', () => {
  const { live } = choose(READY, UNREADY, SILENT, EXCLUDED, FARGATE);
  expect([...live].toSorted()).toEqual([0, 1, 2, 3].map(instanceOf));
});

it('what is left out is counted', () => {
  const { counts } = choose(UNREADY, SILENT, EXCLUDED, FARGATE, FARGATE);
  expect(describeLeftOut(counts)).toBe(
    '2 not ready, 1 excluded from load balancers or about to be removed, 2 not EC2 instances',
  );
});
