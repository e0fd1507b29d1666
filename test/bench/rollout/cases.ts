import { setTimeout as sleep } from 'node:timers/promises';
import { ADDED, describeBackend, listRules, REPLICAS, REVERSED, type Shop } from './shop.ts';

interface Case {
  readonly what: string;
  readonly play: (shop: Shop, lagSeconds: number) => Promise<void>;
}

/** What else must lose no request, with gate and preStop. */
export const CASES: Readonly<Record<string, Case>> = {
  scaleDown: {
    what: 'from 20 pods to 5, and back',
    play: async (shop) => {
      await shop.scale(5);
      await shop.isRolledOut(5);
      await shop.scale(REPLICAS);
      await shop.isRolledOut();
    },
  },
  nodeDrain: { what: 'two nodes of four are drained', play: drainNodes },
  replacement: {
    what: 'the backend speaks HTTPS from now on: another target group',
    play: async (shop) => {
      await shop.edit({ backends: [describeBackend('https')] });
      await shop.isSettled();
    },
  },
  reordering: {
    what: 'rules are put in reverse order, and one in front of them',
    play: async (shop, lagSeconds) => {
      for (const paths of [REVERSED, ADDED, REVERSED]) {
        await shop.edit({ rules: listRules(paths) });
        await shop.isSettled();
        await sleep((lagSeconds + 2) * 1000);
      }
    },
  },
};

/** One after the other; as `kubectl drain` does it, by evictions. */
async function drainNodes(shop: Shop): Promise<void> {
  const names = await shop.kubectl(['get', 'nodes', '-o', 'name']);
  const nodes = names.trim().split('\n').slice(0, 2);
  const label = `drained=${shop.objects.namespace}`;
  await shop.kubectl(['label', 'pods', '--all', label]);
  for (const node of nodes) {
    await shop.kubectl(['drain', node.replace('node/', ''), `--pod-selector=${label}`]);
    await shop.isRolledOut();
  }
  for (const node of nodes) await shop.kubectl(['uncordon', node.replace('node/', '')]);
}
