import { describe, expect, it } from 'vitest';
import { composeGraph } from '../../../../src/cli/drawing/graph.ts';
import { placeGraph } from '../../../../src/cli/drawing/place.ts';
import { captionDrawing, drawFile, drawInPage } from '../../../../src/cli/drawing/svg.ts';
import type { TreeNode } from '../../../../src/cli/objects/tree.ts';
import { createIngress, FORBIDDEN, HOSTILE } from '../ui/shop.ts';

function createTargets(count: number, unready = 0): readonly TreeNode[] {
  return Array.from({ length: count }, (_, index) => {
    const isReady = index < count - unready;
    return {
      ...{ kind: 'target', name: `10.0.0.${index}`, state: isReady ? 'ready' : 'not ready' },
      health: isReady ? 'good' : 'warning',
    };
  });
}

describe('the drawing of a MyIngress', () => {
  it('has the way of a request from left to right, rules in order, shared backends once', () => {
    const targets = new Map([['stable', createTargets(2)]]);
    const { boxes, lines } = composeGraph(createIngress(), targets);
    expect(boxes.map(({ column, name }) => `${column} ${name}`)).toEqual([
      'balancer web-alb',
      'listener 80 HTTP',
      'listener 443 HTTPS',
      'rule 1. old',
      'rule 2. team',
      'rule 3. web',
      'rule default of 80',
      'rule default of 443',
      'backend stable',
      'target 10.0.0.0',
      'target 10.0.0.1',
      'backend canary',
    ]);
    const names = new Map(boxes.map(({ id, name }) => [id, name]));
    const ways = lines.map(({ from, to, label }) =>
      [names.get(from), names.get(to), label].filter((text) => text !== undefined).join(' > '),
    );
    expect(ways).toEqual([
      'web-alb > 80 HTTP',
      'web-alb > 443 HTTPS',
      '443 HTTPS > 1. old',
      '443 HTTPS > 2. team',
      '2. team > canary',
      '443 HTTPS > 3. web',
      '3. web > stable > 90',
      '3. web > canary > 10',
      '80 HTTP > default of 80',
      '443 HTTPS > default of 443',
      'stable > 10.0.0.0',
      'stable > 10.0.0.1',
    ]);
  });

  it('rates each box by what status says of it', () => {
    const { boxes } = composeGraph(createIngress(), new Map());
    const health = Object.fromEntries(boxes.map((box) => [box.name, box.health]));
    expect(health).toMatchObject({
      'web-alb': 'good',
      '80 HTTP': 'warning',
      '443 HTTPS': 'good',
      '1. old': 'warning',
      stable: 'good',
      canary: 'warning',
    });
  });

  it('rates a rule no better than the backends that it leads to', () => {
    const applied = { type: 'Ready', status: 'True', observedGeneration: 1 };
    const backends = [
      { name: 'stable', desired: 2, registered: 2, healthy: 2 },
      { name: 'canary', desired: 0, registered: 0, healthy: 0 },
    ];
    const object = createIngress('web', {
      defaultAction: { forward: [{ backend: 'canary', weight: 1 }] },
    });
    const status = { ...object.status, conditions: [applied], backends };
    const { boxes } = composeGraph({ ...object, status } as never, new Map());
    const health = Object.fromEntries(boxes.map((box) => [box.name, box.health]));
    expect(health).toMatchObject({
      '1. old': 'good',
      '2. team': 'bad',
      '3. web': 'warning',
      'default of 80': 'good',
      'default of 443': 'bad',
    });
  });

  it('lowers no rule and no target for a backend that another object attaches and that is served', () => {
    const source = 'WebApp/shop/cart';
    const backend = { name: 'cart', service: { name: 'cart', port: 80 } };
    const rule = { name: 'expose', paths: ['/cart'], forward: [{ backend: 'cart' }] };
    const attached = {
      backends: [{ source, namespace: 'shop', backend }],
      rules: [{ source, rule }],
    };
    const object = createIngress('web', { attached } as never);
    const conditions = [{ type: 'Ready', status: 'True', observedGeneration: 1 }];
    const draw = (reason: string): unknown => {
      const entry = { kind: 'WebApp', namespace: 'shop', name: 'cart', digest: '', reason };
      const status = { ...object.status, conditions, attached: [entry] };
      const { boxes } = composeGraph(
        { ...object, status } as never,
        new Map([['cart', createTargets(1)]]),
      );
      const names = ['4. expose', `${source}/cart`, '10.0.0.0'];
      return names.map((name) => boxes.find((box) => box.name === name)?.health);
    };
    expect(draw('Attached')).toEqual(['good', undefined, 'good']);
    expect(draw('AccessDenied')).toEqual(['warning', 'warning', 'warning']);
  });

  it('shows a listener that is still to be deleted, and what to open', () => {
    const object = createIngress();
    const status = object.status ?? { observedGeneration: 1 };
    const listeners = [
      ...(status.listeners ?? []),
      { port: 8080, message: 'it has rules of others' },
    ];
    const url = 'https://shop.example.com/';
    const { boxes, lines } = composeGraph(
      { ...object, status: { ...status, listeners, url } },
      new Map(),
    );
    const notes = ['to be deleted, it has rules of others'];
    expect(boxes).toContainEqual(
      expect.objectContaining({ name: '8080', health: 'warning', notes }),
    );
    expect(lines).toContainEqual({ from: 'balancer', to: 'listener 8080' });
    expect(boxes[0]?.notes[0]).toMatch(/, open https:\/\/shop\.example\.com\/$/);
  });

  it('sums up what is more than six targets, and shows those that are not ready', () => {
    const targets = new Map([['stable', createTargets(10, 6)]]);
    const { boxes } = composeGraph(createIngress(), targets);
    const shown = boxes.filter(({ column }) => column === 'target');
    expect(shown.map(({ notes }) => notes)).toEqual([
      ...Array.from({ length: 5 }, () => ['not ready in Kubernetes']),
      ['1 not ready in Kubernetes'],
    ]);
    expect(shown.at(-1)?.name).toBe('and 5 more');
  });

  it('rates no target better than its backend, of which AWS reports the health', () => {
    const draw = (healthy: number): readonly unknown[] => {
      const object = createIngress();
      const backends = [{ name: 'stable', desired: 2, registered: 2, healthy }];
      const targets = new Map([['stable', createTargets(2, 1)]]);
      const status = { ...object.status, backends };
      const { boxes } = composeGraph({ ...object, status }, targets);
      return boxes
        .filter(({ column }) => column === 'target')
        .map(({ name, notes, aside, health }) => [name, ...notes, health, aside]);
    };
    const [unready, ready] = ['not ready in Kubernetes', 'ready in Kubernetes'];
    expect([2, 1, 0].map(draw)).toEqual([
      [
        ['10.0.0.1', unready, 'warning', undefined],
        ['10.0.0.0', 'good', ready],
      ],
      [
        ['10.0.0.1', unready, 'warning', undefined],
        ['10.0.0.0', ready, 'warning', undefined],
      ],
      [
        ['10.0.0.1', unready, 'bad', undefined],
        ['10.0.0.0', ready, 'bad', undefined],
      ],
    ]);
  });

  it('says where the targets of a backend are not drawn', () => {
    const service = { name: 'web', port: 'http' };
    const backends = [
      { name: 'nodes', service, targetType: 'instance' },
      { name: 'elsewhere', service: { ...service, namespace: 'other' } },
    ];
    const { boxes } = composeGraph(createIngress('web', { backends } as never), new Map());
    const shown = boxes.filter(({ column }) => column === 'target');
    expect(shown.map(({ name, notes, health }) => [name, ...notes, health])).toEqual([
      ['nodes', 'not listed here', undefined],
      ['in namespace other', 'not read', undefined],
    ]);
  });

  it('has room for the address of a load balancer, the name of a Service and of a pod', () => {
    const dns = 'store-alb-e7405b9f-3615458747.us-east-1.elb.amazonaws.com';
    const object = createIngress('web', {
      backends: [{ name: 'stable', service: { name: 'store-checkout-api', port: 'http' } }],
    });
    const alb = { arn: 'arn', name: 'store-alb-e7405b9f', state: 'active', dns };
    const pod = 'store-api-5d5c7b9c77-8x2lm';
    const name = `10.87.128.5 (Pod ${pod})`;
    const target = { kind: 'target', name, state: 'ready', health: 'good' } as const;
    const graph = composeGraph(
      { ...object, status: { ...object.status, alb } },
      new Map([['store-checkout-api', [target]]]),
    );
    const drawn = placeGraph(graph).boxes.map(({ texts }) => texts);
    expect(drawn[0]?.join('')).toBe(`active, ${dns}`);
    expect(drawn.flat()).toContain('Service store-checkout-api:http');
    expect(drawn.at(-1)).toEqual([`Pod ${pod}`]);
    const rule = { name: 'a', hosts: ['store.example.com'], paths: ['/v1/*'] };
    const forward = [{ backend: 'stable', weight: 1 }];
    const spec = { ...object.spec, rules: [{ ...rule, forward }] };
    const other = placeGraph(composeGraph({ ...object, spec }, new Map()));
    // No line ends inside a path where it may end before it.
    expect(other.boxes.find(({ name }) => name === '1. a')?.texts).toEqual([
      'hosts store.example.com, paths',
      '/v1/*',
    ]);
  });

  it('puts no box on another one, and none outside', () => {
    const rules = Array.from({ length: 30 }, (_, index) => ({
      ...{ name: `r${index}`, paths: [`/${index}`] },
      forward: [{ backend: index % 2 === 0 ? 'stable' : 'canary', weight: 1 }],
    }));
    const targets = new Map([
      ['stable', createTargets(4)],
      ['canary', createTargets(40)],
    ]);
    // Both lead to the same rules, and so want the same place.
    const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
    const object = createIngress('web', { rules, listeners });
    const placed = placeGraph(composeGraph(object, targets));
    const columns = Map.groupBy(placed.boxes, ({ column }) => column);
    for (const boxes of columns.values()) {
      const ordered = boxes.toSorted((a, b) => a.y - b.y);
      for (const [index, { y }] of ordered.slice(1).entries()) {
        const before = ordered[index];
        expect(y).toBeGreaterThanOrEqual((before?.y ?? 0) + (before?.height ?? 0));
      }
    }
    for (const { x, y, width, height } of placed.boxes) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(placed.width);
      expect(y + height).toBeLessThanOrEqual(placed.height);
    }
  });

  it('puts no weight on another one, also where nine rules share their backends', () => {
    const forward = ['stable', 'canary'].map((backend) => ({ backend, weight: 50 }));
    const rules = Array.from({ length: 9 }, (_, index) => ({
      ...{ name: `r${index}`, paths: [`/${index}`], forward },
    }));
    const object = createIngress('web', { rules });
    const { lines } = placeGraph(composeGraph(object, new Map()));
    const tops = lines.filter(({ label }) => label === '50').map(({ start }) => start.y);
    expect(tops).toHaveLength(18);
    const sorted = tops.toSorted((a, b) => a - b);
    for (const [index, top] of sorted.slice(1).entries())
      expect(top - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(11);
  });

  it('fits the page at the width of its pictures', () => {
    const targets = new Map([['stable', createTargets(2)]]);
    const { width } = placeGraph(composeGraph(createIngress(), targets));
    expect(width).toBeLessThanOrEqual(1150);
  });

  it('of a MyIngress without anything is the missing balancer alone', () => {
    const bare = { ...createIngress(), spec: undefined, status: undefined };
    const placed = placeGraph(composeGraph(bare as never, new Map()));
    expect(placed.boxes.map(({ name, notes }) => [name, ...notes])).toEqual([['-', 'not there']]);
  });

  it('escapes names and messages of tenants', () => {
    const object = createIngress(HOSTILE);
    const targets = new Map([['stable', [{ kind: 'target', name: HOSTILE, state: HOSTILE }]]]);
    const svg = drawFile(placeGraph(composeGraph(object, targets)), captionDrawing(object));
    expect(svg.toString()).not.toMatch(/<script|<img|onerror='/);
    expect(svg.toString()).toContain('&lt;script&gt;');
    for (const character of FORBIDDEN) expect(svg.toString()).not.toContain(character);
  });

  it('says in title and description what it is, and as a file brings its style', () => {
    const object = createIngress();
    const placed = placeGraph(composeGraph(object, new Map()));
    const [file, part] = [
      drawFile(placed, captionDrawing(object)).toString(),
      drawInPage(placed, captionDrawing(object)).toString(),
    ];
    expect(file).toContain('<title id="drawing-title">The way of a request through MyIngress');
    expect(file).toContain('<title>listener 443 HTTPS, as desired: there</title>');
    expect(file).toContain('<rect class="d-bar d-warning"');
    expect(file).toContain('<style>');
    // The page's policy allows no other style than the page's.
    expect(part).not.toMatch(/<style|style="/);
  });
});
