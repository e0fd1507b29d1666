import {
  applyService,
  createMyIngress,
  editMyIngress,
  meddleWithBalancer,
  meddleWithTraffic,
  type Regression,
} from '../regression.ts';

/** Worlds in which something went wrong with listeners, rules, target groups or targets. */
export const TRAFFIC_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'says what holds a deletion up where someone has released the balancer': {
    why: 'the object was Deleting for good, for the released balancer goes on using its groups',
    seed: 920001039,
    steps: [
      createMyIngress(9271, 'web/shop', {
        subnets: ['subnet-b', 'subnet-c'],
        backends: [
          {
            name: 'web',
            service: { name: 'next', port: 'no-such-port' },
            attributes: { 'deregistration_delay.timeout_seconds': '0' },
          },
          {
            name: 'api',
            service: { name: 'api', port: 'no-such-port' },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
            healthCheck: { path: '/healthz', intervalSeconds: 10 },
          },
        ],
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP' },
        ],
        rules: [
          {
            name: 'health',
            hosts: ['shop.example.com'],
            forward: [
              { backend: 'web', weight: 100 },
              { backend: 'api', weight: 0 },
            ],
          },
          { name: 'shop', hosts: ['*.example.com'], forward: [{ backend: 'api' }] },
        ],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      meddleWithBalancer(86441, 'web/shop', { what: 'release', key: 'albridge.io/cluster' }),
      { atMs: 95911, myIngress: { do: 'delete', at: 'web/shop' } },
    ],
  },
  'says what holds a deletion up where the balancer lost its UID tag before it was on record': {
    why: 'the object was Deleting for good: its security group counted as its own, the balancer that uses it did not',
    seed: 2000001311,
    steps: [
      createMyIngress(8498, 'api/shop', {
        subnets: ['subnet-b', 'subnet-c'],
        backends: [{ name: 'web', service: { name: 'next', port: 80 } }],
      }),
      meddleWithBalancer(18228, 'api/shop', { what: 'untag', key: 'albridge.io/uid' }),
      { atMs: 184726, myIngress: { do: 'delete', at: 'api/shop' } },
    ],
    faults: [
      { kind: 'crash', label: 'aws DescribeTags', phase: 'unanswered', nth: 1, restartMs: 15_000 },
    ],
  },
  'finds the target groups of an object that was restored without status, backends and balancer': {
    why: 'the drift scan lists target groups only where one is named, and nothing named these any more',
    seed: 2000009775,
    steps: [
      createMyIngress(15103, 'api/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        backends: [{ name: 'web', service: { name: 'next', port: 80 } }],
      }),
      meddleWithBalancer(83660, 'api/shop', { what: 'release', key: 'albridge.io/name' }),
      editMyIngress(132169, 'api/shop', {
        backends: null,
        listeners: [{ port: 80, protocol: 'HTTP' }],
      }),
      meddleWithBalancer(237535, 'api/shop', { what: 'delete' }),
      { atMs: 270000, myIngress: { do: 'restore', at: 'api/shop' } },
    ],
  },
  'clears a target group that the spec names again of the pods of its former Service': {
    why: 'without a rule or listener the group kept its targets, and got requests before they were taken out',
    seed: 4000005728,
    steps: [
      applyService(6073, 'web/api', 5),
      {
        atMs: 11958,
        myIngress: {
          ...{ do: 'create', at: 'web/shop' },
          spec: {
            subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
            backends: [{ name: 'web', service: { name: 'api', port: 80 } }],
          },
        },
      },
      editMyIngress(40309, 'web/shop', { backends: null }),
      {
        atMs: 121855,
        myIngress: {
          ...{ do: 'edit', at: 'web/shop' },
          change: { backends: [{ name: 'web', service: { name: 'next', port: 'http' } }] },
        },
      },
    ],
  },
  'leaves a gate to time while its balancer is gone and another pod had the address': {
    why: 'the model took the target that the former pod had left in a group without a balancer for one of this pod',
    seed: 4000304496,
    settings: { sweepMs: 60000, interfacesLingerMs: 0, readinessGates: true },
    steps: [
      { atMs: 17074, traffic: { do: 'squat', at: 'web/shop', what: 'targetGroup' } },
      {
        atMs: 17573,
        myIngress: {
          do: 'legacy',
          name: 'legacy-web',
          spec: { subnets: ['subnet-a', 'subnet-b'], scheme: 'internet-facing' },
          tags: { owner: 'somebody', ManagedBy: 'terraform' },
          consentFor: 'web/shop',
        },
      },
      createMyIngress(17574, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        tags: { env: 'b' },
        deletionPolicy: 'Retain',
        backends: [
          {
            name: 'web',
            service: { name: 'next', port: 'http' },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
            healthCheck: { path: '/', intervalSeconds: 10 },
            protocolVersion: 'HTTP2',
          },
        ],
        listeners: [
          { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
          {
            port: 443,
            protocol: 'HTTPS',
            certificates: [
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000002',
            ],
          },
        ],
        rules: [
          {
            name: 'old',
            paths: ['/*'],
            forward: [{ backend: 'web' }],
            rewrite: { host: { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' } },
          },
          {
            name: 'health',
            paths: ['/api/v1'],
            forward: [{ backend: 'web' }],
            listeners: [443],
          },
        ],
        adopt: 'legacy-web',
        scheme: 'internet-facing',
      }),
      applyService(18574, 'web/web', 2),
      applyService(18574, 'web/next', 2),
      editMyIngress(18574, 'web/shop', {
        backends: [
          {
            name: 'web',
            service: { name: 'next', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '0' },
            healthCheck: { path: '/healthz', intervalSeconds: 10 },
          },
          {
            name: 'api',
            service: { name: 'api', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
            protocol: 'HTTPS',
          },
        ],
        listeners: null,
        rules: null,
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      meddleWithBalancer(28853, 'web/shop', { what: 'delete' }),
      { atMs: 120653, service: { do: 'roll', at: 'web/next' } },
    ],
  },
  'keeps the targets of the last spec in force while the adopted balancer is gone': {
    why: 'the model took the spec for in force that was edited after the balancer was deleted outside',
    seed: 4000313648,
    settings: { interfacesLingerMs: 20000 },
    steps: [
      applyService(4213, 'web/api', 1),
      applyService(10575, 'api/next', 4),
      applyService(11386, 'api/web', 2),
      {
        atMs: 15256,
        myIngress: {
          do: 'legacy',
          name: 'legacy-api',
          spec: { subnets: ['subnet-a', 'subnet-b'], scheme: 'internet-facing' },
          tags: { owner: 'somebody', ManagedBy: 'terraform' },
          consentFor: 'api/shop',
        },
      },
      createMyIngress(15257, 'api/shop', {
        subnets: ['subnet-b', 'subnet-c'],
        scheme: 'internet-facing',
        backends: [
          {
            name: 'web',
            service: { name: 'api', port: 'no-such-port' },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
          },
        ],
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP' },
        ],
        rules: [
          { name: 'all', paths: ['/*'], forward: [{ backend: 'web' }], listeners: [8080] },
          {
            name: 'old',
            hosts: ['*.example.com'],
            paths: ['/api/v1'],
            forward: [{ backend: 'web' }],
          },
          {
            name: 'health',
            hosts: ['api.example.com', 'other.test'],
            forward: [{ backend: 'web' }],
            rewrite: { host: { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' } },
          },
        ],
        adopt: 'legacy-api',
      }),
      editMyIngress(37241, 'api/shop', {
        backends: [
          {
            name: 'web',
            service: { name: 'web', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
          },
        ],
      }),
      meddleWithBalancer(53962, 'api/shop', { what: 'delete' }),
      editMyIngress(56997, 'api/shop', {
        backends: [
          {
            name: 'web',
            service: { name: 'next', port: 'http' },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
          },
        ],
      }),
      meddleWithTraffic(226312, 'api/shop', { what: 'deregister', nth: 3 }),
    ],
  },
  'asks about a target group of a paused object that others have deleted': {
    why: 'the model had a scan see it after two intervals, but none looks at what is paused',
    seed: 4100095791,
    settings: { sweepMs: 60000, interfacesLingerMs: 0 },
    steps: [
      applyService(2323, 'web/web', 1),
      {
        atMs: 7817,
        myIngress: {
          do: 'legacy',
          name: 'legacy-web',
          spec: { subnets: ['subnet-a', 'subnet-b'], scheme: 'internet-facing' },
          tags: { owner: 'somebody', ManagedBy: 'terraform' },
          consentFor: 'web/shop',
        },
      },
      createMyIngress(7818, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
        backends: [
          {
            name: 'web',
            service: { name: 'web', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '0' },
            healthCheck: { path: '/ready', intervalSeconds: 10 },
          },
        ],
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP' },
          {
            port: 443,
            protocol: 'HTTPS',
            certificates: [
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000002',
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000001',
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000003',
            ],
          },
        ],
        rules: [
          {
            name: 'beta',
            hosts: ['*.example.com'],
            paths: ['/cart', '/api/v1', '/api/v2/*', '/old/*', '/p5', '/p6', '/p7'],
            forward: [{ backend: 'web' }],
          },
        ],
        adopt: 'legacy-web',
        scheme: 'internet-facing',
      }),
      meddleWithTraffic(106094, 'web/shop', { what: 'deleteGroup', nth: 6 }),
      { atMs: 121916, myIngress: { do: 'pause', at: 'web/shop' } },
      { atMs: 224987, service: { do: 'scale', at: 'web/web', pods: 4 } },
    ],
  },
  'opens the gate of a pod some seconds late while a backend that names another Service now keeps its group':
    {
      why: 'the Service of before may be back in a moment too, and the model knew those of the spec alone',
      seed: 4000450560,
      settings: { readinessGates: true },
      steps: [
        applyService(1_000, 'web/next', 1),
        createMyIngress(8_932, 'web/shop', {
          subnets: ['subnet-a', 'subnet-b'],
          backends: [{ name: 'web', service: { name: 'absent', port: 80 } }],
          listeners: [{ port: 80, protocol: 'HTTP' }],
          defaultAction: { forward: [{ backend: 'web' }] },
        }),
        editMyIngress(69_000, 'web/shop', {
          backends: [{ name: 'web', service: { name: 'next', port: 80 }, protocol: 'HTTPS' }],
        }),
        applyService(70_000, 'web/web', 2),
      ],
    },
  'keeps a target group for its time since a rule named it, which others have changed at once': {
    why: 'it was known as unused from before the rule, and no read had shown it in use',
    seed: 4000476735,
    settings: { sweepMs: 300_000, interfacesLingerMs: 0 },
    steps: [
      createMyIngress(8_527, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        backends: [
          { name: 'web', service: { name: 'next', port: 80 } },
          { name: 'canary', service: { name: 'web', port: 80 } },
        ],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      editMyIngress(48_503, 'web/shop', {
        rules: [{ name: 'old', paths: ['/old'], forward: [{ backend: 'canary' }] }],
      }),
      meddleWithTraffic(78_196, 'web/shop', { what: 'editRule', nth: 2 }),
      editMyIngress(95_398, 'web/shop', {
        ...{ backends: null, listeners: null, rules: null, defaultAction: null },
      }),
    ],
  },
};
