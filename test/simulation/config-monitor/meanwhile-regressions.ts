import { createMonitor, putConfigMap, putSecret, type Regression } from '../regression.ts';

/** Of ConfigMonitor, where pods begin while a restart waits for others, or while their data is missing. */
export const MEANWHILE_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'restarts pods that began in the middle of a restart, where one of their Deployment is older': {
    why: 'the model took pods that have the data for others than those that the template restarts',
    seed: 3500000696,
    settings: { secrets: true },
    steps: [
      putConfigMap(911, 'web/limits', { a: 'good 1' }),
      {
        atMs: 4505,
        source: {
          do: 'run',
          at: 'web/mill',
          as: 'Deployment',
          replicas: 5,
          tier: 'front',
          uses: [{ kind: 'ConfigMap', name: 'limits', way: 'subPath', key: 'a' }],
        },
      },
      {
        atMs: 5348,
        source: {
          do: 'watch',
          at: 'web/of-mill',
          spec: {
            sources: [{ kind: 'ConfigMap', name: 'limits' }],
            strategy: 'Auto',
            maxUnavailable: '25%',
          },
        },
      },
      {
        atMs: 72883,
        source: {
          do: 'useOthers',
          at: 'web/mill',
          as: 'Deployment',
          tier: 'front',
          uses: [{ kind: 'Secret', name: 'late', way: 'env', key: 'user' }],
        },
      },
      putConfigMap(88369, 'web/limits', { b: 'good 3' }),
      {
        atMs: 117924,
        source: {
          do: 'useOthers',
          at: 'web/mill',
          as: 'Deployment',
          tier: 'front',
          uses: [
            { kind: 'ConfigMap', name: 'limits', way: 'projected', key: 'a', isOptional: true },
            { kind: 'Secret', name: 'late', way: 'env', key: 'user' },
          ],
        },
      },
      putSecret(122883, 'web/late', { user: 'good' }),
    ],
  },
  'leaves a pod without its optional data, where that comes back as it was in the end': {
    why: 'the model took any data in between for a change that is acted on',
    seed: 3500001586,
    settings: { secrets: true },
    steps: [
      {
        atMs: 4551,
        source: {
          do: 'run',
          at: 'web/mill',
          as: 'Deployment',
          replicas: 5,
          tier: 'front',
          uses: [{ kind: 'ConfigMap', name: 'limits', way: 'volume', key: 'a', isOptional: true }],
        },
      },
      {
        atMs: 7303,
        source: {
          do: 'watch',
          at: 'web/of-mill',
          spec: {
            sources: [{ kind: 'ConfigMap', name: 'limits' }],
            strategy: 'Rollout',
            maxUnavailable: '25%',
          },
        },
      },
      putConfigMap(72108, 'web/limits', { a: 'good 3', b: 'good 4' }),
      { atMs: 87108, source: { do: 'drop', at: 'web/limits', kind: 'ConfigMap' } },
      { atMs: 87408, config: { do: 'pod', at: 'web/mill', nth: 0, what: 'deleted' } },
      putConfigMap(103093, 'web/limits', { a: 'good 5' }),
      putConfigMap(103329, 'web/limits', { a: 'good 3', b: 'good 4' }),
    ],
  },
  'restarts a StatefulSet that waits for a pod which bad data has left unready': {
    why: 'only the template was changed, and a StatefulSet replaces no pod while one is not ready',
    seed: 5,
    steps: [
      { atMs: 1000, config: { do: 'fill', at: 'web/db', content: { text: 'good 1' } } },
      { atMs: 2000, config: { do: 'deploySet', at: 'web/db', replicas: 3 } },
      createMonitor(20_000, 'web/db', { strategy: 'Rollout' }),
      { atMs: 40_000, config: { do: 'fill', at: 'web/db', content: { text: 'bad 2' } } },
      { atMs: 90_000, config: { do: 'fill', at: 'web/db', content: { text: 'good 3' } } },
    ],
  },
  'restarts a StatefulSet that bad data has stopped while it starts': {
    why: 'the pods that it makes only once the first one is ready counted as unavailable',
    seed: 6,
    steps: [
      { atMs: 1000, config: { do: 'fill', at: 'web/db', content: { text: 'bad 1' } } },
      { atMs: 2000, config: { do: 'deploySet', at: 'web/db', replicas: 3 } },
      createMonitor(20_000, 'web/db', { strategy: 'Evict' }),
      { atMs: 40_000, config: { do: 'fill', at: 'web/db', content: { text: 'good 2' } } },
    ],
  },
  'restarts a Deployment together with a pod that came while its monitor could not read another source':
    {
      why: 'the simulation did not know that a monitor notes no change meanwhile, also of what it can read',
      seed: 4000267602,
      settings: { sweepMs: 60000, secrets: true },
      steps: [
        putSecret(259, 'web/tls', { crt: 'good 2' }),
        putConfigMap(1608, 'web/settings', { a: 'good 3' }),
        {
          atMs: 1966,
          source: {
            do: 'run',
            at: 'web/desk',
            as: 'Deployment',
            replicas: 1,
            tier: 'back',
            uses: [
              { kind: 'Secret', name: 'db', way: 'env', key: 'password', isInit: true },
              { kind: 'ConfigMap', name: 'flags', way: 'env', key: 'all' },
            ],
          },
        },
        putSecret(2429, 'web/db', { user: 'good 1' }),
        putConfigMap(2781, 'web/flags', { all: 'good 4' }),
        {
          atMs: 3460,
          source: {
            do: 'run',
            at: 'web/shop',
            as: 'Deployment',
            replicas: 4,
            tier: 'back',
            uses: [
              { kind: 'Secret', name: 'tls', way: 'envFrom' },
              { kind: 'ConfigMap', name: 'settings', way: 'projected' },
              { kind: 'ConfigMap', name: 'flags', way: 'projected', key: 'all' },
            ],
          },
        },
        {
          atMs: 8465,
          source: {
            do: 'watch',
            at: 'web/watch-0',
            spec: { configMap: 'settings', secret: 'db', progressDeadlineSeconds: 30 },
          },
        },
        { atMs: 198050, config: { do: 'scale', at: 'web/desk', replicas: 2 } },
        putConfigMap(200438, 'web/settings', { b: 'good 6' }),
        { atMs: 226420, config: { do: 'pod', at: 'web/shop', nth: 0, what: 'deleted' } },
      ],
      faults: [
        { kind: 'forbidden', fromMs: 199684, forMs: 62959, plural: 'secrets' },
        { kind: 'terminate', atMs: 81769, replica: 0 },
      ],
    },
};
