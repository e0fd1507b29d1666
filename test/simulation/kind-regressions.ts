import {
  applyService,
  createGivenUp,
  createMonitor,
  createMyIngress,
  createWebApp,
  editMyIngress,
  meddleWithBalancer,
  type Regression,
} from './regression.ts';
import type { AppPlan } from './web-app/actions.ts';

/** Of MyIngress, what attaches to it, ImmortalContainer and ConfigMonitor. */
export const KIND_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'holds a balancer on record, also without its UID tag': {
    why: "the simulation took an adopted balancer whose UID tag others took off for nobody's; the operator was right",
    seed: 910000651,
    steps: [
      {
        atMs: 2287,
        myIngress: {
          do: 'legacy',
          name: 'legacy-web',
          spec: { subnets: ['subnet-b', 'subnet-c'], scheme: 'internet-facing' },
          tags: { owner: 'somebody', ManagedBy: 'terraform' },
          consentFor: 'web/shop',
        },
      },
      createMyIngress(2288, 'web/shop', {
        subnets: ['subnet-a', 'subnet-d'],
        attributes: {
          'idle_timeout.timeout_seconds': '30',
          'deletion_protection.enabled': 'true',
          'access_logs.s3.enabled': 'true',
          'access_logs.s3.bucket': 'logs',
        },
        adopt: 'legacy-web',
      }),
      { atMs: 5429, myIngress: { do: 'delete', at: 'web/shop' } },
      meddleWithBalancer(176074, 'web/shop', { what: 'untag', key: 'albridge.io/uid' }),
    ],
  },
  'counts no pod that its predecessor has counted': {
    why: 'the watch of pods lagged behind that of objects, so an older pod counted as one that was started since',
    seed: 910001098,
    settings: { replicas: 2, election: true, isClusterIdConfigured: false, sweepMs: 60000 },
    steps: [
      createMyIngress(1842, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        scheme: 'internal',
        securityGroups: ['sg-web'],
        tags: { team: 'a', env: 'a' },
        attributes: {},
      }),
      createWebApp(8384, 'api/front', { image: 'registry.example/app:1' }),
      {
        atMs: 13100,
        myApp: { do: 'create', at: 'api/banner', spec: { image: 'registry.example/shell:1' } },
      },
      {
        atMs: 13700,
        immortal: { do: 'create', at: 'web/cache', image: 'registry.example/cache:2' },
      },
      {
        atMs: 18549,
        myApp: { do: 'create', at: 'web/banner', spec: { image: 'registry.example/shell:1' } },
      },
      createWebApp(19159, 'web/front', { image: 'registry.example/app:2' }),
      { atMs: 19253, webApp: { do: 'meddle', at: 'api/front', meddling: { what: 'unlabel' } } },
      meddleWithBalancer(159188, 'web/shop', { what: 'delete' }),
      { atMs: 163491, immortal: { do: 'pod', at: 'web/cache', what: 'deleted' } },
    ],
    faults: [
      { kind: 'crash', label: 'aws CreateLoadBalancer', phase: 'after', nth: 1, restartMs: 2000 },
      { kind: 'freeze', label: 'kube POST deployments', nth: 3, forMs: 40000 },
      { kind: 'freeze', label: 'aws DescribeLoadBalancers by name', nth: 3, forMs: 17000 },
      { kind: 'partition', fromMs: 144212, forMs: 34784, replica: 1 },
    ],
  },
  'continues what the status of the leader before records, which a silent watch shows later': {
    why: 'a write to status alone called for no pass, so a new leader left the restart of a change as it was',
    seed: 1700013947,
    settings: { replicas: 2, election: true, isClusterIdConfigured: false, sweepMs: 60_000 },
    steps: [
      { atMs: 500, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 3326, config: { do: 'deploy', at: 'web/frontend', replicas: 4 } },
      createMonitor(9396, 'web/frontend', {
        strategy: 'Evict',
        maxUnavailable: 1,
        debounceSeconds: 0,
        minIntervalSeconds: 0,
      }),
      { atMs: 219925, config: { do: 'fill', at: 'web/frontend', content: { text: 'frail 3' } } },
      { atMs: 220825, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
    ],
    faults: [
      { kind: 'freeze', label: 'kube PATCH configmonitors/status apply', nth: 7, forMs: 60_000 },
      { kind: 'partition', fromMs: 207329, forMs: 26474, replica: 0 },
    ],
  },
  'deletes a target group on record although the first look of a new leader waits for tokens': {
    why: 'a look that had begun, and had read nothing, counted as one that had found nothing to delete',
    seed: 2100118221,
    settings: {
      ...{ replicas: 2, election: true, budget: 'scarce', accountBudget: 'aws' },
      interfacesLingerMs: 90_000,
    },
    steps: [
      createMyIngress(11992, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        backends: [
          {
            name: 'web',
            service: { name: 'api', port: 'no-such-port' },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
          },
          {
            name: 'api',
            service: { name: 'web', port: 'http' },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
            healthCheck: { path: '/healthz', intervalSeconds: 10 },
            protocol: 'HTTPS',
          },
        ],
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP' },
        ],
        inbound: { cidrs: ['203.0.113.0/24'] },
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      applyService(15347, 'web/web', 2),
      ...createGivenUp(15348, [0, 1, 2, 3, 7, 8, 9]),
      editMyIngress(33832, 'web/shop', {
        backends: null,
        listeners: null,
        defaultAction: null,
        inbound: null,
      }),
      { atMs: 90132, myIngress: { do: 'forget', at: 'web/shop' } },
      { atMs: 112480, service: { do: 'scale', at: 'web/web', pods: 3 } },
      { atMs: 178259, myIngress: { do: 'delete', at: 'web/given-up-3' } },
    ],
    faults: [
      { kind: 'staleReads', fromMs: 29521, forMs: 23164, ageMs: 558 },
      {
        ...{ kind: 'crash', label: 'aws DeleteLoadBalancer', phase: 'after' },
        ...{ nth: 1, restartMs: 2000 },
      },
      { kind: 'terminate', atMs: 177752, replica: 0 },
    ],
  },
  'restarts once what two monitors watch, the second of which notes the change later': {
    why: 'the second one took the pods that the restart of the first had brought for older ones',
    seed: 2100112627,
    settings: { replicas: 2, election: true, isClusterIdConfigured: false, sweepMs: 60_000 },
    steps: [
      { atMs: 500, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
      { atMs: 910, config: { do: 'deploy', at: 'web/frontend', replicas: 3 } },
      createMonitor(5261, 'web/frontend', {
        strategy: 'Evict',
        maxUnavailable: 1,
        debounceSeconds: 5,
        minIntervalSeconds: 0,
      }),
      createMonitor(8131, 'web/frontend', {
        index: 1,
        strategy: 'Evict',
        maxUnavailable: '50%',
        debounceSeconds: 0,
        minIntervalSeconds: 0,
      }),
      { atMs: 24460, config: { do: 'pod', at: 'web/frontend', nth: 0, what: 'deleted' } },
      { atMs: 25140, config: { do: 'remove', at: 'web/frontend' } },
      { atMs: 25200, config: { do: 'fill', at: 'web/frontend', content: { text: 'bad 2' } } },
      { atMs: 40200, config: { do: 'fill', at: 'web/frontend', content: { text: 'good 1' } } },
    ],
  },
  'tries an attached rule again that AWS refused a leader before, once there is room for it': {
    why: 'a new leader knew of no try that was due, and read all of it half an hour later',
    seed: 2300000341,
    settings: { concurrency: 4 },
    steps: [
      { atMs: 1000, attach: { do: 'pods', at: 'api/alpha', pods: 1 } },
      createMyIngress(5143, 'web/shared', {
        subnets: ['subnet-a', 'subnet-b'],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        allowedNamespaces: { from: 'Selector', selector: { matchLabels: { team: 'a' } } },
        backends: [{ name: 'own', service: { name: 'front', port: 'http' } }],
        rules: [{ name: 'own', hosts: ['own.example.org'], forward: [{ backend: 'own' }] }],
      }),
      createWebApp(24842, 'api/alpha', {
        image: 'registry.example/app:1',
        expose: {
          ingress: { name: 'shared', namespace: 'web' },
          hosts: ['shop.example.org'],
          paths: null,
          listener: null,
        },
      }),
      createWebApp(55636, 'web/front', { image: 'registry.example/app:1' }),
      editMyIngress(88935, 'web/shared', { allowedNamespaces: { from: 'All', selector: null } }),
      { atMs: 90380, traffic: { do: 'limit', name: 'rules', most: 3 } },
      {
        atMs: 112839,
        webApp: {
          do: 'edit',
          at: 'api/alpha',
          change: {
            expose: {
              ingress: { name: 'shared', namespace: 'web' },
              hosts: ['Shop.example.org'],
              paths: ['/cart/*', '/c*', '/x'],
              listener: null,
            },
          },
        },
      },
      {
        atMs: 139173,
        webApp: {
          do: 'edit',
          at: 'web/front',
          change: {
            expose: {
              ingress: { name: 'shared', namespace: 'web' },
              hosts: ['shop.example.org', '*.example.org'],
              paths: ['/cart'],
              listener: 8080,
            },
          },
        },
      },
      { atMs: 229827, traffic: { do: 'limit', name: 'rules', most: 100 } },
    ],
    faults: [
      { kind: 'terminate', atMs: 230275, replica: 0 },
      {
        kind: 'crash',
        label: 'kube WATCH endpointslices on',
        phase: 'unanswered',
        nth: 2,
        restartMs: 500,
      },
    ],
  },
  'serves all of a WebApp that takes back a path that is taken': {
    why: 'the same rules were served as before, so that no pass reported that none is refused any more',
    seed: 5,
    settings: { concurrency: 4 },
    steps: [
      { atMs: 500, attach: { do: 'pods', at: 'web/beta', pods: 1 } },
      createMyIngress(1000, 'web/shared', {
        subnets: ['subnet-a', 'subnet-b'],
        listeners: [{ port: 80, protocol: 'HTTP' }],
      }),
      createWebApp(2000, 'web/front', exposed('/z/*')),
      createWebApp(60_000, 'web/beta', exposed('/a/*', '/b/*', '/z/*')),
      {
        atMs: 230_000,
        webApp: { do: 'edit', at: 'web/beta', change: exposed('/a/*', '/b/*') },
      },
    ],
    faults: [],
  },
};

function exposed(...paths: readonly string[]): AppPlan {
  const expose = { ingress: { name: 'shared' }, hosts: ['shop.example.org'], paths };
  return { image: 'registry.example/app:1', expose };
}
