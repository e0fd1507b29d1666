import { putConfigMap, putSecret, type Regression } from '../regression.ts';

/** Of ConfigMonitor, where data makes pods crash again and again. */
export const CRASHING_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'counts an older pod that has just restarted for unavailable, whoever has had it started': {
    why: 'a pod that crashes with the data of another monitor counted as available the moment it got ready',
    seed: 3200003448,
    settings: { concurrency: 16, secrets: true },
    steps: [
      putSecret(699, 'web/tls', { crt: 'good 2' }),
      putConfigMap(988, 'web/flags', { all: 'good 4' }),
      putConfigMap(1733, 'web/settings', { a: 'good 3' }),
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
      putSecret(2760, 'web/db', { password: 'good 1' }),
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
      putSecret(64768, 'web/tls', { crt: 'good 5' }),
      putConfigMap(70088, 'web/settings', { b: 'good 11' }),
      putSecret(79918, 'web/tls', { crt: 'frail 9' }),
      putConfigMap(100088, 'web/settings', { b: 'good 12' }),
      putConfigMap(100988, 'web/settings', { b: 'good 11' }),
      { atMs: 162597, source: { do: 'drop', at: 'web/flags', kind: 'ConfigMap' } },
      putConfigMap(171238, 'web/flags', { all: 'good 10' }),
      {
        atMs: 175585,
        source: {
          do: 'rewatch',
          at: 'web/watch-1',
          spec: { configMap: null, secret: 'db', sources: null },
        },
      },
      putSecret(196811, 'web/db', { user: 'good 7' }),
    ],
  },
};
