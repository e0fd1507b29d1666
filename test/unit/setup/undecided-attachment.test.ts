import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatesBench } from './gates-bench.ts';

const SELECTOR = { from: 'Selector', selector: { matchLabels: { public: 'true' } } };
const EXPOSED = {
  expose: { hosts: ['shop.example.com'], ingress: { name: 'shared', namespace: 'platform' } },
};
const PAUSED = { 'albridge.io/paused': 'true' };
const NAMESPACES = /namespaces\?|namespaces$/;

let cluster: GatesBench;
beforeEach(async () => {
  cluster = new GatesBench();
  await cluster.start();
});
afterEach(() => cluster.stop());

describe('a WebApp that status.attached does not record is not rolled out', () => {
  it.each([{}, PAUSED])(
    'by an edit from All to Selector, of a MyIngress with %o',
    async (annotations) => {
      await cluster.createShared({ from: 'All' }, annotations);
      await cluster.createWebApp(EXPOSED);
      await cluster.wait(60_000);
      const before = cluster.template;
      expect(before).toContain('gated');
      await cluster.editShared({ allowedNamespaces: SELECTOR });
      await cluster.wait(60_000);
      expect(cluster.template).toBe(before);
    },
  );

  it.each([{}, PAUSED])(
    'after a restart, where the namespaces take ten seconds, of a MyIngress with %o',
    async (annotations) => {
      await cluster.createShared(SELECTOR, annotations);
      await cluster.createWebApp(EXPOSED);
      await cluster.wait(60_000);
      const before = cluster.template;
      expect(before).toContain('gated');
      cluster.silent = NAMESPACES;
      await cluster.restart();
      await cluster.wait(8_000);
      await cluster.recover();
      await cluster.wait(60_000);
      expect(cluster.template).toBe(before);
    },
  );
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
