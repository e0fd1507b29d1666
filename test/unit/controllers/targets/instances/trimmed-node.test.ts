import { describe, expect, it } from 'vitest';
import {
  type NodeState,
  type TrimmedNode,
  trimNode,
} from '../../../../../src/controllers/targets/instances/trimmed-node.ts';
import { draftNode, instanceOf } from './nodes.ts';

const taint = (key: string, effect: string): Parameters<typeof draftNode>[1] => {
  return { taints: [{ key, effect }] };
};
const label = (key: string, value = ''): Parameters<typeof draftNode>[1] => {
  return { labels: { [key]: value } };
};
const provided = (providerID: string): Parameters<typeof draftNode>[1] => ({ providerID });

const states: Readonly<Record<string, readonly [Parameters<typeof draftNode>[1], NodeState]>> = {
  'a Ready one': [{}, 'ready'],
  'a cordoned one, which serves on': [
    { unschedulable: true, ...taint('node.kubernetes.io/unschedulable', 'NoSchedule') },
    'ready',
  ],
  'one without a zone in its id': [provided(`aws:////${instanceOf(1)}`), 'ready'],
  'one of the short ids': [provided('aws:///us-east-1a/i-0abcdef0'), 'ready'],
  'one whose kubelet is silent': [{ ready: 'Unknown' }, 'unknown'],
  'one that is not Ready': [{ ready: 'False' }, 'unready'],
  'one that people exclude': [
    label('node.kubernetes.io/exclude-from-external-load-balancers'),
    'excluded',
  ],
  'one that the old label excludes': [
    label('alpha.service-controller.kubernetes.io/exclude-balancer', 'true'),
    'excluded',
  ],
  'a control plane of old': [label('node-role.kubernetes.io/master'), 'excluded'],
  'one that Cluster Autoscaler removes': [
    taint('ToBeDeletedByClusterAutoscaler', 'NoSchedule'),
    'excluded',
  ],
  'one that Karpenter removes': [taint('karpenter.sh/disrupted', 'NoSchedule'), 'excluded'],
  'one of Fargate': [provided('aws:///us-east-1a/0a1b2c3d4e-f0/fargate-ip-10-0-0-1'), 'foreign'],
  'one that its label says is Fargate': [
    label('eks.amazonaws.com/compute-type', 'fargate'),
    'foreign',
  ],
  'one of another cloud': [provided('gce://project/zone/i-0abcdef0'), 'foreign'],
  'one that has no id yet': [provided(''), 'foreign'],
};

describe('the state of a node', () => {
  it.each(Object.entries(states))('%s', (_, [plan, state]) => {
    expect((trimNode(draftNode(1, plan)) as TrimmedNode).state).toBe(state);
  });

  it('without conditions is not Ready', () => {
    const { status: _status, ...node } = draftNode(1);
    expect((trimNode(node) as TrimmedNode).state).toBe('unready');
  });
});

it('of a node is kept its version, its instance and its state', () => {
  const node = draftNode(1);
  const metadata = {
    ...{ name: 'node-1', uid: 'u1', resourceVersion: '7', labels: { a: 'x'.repeat(60) } },
    annotations: { big: 'x'.repeat(10_000) },
  };
  expect(trimNode({ ...node, metadata })).toEqual({
    ...{ apiVersion: 'v1', kind: 'Node', instanceId: instanceOf(1), state: 'ready' },
    metadata: { name: 'node-1', uid: 'u1', resourceVersion: '7' },
  });
});
