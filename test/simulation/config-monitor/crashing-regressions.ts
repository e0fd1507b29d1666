import type { Regression } from '../regression.ts';

/** Of ConfigMonitor, where data makes pods crash again and again. */
export const CRASHING_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'counts an older pod that has just restarted for unavailable, whoever has had it started': {
    why: 'a pod that crashes with the data of another monitor counted as available the moment it got ready',
    seed: 3200003448,
    settings: { concurrency: 16, secrets: true },
    steps: [
      { atMs: 699, source: { do: 'put', at: 'web/tls', kind: 'Secret', data: { crt: 'good 2' } } },
      {
        atMs: 988,
        source: { do: 'put', at: 'web/flags', kind: 'ConfigMap', data: { all: 'good 4' } },
      },
      {
        atMs: 1733,
        source: { do: 'put', at: 'web/settings', kind: 'ConfigMap', data: { a: 'good 3' } },
      },
      {
        atMs: 2260,
        source: {
          do: 'run',
          at: 'web/desk',
          as: 'Deployment',
          replicas: 5,
          tier: 'back',
          uses: [
            { kind: 'Secret', name: 'db', way: 'volume' },
            { kind: 'Secret', name: 'tls', way: 'envFrom' },
            { kind: 'ConfigMap', name: 'flags', way: 'projected', key: 'all' },
          ],
        },
      },
      {
        atMs: 2760,
        source: { do: 'put', at: 'web/db', kind: 'Secret', data: { password: 'good 1' } },
      },
      {
        atMs: 2802,
        source: {
          do: 'run',
          at: 'web/shop',
          as: 'Deployment',
          replicas: 1,
          tier: 'back',
          uses: [
            { kind: 'Secret', name: 'tls', way: 'projected' },
            { kind: 'ConfigMap', name: 'settings', way: 'env', key: 'b' },
          ],
        },
      },
      {
        atMs: 7617,
        source: {
          do: 'watch',
          at: 'web/watch-2',
          spec: {
            sources: [
              { kind: 'Secret', name: 'tls' },
              { kind: 'ConfigMap', name: 'settings', keys: ['b'] },
            ],
            strategy: 'Evict',
            progressDeadlineSeconds: 30,
          },
        },
      },
      {
        atMs: 11141,
        source: {
          do: 'watch',
          at: 'web/watch-1',
          spec: { configMap: 'settings', secret: 'db', strategy: 'Evict' },
        },
      },
      {
        atMs: 14206,
        source: {
          do: 'watch',
          at: 'web/watch-0',
          spec: {
            sources: [
              { kind: 'Secret', name: 'db' },
              { kind: 'ConfigMap', name: 'flags' },
            ],
            debounceSeconds: 0,
          },
        },
      },
      {
        atMs: 64768,
        source: { do: 'put', at: 'web/tls', kind: 'Secret', data: { crt: 'good 5' } },
      },
      {
        atMs: 70088,
        source: { do: 'put', at: 'web/settings', kind: 'ConfigMap', data: { b: 'good 11' } },
      },
      {
        atMs: 79918,
        source: { do: 'put', at: 'web/tls', kind: 'Secret', data: { crt: 'frail 9' } },
      },
      {
        atMs: 100088,
        source: { do: 'put', at: 'web/settings', kind: 'ConfigMap', data: { b: 'good 12' } },
      },
      {
        atMs: 100988,
        source: { do: 'put', at: 'web/settings', kind: 'ConfigMap', data: { b: 'good 11' } },
      },
      { atMs: 162597, source: { do: 'drop', at: 'web/flags', kind: 'ConfigMap' } },
      {
        atMs: 171238,
        source: { do: 'put', at: 'web/flags', kind: 'ConfigMap', data: { all: 'good 10' } },
      },
      {
        atMs: 175585,
        source: {
          do: 'rewatch',
          at: 'web/watch-1',
          spec: { configMap: null, secret: 'db', sources: null },
        },
      },
      {
        atMs: 196811,
        source: { do: 'put', at: 'web/db', kind: 'Secret', data: { user: 'good 7' } },
      },
    ],
  },
};
