import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { type ListedEvent, listNewest, trimEvent } from '../../../../src/cli/objects/events.ts';
import { growMyIngress } from '../../../../src/cli/objects/my-ingress-tree.ts';
import { growTargets, trimSlice } from '../../../../src/cli/objects/pods.ts';
import { drawTree } from '../../../../src/cli/objects/tree.ts';
import { chooseStyle } from '../../../../src/cli/output/style.ts';

/** What a tenant can write, as the tree and the list of events show it. */

const CLEAR = '\u001b[2J\u202e\n';

describe('the tree of an object with a forged status', () => {
  it('moves no cursor and adds no line', () => {
    const attached = { kind: CLEAR, namespace: CLEAR, name: CLEAR, reason: CLEAR, message: CLEAR };
    const alb = { arn: CLEAR, name: CLEAR, state: CLEAR, dns: CLEAR };
    const status = { alb, attached: [attached], owned: { securityGroup: CLEAR } };
    const object = { metadata: { name: 'x' }, spec: {}, status } as unknown as MyIngress;
    const children = growMyIngress(object, new Map());
    const style = chooseStyle({ isTTY: false, write: () => undefined }, {});
    const text = drawTree({ kind: 'MyIngress', name: 'x', children }, style);
    for (const character of ['\u001b', '\u202e']) expect(text).not.toContain(character);
    expect(text.trimEnd().split('\n')).toHaveLength(4);
  });
});

describe('an event of anyone who may write it', () => {
  it('is shown up to the length that the API for events allows', () => {
    const long = 'x'.repeat(1_000_000);
    const event = { metadata: { name: 'e' }, type: long, reason: long, note: long };
    const [shown] = listNewest([{ apiVersion: 'events.k8s.io/v1', kind: 'Event', ...event }], 10);
    expect(shown?.note.length).toBe(1024);
    expect(shown?.reason.length).toBe(128);
    expect(shown?.type.length).toBe(128);
  });

  it('is sorted by when it was last observed, the newest first', () => {
    const create = (note: string, times: object): ListedEvent => ({
      ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: note }, note },
      ...times,
    });
    const events = [
      create('old', { eventTime: '2026-01-01T00:01:00.5Z' }),
      create('again', {
        eventTime: '2026-01-01T00:00:00Z',
        series: { count: 3, lastObservedTime: '2026-01-01T00:03:00Z' },
      }),
      create('legacy', { eventTime: null, deprecatedLastTimestamp: '2026-01-01T00:02:00Z' }),
    ];
    const shown = listNewest(events, 2).map(({ note, count }) => `${note} ${count}`);
    expect(shown).toEqual(['again 3', 'legacy 1']);
  });

  it('is held by the page up to that length, with all that is shown of it', () => {
    const long = 'x'.repeat(1_000_000);
    const times = { eventTime: '2026-01-01T00:00:00Z', deprecatedLastTimestamp: null };
    const series = { count: 3, lastObservedTime: '2026-01-02T00:00:00Z' };
    const annotations = { long };
    const event: ListedEvent = {
      ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'e', annotations } },
      ...{ type: long, reason: long, note: long, ...times, series },
      ...{ action: long },
    };
    const held = trimEvent(event);
    expect(JSON.stringify(held).length).toBeLessThan(2000);
    expect(listNewest([held], 1)).toEqual(listNewest([event], 1));
  });
});

describe('an EndpointSlice of a tenant', () => {
  it('is held by the page without what is not shown', () => {
    const long = 'x'.repeat(100_000);
    const labels = { 'kubernetes.io/service-name': 'web' };
    const endpoint = {
      ...{ addresses: ['10.0.0.1'], conditions: { ready: true, serving: true }, zone: long },
      ...{ targetRef: { kind: 'Pod', name: 'web-0', uid: long }, deprecatedTopology: { long } },
    };
    const slice = {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
      ...{ metadata: { name: 's', labels }, endpoints: [endpoint, {}], ports: [{ name: long }] },
    };
    const held = trimSlice(slice);
    expect(JSON.stringify(held).length).toBeLessThan(1000);
    expect(growTargets([held])).toEqual(growTargets([slice]));
  });
});
