import { applyService, createMyIngress, editMyIngress, type Regression } from '../regression.ts';

const WEB = { name: 'web', service: { name: 'web', port: 80 } };

export const LATE_TRAFFIC_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'keeps what a rule replaces although the create of that was not answered': {
    why: 'without an answer the change counted as an old one, so the old rule went before requests reached the new',
    seed: 3400000367,
    settings: { sweepMs: 60000, interfacesLingerMs: 0 },
    steps: [
      createMyIngress(17760, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
        scheme: 'internal',
        backends: [
          {
            name: 'web',
            service: { name: 'api', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
            protocol: 'HTTPS',
            protocolVersion: 'GRPC',
            targetType: 'instance',
          },
          {
            name: 'api',
            service: { name: 'next', port: 80 },
            healthCheck: { path: '/ready', intervalSeconds: 10 },
          },
        ],
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
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      editMyIngress(44071, 'web/shop', {
        rules: [
          {
            name: 'all',
            paths: ['/old/*', '/cart'],
            forward: [
              { backend: 'api', weight: 100 },
              { backend: 'web', weight: 0 },
            ],
          },
        ],
      }),
      editMyIngress(90602, 'web/shop', {
        backends: [
          {
            name: 'web',
            service: { name: 'api', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
            protocol: 'HTTPS',
            protocolVersion: 'GRPC',
            targetType: 'instance',
          },
          {
            name: 'api',
            service: { name: 'next', port: 80 },
            healthCheck: { path: '/ready', intervalSeconds: 10 },
          },
          {
            name: 'next',
            service: { name: 'next', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
          },
        ],
        rules: [
          {
            name: 'all-new',
            paths: ['/old/*', '/cart'],
            forward: [
              { backend: 'api', weight: 100 },
              { backend: 'web', weight: 0 },
            ],
          },
        ],
      }),
    ],
    faults: [
      { kind: 'aws', effect: 'lost', fromMs: 0, forMs: 300000, times: 2, operation: 'CreateRule' },
    ],
  },
  'deletes listeners that a read did not show when they left the spec': {
    why: 'status recorded none after a read that was older than they were, and nothing looked for them again',
    seed: 1300008797,
    settings: { sweepMs: 60_000, interfacesLingerMs: 0 },
    steps: [
      createMyIngress(15_197, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        scheme: 'internal',
        securityGroups: ['sg-web'],
        listeners: [
          { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
          {
            port: 443,
            protocol: 'HTTPS',
            certificates: [
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000003',
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000001',
              'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000002',
            ],
          },
        ],
        rules: [
          {
            name: 'all',
            paths: ['/api/*'],
            redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
          },
          {
            name: 'api',
            hosts: ['*.example.com'],
            paths: ['/api/*'],
            fixedResponse: { statusCode: 410, body: 'gone' },
          },
          {
            name: 'beta',
            hosts: ['api.example.com', 'other.test'],
            paths: ['/api/*', '/p2', '/p3', '/p4', '/p5', '/old/page'],
            fixedResponse: { statusCode: 410, body: 'gone' },
            listeners: [443],
          },
        ],
      }),
      editMyIngress(37_887, 'web/shop', { listeners: null, rules: null }),
    ],
    faults: [
      { kind: 'staleReads', fromMs: 25_401, forMs: 17_442, ageMs: 2_455 },
      { kind: 'kube', effect: 'late', label: '*', fromMs: 0, forMs: 300_000, times: 1 },
    ],
  },
  'leaves an object Stalled while its next try waits for tokens': {
    why: 'each wait was Reconciling=True BudgetExhausted until the try, for ever',
    seed: 2100106495,
    settings: {
      budget: 'scarce',
      accountBudget: 'aws',
      interfacesLingerMs: 0,
      readinessGates: true,
    },
    steps: [
      {
        atMs: 11044,
        myIngress: {
          do: 'legacy',
          name: 'legacy-web',
          spec: { subnets: ['subnet-a', 'subnet-b'], scheme: 'internet-facing' },
          tags: { owner: 'somebody', ManagedBy: 'terraform' },
          consentFor: 'web/shop',
        },
      },
      createMyIngress(11045, 'web/shop', {
        backends: [{ name: 'web', service: { name: 'web', port: 'http' } }],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        adopt: 'legacy-web',
      }),
      editMyIngress(135256, 'web/shop', { deletionPolicy: 'Retain' }),
      { atMs: 207763, myIngress: { do: 'delete', at: 'web/shop' } },
      createMyIngress(208578, 'web/shop', {
        backends: [
          { name: 'web', service: { name: 'web', port: 'http' } },
          { name: 'api', service: { name: 'api', port: 'http' } },
        ],
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 443, protocol: 'HTTPS' },
        ],
        rules: [
          { name: 'beta', paths: ['/*'], fixedResponse: { statusCode: 410 } },
          { name: 'api', hosts: ['shop.example.com'], forward: [{ backend: 'web' }] },
        ],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
    ],
  },
  'is Ready with the tags of the spec though a read does not show the listener yet': {
    why: 'the listener was made again, and AWS answered with the first one, whose tags were the old ones',
    seed: 2700000181,
    settings: { sweepMs: 60000 },
    steps: [
      createMyIngress(12712, 'web/shared', {
        subnets: ['subnet-a', 'subnet-b'],
        listeners: [{ port: 80, protocol: 'HTTP' }],
      }),
      editMyIngress(19024, 'web/shared', { tags: { team: 'b' } }),
    ],
    faults: [{ kind: 'staleReads', fromMs: 6539, forMs: 39663, ageMs: 2460 }],
  },
  'keeps the requests with a group whose successor can have no target': {
    why: 'a group without targets, of which none is desired, counted as healthy and took all requests',
    seed: 1,
    steps: [
      applyService(1000, 'web/web', 2),
      createMyIngress(5000, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        backends: [WEB],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      editMyIngress(90_000, 'web/shop', {
        backends: [{ ...WEB, protocol: 'HTTPS', service: { name: 'web', port: 8443 } }],
      }),
    ],
  },
  'gives a new target group five minutes from its first target on': {
    why: 'they ran from when it had joined, so the first pod after a longer wait got all requests unchecked',
    seed: 5,
    steps: [
      applyService(1_000, 'web/web', 2),
      applyService(1_000, 'web/next', 0),
      createMyIngress(30_000, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        backends: [{ name: 'web', service: { name: 'web', port: 80 } }],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      editMyIngress(90_000, 'web/shop', {
        backends: [{ name: 'web', service: { name: 'next', port: 80 }, protocol: 'HTTPS' }],
      }),
      { atMs: 500_000, service: { do: 'scale', at: 'web/next', pods: 1 } },
    ],
  },
  'keeps a gate shut for a group that only a rule without requests still names': {
    why: 'the model took the group of a backend that left the spec for one that is not waited for',
    seed: 4000294560,
    settings: { sweepMs: 60_000, readinessGates: true },
    steps: [
      createMyIngress(10_624, 'web/shop', {
        subnets: ['subnet-b', 'subnet-c'],
        backends: [
          { name: 'web', service: { name: 'api', port: 80 }, targetType: 'instance' },
          {
            name: 'api',
            service: { name: 'web', port: 'http' },
            healthCheck: { intervalSeconds: 10 },
          },
        ],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        rules: [
          { name: 'first', paths: ['/cart'], fixedResponse: { statusCode: 410 } },
          { name: 'shadowed', paths: ['/cart'], forward: [{ backend: 'api' }] },
        ],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      applyService(11_624, 'web/web', 3),
      editMyIngress(11_888, 'web/shop', {
        ...{ backends: null, listeners: null, rules: null, defaultAction: null },
      }),
    ],
  },
  'opens the gate of a pod some seconds late where a backend names a port that its Service lacks': {
    why: 'the model knew of a Service that may be back in a moment, but of no port',
    seed: 4000434720,
    settings: { readinessGates: true },
    steps: [
      createMyIngress(8_932, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        backends: [{ name: 'web', service: { name: 'web', port: 'no-such-port' } }],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      applyService(9_932, 'web/web', 2),
    ],
  },
  'carries out a rule behind one whose target group has the name of another': {
    why: 'the model knew no rule that is missing because AWS answers with the group of somebody else',
    seed: 4000401712,
    settings: { interfacesLingerMs: 0 },
    steps: [
      { atMs: 17626, traffic: { do: 'squat', at: 'web/shop', what: 'targetGroup' } },
      createMyIngress(18126, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
        backends: [
          {
            name: 'web',
            service: { name: 'web', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
            stickiness: { durationSeconds: 60 },
            targetType: 'instance',
          },
          {
            name: 'api',
            service: { name: 'api', port: 'http' },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
            healthCheck: { path: '/ready', intervalSeconds: 10 },
          },
        ],
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP' },
        ],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      editMyIngress(42653, 'web/shop', {
        backends: [
          {
            name: 'web',
            service: { name: 'next', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
            protocol: 'HTTPS',
            stickiness: { durationSeconds: 60 },
          },
          {
            name: 'api',
            service: { name: 'api', port: 'http' },
            attributes: { 'deregistration_delay.timeout_seconds': '0' },
            healthCheck: { path: '/ready', intervalSeconds: 10 },
            protocol: 'HTTPS',
          },
          {
            name: 'next',
            service: { name: 'web', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
            healthCheck: { path: '/healthz', intervalSeconds: 10 },
          },
          {
            name: 'canary',
            service: { name: 'next', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
            healthCheck: { path: '/', intervalSeconds: 10 },
          },
        ],
        listeners: null,
      }),
      editMyIngress(91312, 'web/shop', {
        backends: [
          {
            name: 'web',
            service: { name: 'api', port: 'http' },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
          },
          {
            name: 'api',
            service: { name: 'next', port: 'no-such-port' },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
            healthCheck: { path: '/', intervalSeconds: 10 },
          },
        ],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        rules: [
          {
            name: 'shop',
            paths: ['/*'],
            forward: [
              { backend: 'api', weight: 100 },
              { backend: 'web', weight: 50 },
            ],
            listeners: [80],
          },
          {
            name: 'beta',
            paths: ['/old/*', '/cart'],
            headers: [{ name: 'X-Team', regex: '^blue(bell|bird)$' }],
            forward: [{ backend: 'api' }],
            listeners: [80],
          },
          {
            name: 'cart',
            paths: ['/cart'],
            forward: [{ backend: 'api' }],
            rewrite: { url: { regex: '^/api/(.*)$', replace: '/v2/$1' } },
          },
          {
            name: 'api',
            paths: ['/api/*'],
            redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
          },
          {
            name: 'all',
            hosts: ['shop.example.com'],
            forward: [
              { backend: 'web', weight: 100 },
              { backend: 'api', weight: 0 },
            ],
          },
          { name: 'old', paths: ['/*'], forward: [{ backend: 'web' }] },
        ],
      }),
    ],
  },
};
