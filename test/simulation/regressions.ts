import { CRASHING_REGRESSIONS } from './config-monitor/crashing-regressions.ts';
import { LATE_REGRESSIONS } from './config-monitor/late-regressions.ts';
import { MEANWHILE_REGRESSIONS } from './config-monitor/meanwhile-regressions.ts';
import { CONFIG_REGRESSIONS } from './config-monitor/regressions.ts';
import { SILENT_WATCH_REGRESSIONS } from './config-monitor/silent-watch-regressions.ts';
import { KIND_REGRESSIONS } from './kind-regressions.ts';
import {
  createGivenUp,
  createLegacy,
  createMyIngress,
  createWebApp,
  editMyIngress,
  meddleWithBalancer,
  type Regression,
} from './regression.ts';
import { FROZEN_REGRESSIONS } from './traffic/frozen-regressions.ts';
import { LATE_TRAFFIC_REGRESSIONS } from './traffic/late-regressions.ts';
import { MEDDLED_TRAFFIC_REGRESSIONS } from './traffic/meddled-regressions.ts';
import { TRAFFIC_REGRESSIONS } from './traffic/regressions.ts';

export const REGRESSIONS: Readonly<Record<string, Regression>> = {
  'lets an object go whose spec.adopt.arn AWS refuses to take for an ARN': {
    why: 'the deletion looked at the mistyped ARN for ever; adopt cannot be changed',
    seed: 14,
    steps: [
      createMyIngress(1000, 'web/shop', { subnets: ['subnet-a', 'subnet-b'], adopt: 'none' }),
      { atMs: 9000, myIngress: { do: 'delete', at: 'web/shop' } },
    ],
  },
  'takes a tag off once, although a later step of the same pass is refused': {
    why: 'the keys stayed on record until a whole pass succeeded, so each retry removed them again',
    seed: 4457,
    steps: [
      createMyIngress(3000, 'web/shop', { subnets: ['subnet-a', 'subnet-d'], tags: { team: 'b' } }),
      editMyIngress(130_000, 'web/shop', { ipAddressType: 'dualstack' }),
      { atMs: 157_000, myIngress: { do: 'unset', at: 'web/shop', field: 'tags' } },
    ],
  },
  'corrects a status that a pass has written while the watch was silent': {
    why: 'a pass over an object older than our own last write took the old status for the stored one',
    seed: 20325,
    settings: { sweepMs: 60_000 },
    steps: [
      createWebApp(8121, 'web/front', { image: 'registry.example/app:1', replicas: 3 }),
      { atMs: 144_863, webApp: { do: 'goOn', at: 'web/front' } },
      {
        atMs: 163_524,
        webApp: { do: 'meddle', at: 'web/front', meddling: { what: 'deleteDeployment' } },
      },
    ],
    faults: [{ kind: 'watchSilent', atMs: 155_087 }],
  },
  'replaces a pod that has ended although its node is a day ahead of the operator': {
    why: 'the ten seconds were counted between two clocks, so they lasted until one had caught up',
    seed: 298,
    settings: { wallSkewMs: -86_400_000 },
    steps: [
      {
        atMs: 13_225,
        myApp: {
          do: 'create',
          at: 'web/banner',
          spec: { image: 'registry.example/shell:1', banner: 'hello', replicas: 2 },
        },
      },
      { atMs: 149_921, myApp: { do: 'pod', at: 'web/banner', index: 0, what: 'failed' } },
    ],
  },
  'replaces a pod that has ended although the next leader is a day behind the last one': {
    why: 'the stored time of the next start was a day off for the new clock, at every look again',
    seed: 5394,
    settings: { replicas: 2, election: true, wallSkewMs: -86_400_000 },
    steps: [
      {
        atMs: 19_673,
        immortal: { do: 'create', at: 'web/cache', image: 'registry.example/cache:1' },
      },
      { atMs: 147_512, immortal: { do: 'pod', at: 'web/cache', what: 'evicted' } },
    ],
    faults: [{ kind: 'apiDown', fromMs: 156_653, forMs: 23_510 }],
  },
  'looks twice for an adopted balancer that a read does not show any more': {
    why: 'a read older than the balancer counted as proof of its absence, for we had not created it',
    seed: 300381,
    steps: [
      { atMs: 2151, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      {
        atMs: 14_313,
        myIngress: {
          do: 'legacy',
          name: 'legacy-web',
          spec: { subnets: ['subnet-c', 'subnet-a'], scheme: 'internet-facing' },
          tags: { owner: 'somebody' },
          consentFor: 'web/shop',
        },
      },
      createMyIngress(14_314, 'web/shop', {
        subnets: ['subnet-a', 'subnet-d'],
        tags: { team: '', env: '', 'cost-center': 'b' },
        adopt: 'legacy-web',
      }),
      { atMs: 16_233, myIngress: { do: 'delete', at: 'web/shop' } },
    ],
    faults: [{ kind: 'staleReads', fromMs: 15_460, forMs: 53_318, ageMs: 2892 }],
  },
  'keeps a balancer whose object was edited to Retain while the API server was away': {
    why: 'the pass over the first of two events deleted it, although the second had arrived before the call',
    seed: 2999000270,
    steps: [
      createMyIngress(16190, 'api/shop', { subnets: ['subnet-a', 'subnet-b', 'subnet-c'] }),
      { atMs: 157325, myIngress: { do: 'delete', at: 'api/shop' } },
      editMyIngress(159882, 'api/shop', { deletionPolicy: 'Retain' }),
    ],
    faults: [{ kind: 'apiDown', fromMs: 155117, forMs: 34092 }],
  },
  'removes a certificate soon that a leader was about to remove when it ended': {
    why: 'what is due left the record before AWS had answered, and the next leader read all of it half an hour later',
    seed: 12,
    steps: [
      createMyIngress(1000, 'web/shop', {
        subnets: ['subnet-b', 'subnet-c'],
        listeners: [
          { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
          {
            port: 443,
            protocol: 'HTTPS',
            certificates: [
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000001',
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000002',
            ],
          },
        ],
      }),
      editMyIngress(60000, 'web/shop', {
        listeners: [
          { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
          {
            port: 443,
            protocol: 'HTTPS',
            certificates: [
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000003',
            ],
          },
        ],
      }),
    ],
    faults: [
      {
        kind: 'aws',
        effect: 'unanswered',
        operation: 'RemoveListenerCertificates',
        fromMs: 0,
        forMs: 300000,
        times: 9,
      },
      { kind: 'terminate', atMs: 81000, replica: 0 },
    ],
  },
  'changes nothing while the regular check of an object that is Ready waits for tokens': {
    why: 'each wait was Reconciling=True BudgetExhausted until the check was done, for ever',
    seed: 3011001823,
    settings: { budget: 'scarce', accountBudget: 'aws', interfacesLingerMs: 90_000 },
    steps: createGivenUp(7329, [0, 1, 2, 3, 4, 5, 6]),
  },
  'makes no balancer in place of an adopted one whose security groups the spec does not give': {
    why: 'the new one had the default group of the VPC, and the object was Ready',
    seed: 29111626,
    steps: [
      createLegacy(5076, 'web/shop'),
      createMyIngress(5077, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        adopt: 'legacy-web',
      }),
      meddleWithBalancer(60_000, 'web/shop', { what: 'delete' }),
    ],
    faults: [],
  },
  'says NameConflict truly of a name that it has from a balancer it adopted': {
    why: 'the simulation did not count the name of spec.adopt.arn; the operator was right',
    seed: 92001409,
    steps: [
      createLegacy(5076, 'web/internal-a.very.long.name-of-a-cart'),
      createMyIngress(5077, 'web/internal-a.very.long.name-of-a-cart', {
        subnets: ['subnet-a', 'subnet-b'],
        securityGroups: ['sg-web'],
        attributes: {
          'idle_timeout.timeout_seconds': '30',
          'deletion_protection.enabled': 'false',
        },
        deletionPolicy: 'Retain',
        ipAddressType: 'ipv4',
        adopt: 'legacy-web',
      }),
      createMyIngress(13645, 'web/shop', {
        subnets: ['subnet-a', 'subnet-d'],
        tags: { env: 'a', 'cost-center': 'b' },
        attributes: { 'deletion_protection.enabled': 'false' },
      }),
      editMyIngress(16353, 'web/shop', { adopt: 'legacy-web' }),
      meddleWithBalancer(149074, 'web/internal-a.very.long.name-of-a-cart', { what: 'delete' }),
    ],
    faults: [
      { kind: 'aws', effect: 'throttled', operation: '*', fromMs: 0, forMs: 24986, times: 1000 },
    ],
  },
  ...CONFIG_REGRESSIONS,
  ...FROZEN_REGRESSIONS,
  ...LATE_REGRESSIONS,
  ...MEANWHILE_REGRESSIONS,
  ...SILENT_WATCH_REGRESSIONS,
  ...CRASHING_REGRESSIONS,
  ...KIND_REGRESSIONS,
  ...TRAFFIC_REGRESSIONS,
  ...LATE_TRAFFIC_REGRESSIONS,
  ...MEDDLED_TRAFFIC_REGRESSIONS,
  'makes nothing again for an owner that was deleted behind a silent watch': {
    why: 'each child that the garbage collector deleted was made again, until the watch was replaced',
    seed: 7,
    steps: [
      createWebApp(1000, 'web/front', { image: 'registry.example/app:1', replicas: 1 }),
      { atMs: 31_000, webApp: { do: 'delete', at: 'web/front' } },
    ],
    faults: [{ kind: 'watchSilent', atMs: 30_500, plural: 'webapps' }],
  },
};
