import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { READINESS_GATE } from '../../../src/pods/pod.ts';
import { GatesBench } from './gates-bench.ts';

const SELECTOR = { from: 'Selector', selector: { matchLabels: { public: 'true' } } };
const EXPOSED = {
  expose: {
    hosts: ['shop.example.com'],
    ingress: { name: 'shared', namespace: 'platform' },
  },
};

let cluster: GatesBench;

beforeEach(async () => {
  cluster = new GatesBench();
  await cluster.start();
});
afterEach(() => cluster.stop());

describe('after a restart a WebApp that another namespace admits by its label is not rolled out', () => {
  it('where all lists are answered at once', async () => {
    await cluster.createShared(SELECTOR);
    await cluster.createWebApp(EXPOSED);
    await cluster.wait(60_000);
    const before = cluster.template;
    expect(before).toContain('gated');
    await cluster.restart();
    await cluster.wait(10_000);
    expect(cluster.template).toBe(before);
  });

  it('where the list of namespaces takes seconds', async () => {
    await cluster.createShared(SELECTOR);
    await cluster.createWebApp(EXPOSED);
    await cluster.wait(60_000);
    const before = cluster.template;
    cluster.silent = /namespaces\?|namespaces$/;
    await cluster.restart();
    expect(cluster.template).toBe(before);
    await cluster.recover();
    await cluster.wait(10_000);
    expect(cluster.template).toBe(before);
  });

  it('where the MyIngress has been paused since before it came', async () => {
    await cluster.createShared(SELECTOR, { 'albridge.io/paused': 'true' });
    await cluster.createWebApp(EXPOSED);
    await cluster.wait(60_000);
    const before = cluster.template;
    expect(before).toContain('gated');
    await cluster.restart();
    await cluster.wait(10_000);
    expect(cluster.template).toBe(before);
  });
});

it.each([SELECTOR, { from: 'All' }])(
  'the first pods of a WebApp have the gate where its MyIngress came before with %o',
  async (allowed) => {
    await cluster.createShared(allowed);
    await cluster.wait(60_000);
    await cluster.createWebApp(EXPOSED);
    expect(cluster.template).toBe('1: gated');
  },
);

it('the gate of a WebApp whose podTemplate names it stays after a restart as it is', async () => {
  const readinessGates = [{ conditionType: READINESS_GATE }];
  await cluster.createMyIngress();
  await cluster.createWebApp({ podTemplate: { spec: { readinessGates } } });
  await cluster.wait(60_000);
  const before = cluster.template;
  cluster.silent = /myingresses/;
  await cluster.restart();
  expect(cluster.template).toBe(before);
  await cluster.recover();
  await cluster.wait(60_000);
  expect(cluster.template).toBe(before);
});
