import { createMonitor, createMyIngress, createWebApp, type Regression } from '../regression.ts';

/** Of ConfigMonitor, where a new leader has a watch that has been silent. */
export const SILENT_WATCH_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'takes data that its watch has not replaced yet for no change': {
    why: 'a new leader noted the newest data as replaced by the data before, and its pods as older',
    seed: 2500000122,
    settings: {
      replicas: 2,
      election: true,
      isClusterIdConfigured: false,
      provisioningMs: 30000,
      sweepMs: 300000,
    },
    steps: [
      { atMs: 1000, config: { do: 'fill', at: 'web/db', content: { text: 'good 1' } } },
      { atMs: 2000, config: { do: 'deploySet', at: 'web/db', replicas: 12 } },
      createMonitor(8000, 'web/db', {}),
      createMyIngress(9766, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
        tags: { team: 'a', env: 'b', 'cost-center': '' },
      }),
      createWebApp(13063, 'web/front', {
        image: 'registry.example/app:2',
        podTemplate: {
          metadata: { labels: { tier: 'web' } },
          spec: {
            containers: [
              { name: 'app', env: [{ name: 'MODE', value: 'fast' }] },
              { name: 'proxy', image: 'registry.example/proxy:1' },
            ],
          },
        },
        service: { port: 8081, type: null, annotations: null },
        replicas: 1,
        port: 80,
      }),
      { atMs: 14645, myIngress: { do: 'delete', at: 'web/shop' } },
      { atMs: 45359, config: { do: 'fill', at: 'web/db', content: { text: 'good 2' } } },
    ],
    faults: [
      { kind: 'freeze', label: 'kube POST pods/eviction', nth: 2, forMs: 17000 },
      { kind: 'partition', fromMs: 38377, forMs: 16524, replica: 0 },
    ],
  },
  'goes late in a restart that began while a watch was silent': {
    why: 'the model judged by what was known when the pod went, not when it was put on record',
    seed: 1,
    settings: { isClusterIdConfigured: false, provisioningMs: 2000 },
    steps: [
      { atMs: 1000, config: { do: 'fill', at: 'web/db', content: { text: 'good 1' } } },
      { atMs: 2000, config: { do: 'deploySet', at: 'web/db', replicas: 12 } },
      createMonitor(8000, 'web/db', {}),
      { atMs: 47703, config: { do: 'fill', at: 'web/db', content: { text: 'good 2' } } },
      { atMs: 189461, config: { do: 'fill', at: 'web/db', content: { text: 'good 3' } } },
    ],
    faults: [{ kind: 'watchSilent', atMs: 176477 }],
  },
};
