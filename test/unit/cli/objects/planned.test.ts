import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { growMyIngress } from '../../../../src/cli/objects/my-ingress-tree.ts';
import type { TreeNode } from '../../../../src/cli/objects/tree.ts';

const STALLED = { type: 'Stalled', status: 'True', reason: 'SubnetNotFound' };
const PLANNED = { type: 'Ready', status: 'Unknown', reason: 'Planned' };
const OBSERVED = { ...PLANNED, reason: 'ObserveMode' };

/** In plan mode, with a plan of generation 2. */
function createObject(condition: object, generation = 2): MyIngress {
  return {
    metadata: { name: 'web', namespace: 'shop', generation },
    spec: {
      backends: [{ name: 'web', service: { name: 'web', port: 80 } }],
      defaultAction: { forward: [{ backend: 'web' }] },
    },
    status: {
      conditions: [condition],
      plan: { generation: 2, steps: ['create load-balancer'], omitted: 0 },
    },
  } as unknown as MyIngress;
}

function listStates(nodes: readonly TreeNode[]): readonly string[] {
  return nodes.flatMap(({ kind, state = '', children = [] }) => [
    `${kind}: ${state}`,
    ...listStates(children),
  ]);
}

describe('an object that is only planned', () => {
  it.each([PLANNED, OBSERVED])('shows what is to be created as planned: $reason', (condition) => {
    expect(listStates(growMyIngress(createObject(condition), new Map()))).toEqual([
      'load balancer: planned',
      'listener: planned',
      'default action: see albridge plan',
      'backend: planned',
    ]);
  });

  it.each([
    { why: 'the operator could not plan it', object: createObject(STALLED) },
    { why: 'its plan is of an older spec', object: createObject(PLANNED, 3) },
  ])('does not where $why', ({ object }) => {
    expect(listStates(growMyIngress(object, new Map()))[0]).toBe('load balancer: not there');
  });
});
