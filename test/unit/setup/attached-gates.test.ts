import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { READINESS_GATE } from '../../../src/pods/pod.ts';
import { GatesBench } from './gates-bench.ts';

const SELECTOR = { from: 'Selector', selector: { matchLabels: { public: 'true' } } };
const ALL = { from: 'All' };
const PAUSED = { 'albridge.io/paused': 'true' };
const NAMESPACES = /namespaces\?|namespaces$/;
const EXPOSED = {
  expose: { hosts: ['shop.example.com'], ingress: { name: 'shared', namespace: 'platform' } },
};

let cluster: GatesBench;

beforeEach(async () => {
  cluster = new GatesBench();
  await cluster.start();
});
afterEach(() => cluster.stop());

/** A WebApp whose MyIngress allows these namespaces. Returns its template, a minute later. */
async function attach(allowed: object, annotations: object = {}): Promise<string> {
  await cluster.createShared(allowed, annotations);
  await cluster.createWebApp(EXPOSED);
  await cluster.wait(60_000);
  expect(cluster.template).toContain('gated');
  return cluster.template;
}

describe.each([{}, PAUSED])(
  'a WebApp of another namespace is not rolled out, its MyIngress has %o',
  (annotations) => {
    it('after a restart, where all lists are answered at once', async () => {
      const before = await attach(SELECTOR, annotations);
      await cluster.restart();
      await cluster.wait(10_000);
      expect(cluster.template).toBe(before);
    });

    it.each([0, 8_000])(
      'after a restart, where the list of namespaces takes seconds, and %i ms more',
      async (lateMs) => {
        const before = await attach(SELECTOR, annotations);
        cluster.silent = NAMESPACES;
        await cluster.restart();
        await cluster.wait(lateMs);
        expect(cluster.template).toBe(before);
        await cluster.recover();
        await cluster.wait(60_000);
        expect(cluster.template).toBe(before);
      },
    );

    it('by an edit from All to Selector', async () => {
      const before = await attach(ALL, annotations);
      await cluster.editShared({ allowedNamespaces: SELECTOR });
      await cluster.wait(60_000);
      expect(cluster.template).toBe(before);
    });
  },
);

it.each([SELECTOR, ALL])(
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

describe('an operator without WebApps, with a MyIngress that selects by labels', () => {
  it('watches no namespaces', async () => {
    await cluster.createShared(SELECTOR);
    const paths: string[] = [];
    cluster.silent = { test: (path) => paths.push(path) < 0 };
    await cluster.restart({ kinds: ['myingress'] });
    await cluster.wait(10_000);
    expect(paths.filter((path) => NAMESPACES.test(path))).toEqual([]);
  });

  it('starts at once where the list of namespaces is not answered', async () => {
    await cluster.stop();
    await cluster.createShared(SELECTOR);
    cluster.silent = NAMESPACES;
    await cluster.start({ kinds: ['myingress'] });
    expect(cluster.sharedStatus).toMatchObject({ observedGeneration: 1 });
  });
});
