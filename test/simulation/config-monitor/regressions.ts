import { createMonitor, type Regression } from '../regression.ts';
import type { Step } from '../scenario.ts';

const THREE_MONITORED_PODS: readonly Step[] = [
  { atMs: 1000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
  { atMs: 2000, config: { do: 'deploy', at: 'web/frontend', replicas: 3 } },
  createMonitor(9000, 'web/frontend', {}),
];

/** Of ConfigMonitor. */
export const CONFIG_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'restarts pods that the watch had not shown when the data changed': {
    why: 'the pods of a rollout were those in the cache, and it lagged behind after an outage',
    seed: 45,
    settings: { isClusterIdConfigured: false, sweepMs: 60000 },
    steps: [
      { atMs: 3231, config: { do: 'deploy', at: 'web/frontend', replicas: 8 } },
      {
        atMs: 4825,
        config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1', blob: 'AAEC' } },
      },
      createMonitor(9499, 'web/frontend', { suspend: false }),
      { atMs: 91387, config: { do: 'pod', at: 'web/frontend', nth: 1, what: 'failed' } },
      { atMs: 91867, config: { do: 'pod', at: 'web/frontend', nth: 0, what: 'failed' } },
      { atMs: 100171, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
    ],
    faults: [{ kind: 'apiDown', fromMs: 90772, forMs: 30005 }],
  },
  'restarts pods that were started with data that was taken back while a rollout waited': {
    why: 'the data was again what the rollout was for, so it went on as if nothing had been in between',
    seed: 69,
    steps: [
      createMonitor(821, 'api/frontend', {
        strategy: 'Rollout',
        maxUnavailable: '100%',
        minIntervalSeconds: 20,
        unmanagedPods: 'Evict',
        isLowerCase: true,
      }),
      { atMs: 4189, config: { do: 'deploy', at: 'api/frontend', replicas: 3 } },
      { atMs: 4716, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 1' } } },
      { atMs: 214458, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 2' } } },
      { atMs: 217458, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 3' } } },
      { atMs: 220458, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 2' } } },
    ],
  },
  'ends the least interval although another process wrote the last restart by a clock a day ahead':
    {
      why: 'the wait was counted between two clocks, so it began anew at each look',
      seed: 354,
      settings: { replicas: 2, election: true, sweepMs: 60000, wallSkewMs: -86400000 },
      steps: [
        { atMs: 3931, config: { do: 'deploy', at: 'web/frontend', replicas: 4 } },
        {
          atMs: 4342,
          config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1', blob: 'AAEC' } },
        },
        createMonitor(14719, 'web/frontend', {
          strategy: 'Evict',
          debounceSeconds: 5,
          minIntervalSeconds: 20,
          suspend: false,
        }),
        { atMs: 49941, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
        { atMs: 183816, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 3' } } },
      ],
      faults: [{ kind: 'partition', fromMs: 148419, forMs: 28273, replica: 1 }],
    },
  'leaves alone what another monitor of the same data has restarted': {
    why: 'the time of a pod was compared with that of the operator, whose clock was ahead',
    seed: 234,
    settings: { sweepMs: 60000, wallSkewMs: 60000 },
    steps: [
      { atMs: 2639, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      createMonitor(4606, 'web/frontend', { index: 1, unmanagedPods: 'Skip', isLowerCase: true }),
      { atMs: 5049, config: { do: 'deploy', at: 'web/frontend', replicas: 8 } },
      createMonitor(7500, 'web/frontend', { strategy: 'Evict', progressDeadlineSeconds: 120 }),
      {
        atMs: 109927,
        config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2', blob: 'AAEC' } },
      },
    ],
    faults: [{ kind: 'freeze', label: 'kube POST pods/eviction', nth: 1, forMs: 3000 }],
  },
  'keeps on record a pod that another monitor is sending away, until that is decided': {
    why: 'a pod counted as gone while its eviction was under way, and then it was refused',
    seed: 202219,
    settings: { concurrency: 4 },
    steps: [
      { atMs: 563, config: { do: 'deploy', at: 'web/frontend', replicas: 1 } },
      { atMs: 3175, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 8599, config: { do: 'annotate', at: 'web/frontend', selector: 'app=frontend' } },
      createMonitor(12_630, 'web/frontend', { debounceSeconds: 5 }),
      { atMs: 204_180, config: { do: 'budget', at: 'web/frontend', index: 1, minAvailable: 2 } },
      { atMs: 232_460, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 3' } } },
    ],
    faults: [
      {
        kind: 'kube',
        effect: 'busy',
        label: 'POST pods/eviction',
        fromMs: 0,
        forMs: 300_000,
        times: 5,
      },
    ],
  },
  'stops at the deadline a rollout that another process began by a clock a day ahead': {
    why: 'the time without progress was counted between two clocks, so it began a day later',
    seed: 400551,
    settings: { replicas: 2, election: true, wallSkewMs: -86400000 },
    steps: [
      {
        atMs: 2748,
        config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1', blob: 'AAEC' } },
      },
      { atMs: 3818, config: { do: 'deploy', at: 'web/frontend', replicas: 7 } },
      { atMs: 10_642, config: { do: 'annotate', at: 'web/frontend', selector: 'app=frontend' } },
      { atMs: 121_013, config: { do: 'fill', at: 'web/frontend', content: { text: 'bad 2' } } },
    ],
    faults: [{ kind: 'partition', fromMs: 214_804, forMs: 33_807, replica: 1 }],
  },
  'restarts a Deployment that a process whose clock was a day ahead has restarted before': {
    why: 'the restart of an earlier change, at a time still to come, passed for that of this change',
    seed: 11,
    settings: { replicas: 2, election: true, wallSkewMs: 86400000 },
    steps: [
      { atMs: 1000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 2000, config: { do: 'deploy', at: 'web/frontend', replicas: 3 } },
      createMonitor(9000, 'web/frontend', { strategy: 'Rollout' }),
      { atMs: 60_000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
      { atMs: 180_000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 3' } } },
    ],
    faults: [{ kind: 'partition', fromMs: 100_000, forMs: 40_000, replica: 0 }],
  },
  'restarts a Deployment again for a second change in the second of its last restart': {
    why: 'times were kept in whole seconds, so the restart for the first change passed for the second',
    seed: 7100998,
    settings: { sweepMs: 60_000 },
    steps: [
      { atMs: 6098, config: { do: 'deploy', at: 'web/frontend', replicas: 2 } },
      { atMs: 7574, config: { do: 'deploy', at: 'api/frontend', replicas: 8 } },
      createMonitor(10_069, 'api/frontend', { strategy: 'Rollout', debounceSeconds: 0 }),
      { atMs: 88_863, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 5' } } },
      { atMs: 214_916, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 3' } } },
      { atMs: 244_916, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 4' } } },
      { atMs: 245_036, config: { do: 'pod', at: 'api/frontend', nth: 0, what: 'deleted' } },
      { atMs: 245_816, config: { do: 'fill', at: 'api/frontend', content: { text: 'good 3' } } },
    ],
  },
  'leaves alone, when it is resumed, pods that came after the change that its successor found': {
    why: 'which pods are older than a change that waits was known to the process alone that saw it',
    seed: 8200135,
    steps: [
      ...THREE_MONITORED_PODS,
      createMonitor(10_000, 'web/frontend', { index: 1, suspend: true }),
      { atMs: 30_000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
      { atMs: 60_000, config: { do: 'unmonitor', at: 'web/frontend', index: 0 } },
      {
        atMs: 150_000,
        config: { do: 'editMonitor', at: 'web/frontend', index: 1, plan: { suspend: false } },
      },
    ],
    faults: [{ kind: 'terminate', atMs: 90_000, replica: 0 }],
  },
  'leaves alone, after minIntervalSeconds, pods that came after the change': {
    why: 'as with suspend: also a change that waits for its interval may outlive the process',
    seed: 8200135,
    steps: [
      ...THREE_MONITORED_PODS,
      createMonitor(10_000, 'web/frontend', { index: 1, minIntervalSeconds: 200 }),
      { atMs: 30_000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
      { atMs: 60_000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 3' } } },
      { atMs: 90_000, config: { do: 'unmonitor', at: 'web/frontend', index: 0 } },
    ],
    faults: [{ kind: 'terminate', atMs: 95_000, replica: 0 }],
  },
  'leaves alone, when it is no longer paused, pods that came after the change': {
    why: 'a paused monitor took no note of changes: all pods of the end of the pause were older to it',
    seed: 91001060,
    steps: [
      ...THREE_MONITORED_PODS,
      createMonitor(10_000, 'web/frontend', { index: 1 }),
      { atMs: 20_000, config: { do: 'pause', at: 'web/frontend', index: 1 } },
      { atMs: 30_000, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
      { atMs: 60_000, config: { do: 'unmonitor', at: 'web/frontend', index: 0 } },
      { atMs: 150_000, config: { do: 'goOn', at: 'web/frontend', index: 1 } },
    ],
  },
  'restarts a pod that was started with data that came and went during a pause': {
    why: 'the data was as before when the pause ended, and nobody had taken note of the pods between',
    seed: 91001060,
    settings: { sweepMs: 60_000 },
    steps: [
      createMonitor(5144, 'web/frontend', { strategy: 'Delete' }),
      { atMs: 6542, config: { do: 'deploy', at: 'web/frontend', replicas: 8 } },
      { atMs: 178_699, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 3' } } },
      { atMs: 203_168, config: { do: 'pause', at: 'web/frontend', index: 0 } },
      { atMs: 208_699, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 4' } } },
      { atMs: 208_819, config: { do: 'pod', at: 'web/frontend', nth: 0, what: 'deleted' } },
      { atMs: 209_599, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 3' } } },
      { atMs: 240_000, config: { do: 'goOn', at: 'web/frontend', index: 0 } },
    ],
  },
  'restarts a Deployment once for two monitors, of which one sees the change after the other acted':
    {
      why: 'the restart was older than the change as the second one had noted it',
      seed: 97000200,
      steps: [
        { atMs: 950, config: { do: 'deploy', at: 'web/frontend', replicas: 6 } },
        createMonitor(1981, 'web/frontend', { index: 1, strategy: 'Rollout', debounceSeconds: 0 }),
        { atMs: 3544, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
        createMonitor(3704, 'web/frontend', { strategy: 'Rollout' }),
        { atMs: 130_840, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 2' } } },
      ],
    },
};
