import {
  applyService,
  createMyIngress,
  editMyIngress,
  meddleWithBalancer,
  meddleWithTraffic,
  type Regression,
} from '../regression.ts';
import type { Step } from '../scenario.ts';

const WEB = { name: 'web', service: { name: 'web', port: 80 } };

const ROUTED = {
  subnets: ['subnet-a', 'subnet-b'],
  listeners: [{ port: 80, protocol: 'HTTP' as const }],
  rules: [{ name: 'old', paths: ['/old'], fixedResponse: { statusCode: 410 } }],
  defaultAction: { fixedResponse: { statusCode: 404 } },
};

/** The first that has the tag. */
function untag(atMs: number, kind: 'listener' | 'rule', key: string): Step {
  return meddleWithTraffic(atMs, 'web/shop', { what: 'untag', kind, key });
}

export const MEDDLED_TRAFFIC_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'deletes a listener with the rule that somebody adds between the read and the call': {
    why: 'the model took what came after the read for known: AWS deletes no listener without its rules',
    seed: 1,
    steps: [
      createMyIngress(1000, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        listeners: [{ port: 80, protocol: 'HTTP' }],
        defaultAction: { fixedResponse: { statusCode: 404 } },
      }),
      editMyIngress(60_000, 'web/shop', { listeners: null, defaultAction: null }),
      meddleWithTraffic(60_181, 'web/shop', { what: 'addRule', nth: 0, priority: 100 }),
    ],
  },
  'goes by a balancer that was read within five minutes when it applies an edit after an outage of AWS':
    {
      why: 'the model took what others had changed for known, though the scan had failed and decision 0014 asks for no other',
      seed: 1,
      settings: { sweepMs: 60_000 },
      steps: [
        applyService(1000, 'web/web', 2),
        createMyIngress(5000, 'web/shop', { subnets: ['subnet-a', 'subnet-b'], backends: [WEB] }),
        meddleWithBalancer(66_000, 'web/shop', {
          what: 'subnets',
          subnets: ['subnet-b', 'subnet-c'],
        }),
        editMyIngress(175_000, 'web/shop', {
          rules: [{ name: 'old', paths: ['/old'], fixedResponse: { statusCode: 410 } }],
        }),
      ],
      faults: [
        {
          ...{ kind: 'aws', effect: 'failing', operation: '*' },
          ...{ fromMs: 100_000, forMs: 60_000, times: 1000 },
        },
      ],
    },
  'carries out all else while somebody else has a port of the spec': {
    why: 'the model asked for nothing of an object that is Stalled by PortConflict',
    seed: 1,
    steps: [
      applyService(1000, 'web/web', 2),
      createMyIngress(5000, 'web/shop', { subnets: ['subnet-a', 'subnet-b'], backends: [WEB] }),
      meddleWithTraffic(50_000, 'web/shop', { what: 'addListener', port: 8080 }),
      editMyIngress(60_000, 'web/shop', {
        tags: { team: 'a' },
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP' },
        ],
        rules: [{ name: 'old', paths: ['/old'], fixedResponse: { statusCode: 410 } }],
      }),
    ],
  },
  'leaves the tags of a rule alone with the listener that others have taken over': {
    why: 'the model judged a rule by its own tags, and its port by those of the listener',
    seed: 4000461933,
    settings: { sweepMs: 300_000 },
    steps: [
      createMyIngress(17_101, 'web/shop', ROUTED),
      untag(59_000, 'listener', 'albridge.io/resource'),
      untag(103_532, 'rule', 'albridge.io/managed-by'),
    ],
  },
  'leaves a rule that has left the spec alone with the listener that others have taken over': {
    why: "the model took it for left behind, although its listener is somebody else's by now",
    seed: 4000458509,
    settings: { sweepMs: 300_000 },
    steps: [
      createMyIngress(11_266, 'web/shop', ROUTED),
      untag(26_208, 'listener', 'albridge.io/resource'),
      editMyIngress(30_508, 'web/shop', { listeners: null, rules: null, defaultAction: null }),
    ],
  },
  'carries out all else while a target group waits for its first target': {
    why: 'the model asked for nothing of an object that is HandingOver for that',
    seed: 1,
    steps: [
      applyService(1000, 'web/web', 2),
      createMyIngress(5000, 'web/shop', { subnets: ['subnet-a', 'subnet-b'], backends: [WEB] }),
      editMyIngress(60_000, 'web/shop', {
        backends: [{ ...WEB, protocol: 'HTTPS', service: { name: 'absent', port: 80 } }],
      }),
      editMyIngress(100_000, 'web/shop', {
        rules: [{ name: 'old', paths: ['/old'], fixedResponse: { statusCode: 410 } }],
      }),
    ],
  },
  'goes by a balancer that was active at the last scan when it applies an edit of its traffic': {
    why: 'the model asked for a state that AWS had reported within 30 s, which decision 0014 leaves to the next scan',
    seed: 32002685,
    steps: [
      applyService(1000, 'web/web', 2),
      createMyIngress(5000, 'web/shop', { subnets: ['subnet-a', 'subnet-b'], backends: [WEB] }),
      meddleWithBalancer(100_000, 'web/shop', { what: 'state', code: 'active_impaired' }),
      editMyIngress(150_000, 'web/shop', { backends: [{ ...WEB, protocol: 'HTTPS' }] }),
    ],
  },
  'leaves Ready true while a rule that others have moved meets a new one': {
    why: 'the model took the moved rule for repaired, as alone it stood in no other order',
    seed: 4000339277,
    settings: { interfacesLingerMs: 0, readinessGates: true },
    steps: [
      { atMs: 1000, node: { do: 'launch', node: 0 } },
      applyService(11477, 'web/next', 5),
      createMyIngress(15609, 'web/shop', {
        subnets: ['subnet-b', 'subnet-c'],
        scheme: 'internal',
        backends: [
          {
            name: 'web',
            service: { name: 'next', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
          },
          {
            name: 'api',
            service: { name: 'next', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '5' },
          },
          {
            name: 'next',
            service: { name: 'api', port: 'http' },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
            healthCheck: { path: '/healthz', intervalSeconds: 10 },
          },
          {
            name: 'canary',
            service: { name: 'web', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '30' },
            stickiness: { durationSeconds: 60 },
            targetType: 'instance',
          },
        ],
        rules: [
          { name: 'api', paths: ['/old/*', '/cart'], forward: [{ backend: 'api' }] },
          {
            name: 'images',
            hosts: ['api.example.com', 'other.test'],
            forward: [
              { backend: 'next', weight: 100 },
              { backend: 'api', weight: 0 },
            ],
          },
        ],
        defaultAction: { forward: [{ backend: 'web' }] },
      }),
      { atMs: 26053, service: { do: 'roll', at: 'web/next' } },
      editMyIngress(35407, 'web/shop', {
        rules: [
          {
            name: 'images',
            hosts: ['api.example.com', 'other.test'],
            forward: [
              { backend: 'next', weight: 100 },
              { backend: 'api', weight: 0 },
            ],
          },
        ],
      }),
      editMyIngress(148104, 'web/shop', {
        rules: [
          {
            name: 'images',
            hosts: ['api.example.com', 'other.test'],
            forward: [{ backend: 'canary' }],
          },
        ],
      }),
      meddleWithTraffic(158490, 'web/shop', { what: 'moveRule', nth: 2 }),
      editMyIngress(185176, 'web/shop', {
        rules: [
          {
            name: 'images',
            hosts: ['api.example.com', 'other.test'],
            forward: [{ backend: 'canary' }],
          },
          {
            name: 'api',
            paths: ['/old/*', '/cart'],
            forward: [
              { backend: 'canary', weight: 100 },
              { backend: 'next', weight: 50 },
            ],
          },
        ],
      }),
    ],
  },
  'keeps a target group that a rule without its tags goes on using': {
    why: 'the model asked for its deletion, which AWS refuses',
    seed: 4000339597,
    settings: { interfacesLingerMs: 20000 },
    steps: [
      applyService(17599, 'web/next', 3),
      createMyIngress(64037, 'web/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        scheme: 'internal',
        tags: {},
        backends: [{ name: 'web', service: { name: 'web', port: 80 }, protocol: 'HTTPS' }],
        rules: [
          {
            name: 'all',
            hosts: ['shop.example.com'],
            headers: [{ name: 'x-team', regex: 'bird' }],
            forward: [{ backend: 'web' }],
          },
          {
            name: 'cart',
            paths: ['/old/*', '/cart'],
            redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
          },
          { name: 'old', paths: ['/api/v1'], forward: [{ backend: 'web' }] },
          { name: 'images', paths: ['/api/*'], forward: [{ backend: 'web' }] },
        ],
      }),
      editMyIngress(124434, 'web/shop', {
        backends: [{ name: 'web', service: { name: 'next', port: 80 } }],
        listeners: [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP' },
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
            name: 'images',
            hosts: ['api.example.com', 'other.test'],
            paths: ['/api/v?'],
            redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
          },
          { name: 'api', hosts: ['*.example.com'], forward: [{ backend: 'web' }] },
          { name: 'beta', paths: ['/api/*'], forward: [{ backend: 'web' }] },
          {
            name: 'all',
            paths: ['/api/*'],
            headers: [{ name: 'X-Team', regex: '^blue(bell|bird)$' }],
            forward: [{ backend: 'web' }],
            rewrite: { host: { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' } },
          },
          {
            name: 'cart',
            hosts: ['*.example.com'],
            paths: ['/old/*', '/cart'],
            forward: [{ backend: 'web' }],
          },
          {
            name: 'old',
            paths: ['/api/v1'],
            forward: [{ backend: 'web' }],
            rewrite: {
              host: { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' },
              url: { regex: '^/api/(.*)$', replace: '/v2/$1' },
            },
          },
        ],
        inbound: { cidrs: ['203.0.113.0/24'] },
      }),
      meddleWithTraffic(138950, 'web/shop', {
        what: 'untag',
        kind: 'rule',
        key: 'albridge.io/resource',
      }),
    ],
  },
  'opens a gate by the group whose tag others have taken, until a scan looks at it': {
    why: 'the model took the group for none of the backend, though AWS had the pod as a target that needs no wait',
    seed: 4231028304,
    settings: { sweepMs: 60000, interfacesLingerMs: 0, readinessGates: true },
    steps: [
      applyService(15099, 'api/web', 2),
      createMyIngress(17080, 'api/shop', {
        subnets: ['subnet-a', 'subnet-b'],
        tags: { team: 'a', env: 'b' },
        deletionPolicy: 'Retain',
        backends: [
          {
            name: 'web',
            service: { name: 'next', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '0' },
          },
        ],
      }),
      editMyIngress(17938, 'api/shop', {
        backends: [
          {
            name: 'web',
            service: { name: 'web', port: 80 },
            attributes: { 'deregistration_delay.timeout_seconds': '0' },
          },
        ],
      }),
      meddleWithTraffic(20736, 'api/shop', {
        what: 'untag',
        kind: 'targetGroup',
        key: 'albridge.io/resource',
      }),
      { atMs: 22419, service: { do: 'roll', at: 'api/web' } },
    ],
  },
  'sends requests to the Service of a spec, where the one after it was in force for a moment alone':
    {
      why: 'the model took the later one for seen, in the middle of the pass that made the group',
      seed: 4231043728,
      settings: { election: true, interfacesLingerMs: 20000 },
      steps: [
        { atMs: 1000, node: { do: 'launch', node: 0 } },
        { atMs: 1000, node: { do: 'launch', node: 1 } },
        { atMs: 1000, node: { do: 'launch', node: 2 } },
        { atMs: 1000, node: { do: 'launch', node: 3 } },
        applyService(3706, 'web/api', 3),
        applyService(5336, 'web/web', 4),
        createMyIngress(7789, 'web/shop', {
          subnets: ['subnet-b', 'subnet-c'],
          backends: [
            {
              name: 'web',
              service: { name: 'next', port: 80 },
              attributes: { 'deregistration_delay.timeout_seconds': '30' },
              healthCheck: { path: '/ready', intervalSeconds: 10 },
            },
          ],
          inbound: { securityGroupIDs: ['sg-admin'], cidrs: ['0.0.0.0/0'] },
          rules: [
            {
              name: 'images',
              hosts: ['api.example.com', 'other.test'],
              paths: ['/*'],
              forward: [{ backend: 'web' }],
            },
            {
              name: 'api',
              hosts: ['api.example.com', 'other.test'],
              paths: ['/api/*'],
              forward: [{ backend: 'web' }],
            },
            {
              name: 'health',
              hosts: ['api.example.com', 'other.test'],
              forward: [{ backend: 'web' }],
            },
          ],
        }),
        editMyIngress(8025, 'web/shop', {
          backends: [
            {
              name: 'web',
              service: { name: 'web', port: 'http' },
              attributes: { 'deregistration_delay.timeout_seconds': '30' },
              healthCheck: { path: '/ready', intervalSeconds: 10 },
            },
          ],
          defaultAction: { fixedResponse: { statusCode: 410, body: 'gone' } },
        }),
        editMyIngress(8124, 'web/shop', {
          backends: null,
          rules: null,
          defaultAction: null,
          inbound: null,
        }),
        applyService(8789, 'web/next', 3),
        applyService(11675, 'api/next', 2),
      ],
    },
};
