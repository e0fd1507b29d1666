import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { composeGraph } from '../../../../src/cli/drawing/graph.ts';
import { listTargets } from '../../../../src/cli/objects/my-ingress-parts.ts';
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
    const { boxes } = composeGraph(createObject(condition), new Map());
    const notes = boxes.map(({ column, notes: lines }) => `${column}: ${lines.at(-1)}`);
    expect(notes).toEqual([
      'balancer: planned',
      'listener: planned',
      'rule: what no rule matches',
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

describe('what status says of a part', () => {
  type Status = Partial<MyIngress['status']>;

  function grow(status: Status, spec: object = {}): readonly TreeNode[] {
    const object = createObject(STALLED);
    const targets = new Map([['web', [{ kind: 'target', name: '10.0.0.1' }]]]);
    const changed = { ...object, spec: { ...object.spec, ...spec }, status };
    const all = (nodes: readonly TreeNode[]): readonly TreeNode[] =>
      nodes.flatMap((node) => [node, ...all(node.children ?? [])]);
    return all(growMyIngress(changed as MyIngress, targets));
  }

  it.each([
    { why: 'all targets answer', counts: { registered: 2, healthy: 2 }, health: 'good' },
    { why: 'one target does not', counts: { registered: 2, healthy: 1 }, health: 'warning' },
    { why: 'one is not registered', counts: { registered: 1, healthy: 2 }, health: 'warning' },
    { why: 'no target answers', counts: { registered: 2, healthy: 0 }, health: 'bad' },
    { why: 'AWS has not said it yet', counts: { registered: 2 }, health: 'warning' },
    { why: 'there is none', counts: { desired: 0, registered: 0, healthy: 0 }, health: 'bad' },
  ])('rates a backend as $health where $why', ({ counts, health }) => {
    const nodes = grow({ backends: [{ name: 'web', desired: 2, ...counts }] });
    expect(nodes.find(({ kind }) => kind === 'backend')?.health).toBe(health);
  });

  it('shows a listener that the spec no longer has, and what other objects attach', () => {
    const attached = ['Attached', 'HostTaken'].map((reason) => ({
      ...{ kind: 'WebApp', namespace: 'shop', name: reason, digest: '', reason },
    }));
    const nodes = grow({ listeners: [{ port: 8080 }], attached });
    expect(nodes).toContainEqual(
      expect.objectContaining({ kind: 'listener', name: '8080', state: 'to be deleted' }),
    );
    const rated = nodes.flatMap(({ kind, name, health }) =>
      kind === 'attached WebApp' ? [`${name} ${health}`] : [],
    );
    expect(rated).toEqual(['shop/Attached good', 'shop/HostTaken bad']);
  });

  it('claims no health of a backend that another object attaches, and says why it is not served', () => {
    const source = 'WebApp/shop/cart';
    const backend = { name: 'cart', service: { name: 'cart', port: 80 } };
    const rule = { name: 'expose', paths: ['/cart'], forward: [{ backend: 'cart' }] };
    const routes = {
      backends: [{ source, namespace: 'shop', backend }],
      rules: [{ source, rule }],
    };
    const show = (entry: object): unknown => {
      const attached = [{ kind: 'WebApp', namespace: 'shop', name: 'cart', digest: '', ...entry }];
      const nodes = grow({ attached } as never, { attached: routes });
      const { state, health, message } = nodes.find(({ name }) => name.startsWith(source)) ?? {};
      return [state, health, message];
    };
    const unknown = "AWS's health of it is not in the status";
    expect(show({ reason: 'Attached' })).toEqual(['attached', undefined, unknown]);
    const refusal = { reason: 'AccessDenied', message: 'AWS refuses it' };
    expect(show(refusal)).toEqual(['AccessDenied', 'warning', 'AWS refuses it']);
    const other = { name: 'car', reason: 'Attached' };
    expect(show(other)).toEqual(['not in status.attached', 'warning', undefined]);
  });

  it('lists the targets of a backend once: pods, and those of its own namespace', () => {
    const count = (spec: object): number =>
      grow({}, spec).filter(({ kind }) => kind === 'target').length;
    const rules = [{ name: 'again', paths: ['/'], forward: [{ backend: 'web' }] }];
    expect(count({ rules })).toBe(1);
    const service = { name: 'web', port: 80 };
    expect(count({ backends: [{ name: 'web', service, targetType: 'instance' }] })).toBe(0);
    const family = { ipAddressType: 'ipv4' } as const;
    const elsewhere = { ...service, namespace: 'other' };
    const others = { ...family, service: elsewhere, targetType: 'ip' } as const;
    const targets = new Map([['web', [{ kind: 'target', name: '10.0.0.1' }]]]);
    expect(listTargets(others, targets, createObject(STALLED))).toEqual([
      { kind: 'targets', name: 'in namespace other', state: 'not read' },
    ]);
    const nodes = { ...family, service, targetType: 'instance' } as const;
    expect(listTargets(nodes, targets, createObject(STALLED))).toEqual([
      { kind: 'targets', name: 'nodes', state: 'not listed here' },
    ]);
  });

  it.each([
    ['ipv4', '10.0.0.1 (Pod web-0)'],
    ['ipv6', 'fd00::1 (Pod web-0)'],
  ] as const)('lists of a dual-stack Service the %s addresses alone', (ipAddressType, name) => {
    const both = ['10.0.0.1 (Pod web-0)', 'fd00::1 (Pod web-0)'];
    const nodes = both.map((one) => ({ kind: 'target', name: one }));
    const backend = {
      service: { name: 'web', port: 80 },
      targetType: 'ip',
      ipAddressType,
    } as const;
    const listed = listTargets(backend, new Map([['web', nodes]]), createObject(STALLED));
    expect(listed.map((one) => one.name)).toEqual([name]);
  });
});
