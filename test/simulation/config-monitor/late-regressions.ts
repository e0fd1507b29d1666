import {
  createMonitor,
  createMyIngress,
  putConfigMap,
  putSecret,
  type Regression,
} from '../regression.ts';

/** Of ConfigMonitor, where what a process knows lags behind the world: clocks, watches, sizes. */
export const LATE_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'restarts a Deployment once where the clock of the next leader is behind': {
    why: 'whether it was restarted was told by times of two clocks, so each pass restarted it again',
    seed: 200,
    settings: { replicas: 2, election: true, wallSkewMs: 60000 },
    steps: [
      { atMs: 500, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 1000, config: { do: 'deploy', at: 'web/frontend', replicas: 2 } },
      createMonitor(8269, 'web/frontend', {
        strategy: 'Rollout',
        debounceSeconds: 0,
        maxUnavailable: '50%',
      }),
      { atMs: 22664, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
    ],
    faults: [
      { kind: 'freeze', label: 'kube PATCH configmonitors/status apply', nth: 2, forMs: 40000 },
    ],
  },
  'restarts a Deployment again for data of which the first notes could not be stored': {
    why: 'the restart for the data before was newer than the last change on record, so it passed for that of this change',
    seed: 346,
    settings: { replicas: 2, election: true, sweepMs: 60000 },
    steps: [
      { atMs: 500, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 1000, config: { do: 'deploy', at: 'web/frontend', replicas: 6 } },
      createMonitor(6107, 'web/frontend', {
        strategy: 'Rollout',
        debounceSeconds: 0,
        minIntervalSeconds: 20,
        maxUnavailable: 1,
      }),
      { atMs: 58234, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 10' } } },
      { atMs: 59134, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
    ],
    faults: [
      {
        kind: 'kube',
        effect: 'dropped',
        label: 'PATCH configmonitors/status apply',
        fromMs: 69210,
        forMs: 300000,
        times: 2,
      },
      { kind: 'freeze', label: 'kube LIST pods', nth: 2, forMs: 9000 },
    ],
  },
  'loses no more pods than allowed of a Deployment that has grown during its restart': {
    why: 'the pods that came counted only while all were there: the size on record was that of the start',
    seed: 700000196,
    steps: [
      { atMs: 0, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 1434, config: { do: 'deploy', at: 'web/frontend', replicas: 2 } },
      createMonitor(11814, 'web/frontend', { index: 1, minIntervalSeconds: 0 }),
      { atMs: 36585, config: { do: 'scale', at: 'web/frontend', replicas: 7 } },
      { atMs: 153707, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 5' } } },
      { atMs: 154993, config: { do: 'scale', at: 'web/frontend', replicas: 8 } },
    ],
  },
  'restarts a pod that started with data that was taken back, though it was born before': {
    why: 'a pod that waited for its ConfigMap passed for one that had read the data on record',
    seed: 700003143,
    steps: [
      { atMs: 1000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 2000, config: { do: 'deploy', at: 'web/frontend', replicas: 2 } },
      createMonitor(8000, 'web/frontend', { debounceSeconds: 5 }),
      { atMs: 40_000, config: { do: 'remove', at: 'web/frontend' } },
      { atMs: 41_000, config: { do: 'pod', at: 'web/frontend', nth: 0, what: 'deleted' } },
      { atMs: 50_500, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
      { atMs: 53_000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
    ],
  },
  'restarts a Deployment whose only pod ends again and again': {
    why: 'the simulation took a pod that gets unready by itself for one that is gone',
    seed: 910001175,
    settings: { replicas: 2, election: true, isClusterIdConfigured: false },
    steps: [
      { atMs: 500, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 2713, config: { do: 'deploy', at: 'web/frontend', replicas: 1 } },
      createMyIngress(4549, 'web/shop', { subnets: ['subnet-a', 'subnet-b', 'subnet-c'] }),
      createMonitor(11376, 'web/frontend', {
        strategy: 'Rollout',
        maxUnavailable: '100%',
        debounceSeconds: 20,
        minIntervalSeconds: 0,
      }),
      { atMs: 221508, config: { do: 'pod', at: 'web/frontend', nth: 0, what: 'deleted' } },
      { atMs: 223531, config: { do: 'fill', at: 'web/frontend', content: { text: 'frail 4' } } },
    ],
  },
  'keeps to maxUnavailable where the data changes before the pods of the last change have proved themselves':
    {
      why: 'a pod that was just restarted counted as available as soon as other data came',
      seed: 1200000130,
      steps: [
        { atMs: 2244, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
        { atMs: 2535, config: { do: 'deploy', at: 'web/frontend', replicas: 7 } },
        createMonitor(3601, 'web/frontend', { unmanagedPods: 'Evict' }),
        { atMs: 197022, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
        { atMs: 200022, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 3' } } },
      ],
      faults: [
        { kind: 'terminate', atMs: 92594, replica: 0 },
        { kind: 'apiDown', fromMs: 199724, forMs: 12291 },
      ],
    },
  'restarts a workload for data that came back while another monitor waits for its pods': {
    why: 'the simulation counted the restart for the other monitor, whose data had not changed again',
    seed: 3500000178,
    settings: { sweepMs: 60000, secrets: true },
    steps: [
      putConfigMap(1431, 'web/flags', { all: 'good 4' }),
      putSecret(3197, 'web/db', { password: 'good 1' }),
      {
        atMs: 5461,
        source: {
          do: 'run',
          at: 'web/shop',
          as: 'Deployment',
          replicas: 3,
          tier: 'back',
          uses: [
            { kind: 'Secret', name: 'db', way: 'projected' },
            { kind: 'Secret', name: 'tls', way: 'projected' },
            { kind: 'ConfigMap', name: 'settings', way: 'envFrom' },
          ],
        },
      },
      {
        atMs: 5825,
        source: {
          do: 'watch',
          at: 'web/watch-1',
          spec: {
            sources: [
              { kind: 'Secret', name: 'tls' },
              { kind: 'ConfigMap', name: 'flags', keys: ['all'] },
            ],
            strategy: 'Rollout',
            maxUnavailable: '100%',
            progressDeadlineSeconds: 30,
          },
        },
      },
      {
        atMs: 6951,
        source: { do: 'watch', at: 'web/watch-0', spec: { secret: 'db', debounceSeconds: 5 } },
      },
      putSecret(189056, 'web/db', { password: 'good 5' }),
      putSecret(219544, 'web/tls', { crt: 'good 6' }),
      putSecret(249544, 'web/tls', { crt: 'good 7' }),
      putSecret(253544, 'web/tls', { crt: 'good 6' }),
    ],
    faults: [{ kind: 'forbidden', fromMs: 154535, forMs: 77998, plural: 'secrets' }],
  },
  'begins a change again where its sources are edited meanwhile, for pods that came in between too':
    {
      why: 'the simulation did not know that docs/configmonitor.md promises no less',
      seed: 3400000568,
      settings: { secrets: true },
      steps: [
        {
          atMs: 1155,
          source: {
            do: 'run',
            at: 'web/cron',
            as: 'Deployment',
            replicas: 1,
            tier: 'front',
            uses: [
              { kind: 'ConfigMap', name: 'settings', way: 'envFrom', isInit: true },
              { kind: 'ConfigMap', name: 'flags', way: 'envFrom' },
            ],
          },
        },
        putSecret(2035, 'web/db', { password: 'good 1' }),
        putConfigMap(3002, 'web/settings', { b: 'good 3' }),
        {
          atMs: 7675,
          source: {
            do: 'watch',
            at: 'web/watch-1',
            spec: {
              configMap: 'settings',
              secret: 'db',
              strategy: 'Delete',
              maxUnavailable: 1,
              debounceSeconds: 5,
              minIntervalSeconds: 0,
            },
          },
        },
        putConfigMap(54446, 'web/settings', { b: 'good 9' }),
        {
          atMs: 60078,
          source: {
            do: 'rewatch',
            at: 'web/watch-1',
            spec: { configMap: 'settings', secret: null, sources: null },
          },
        },
      ],
    },
};
