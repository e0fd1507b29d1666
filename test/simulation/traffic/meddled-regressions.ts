import type { Regression } from '../regression.ts';

export const MEDDLED_TRAFFIC_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'leaves Ready true while a rule that others have moved meets a new one': {
    why: 'the model took the moved rule for repaired, as alone it stood in no other order',
    seed: 4000339277,
    settings: { interfacesLingerMs: 0, readinessGates: true },
    steps: [
      { atMs: 1000, node: { do: 'launch', node: 0 } },
      {
        atMs: 11477,
        service: { do: 'apply', at: 'web/next', pods: 5, port: { name: 'http', port: 80 } },
      },
      {
        atMs: 15609,
        myIngress: {
          do: 'create',
          at: 'web/shop',
          spec: {
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
          },
        },
      },
      { atMs: 26053, service: { do: 'roll', at: 'web/next' } },
      {
        atMs: 35407,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
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
          },
        },
      },
      {
        atMs: 148104,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
            rules: [
              {
                name: 'images',
                hosts: ['api.example.com', 'other.test'],
                forward: [{ backend: 'canary' }],
              },
            ],
          },
        },
      },
      {
        atMs: 158490,
        traffic: { do: 'meddle', at: 'web/shop', meddling: { what: 'moveRule', nth: 2 } },
      },
      {
        atMs: 185176,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
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
          },
        },
      },
    ],
  },
  'keeps a target group that a rule without its tags goes on using': {
    why: 'the model asked for its deletion, which AWS refuses',
    seed: 4000339597,
    settings: { interfacesLingerMs: 20000 },
    steps: [
      {
        atMs: 17599,
        service: { do: 'apply', at: 'web/next', pods: 3, port: { name: 'http', port: 80 } },
      },
      {
        atMs: 64037,
        myIngress: {
          do: 'create',
          at: 'web/shop',
          spec: {
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
          },
        },
      },
      {
        atMs: 124434,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
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
          },
        },
      },
      {
        atMs: 138950,
        traffic: {
          do: 'meddle',
          at: 'web/shop',
          meddling: { what: 'untag', kind: 'rule', key: 'albridge.io/resource' },
        },
      },
    ],
  },
  'opens a gate by the group whose tag others have taken, until a scan looks at it': {
    why: 'the model took the group for none of the backend, though AWS had the pod as a target that needs no wait',
    seed: 4231028304,
    settings: { sweepMs: 60000, interfacesLingerMs: 0, readinessGates: true },
    steps: [
      {
        atMs: 15099,
        service: { do: 'apply', at: 'api/web', pods: 2, port: { name: 'http', port: 80 } },
      },
      {
        atMs: 17080,
        myIngress: {
          do: 'create',
          at: 'api/shop',
          spec: {
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
          },
        },
      },
      {
        atMs: 17938,
        myIngress: {
          do: 'edit',
          at: 'api/shop',
          change: {
            backends: [
              {
                name: 'web',
                service: { name: 'web', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '0' },
              },
            ],
          },
        },
      },
      {
        atMs: 20736,
        traffic: {
          do: 'meddle',
          at: 'api/shop',
          meddling: { what: 'untag', kind: 'targetGroup', key: 'albridge.io/resource' },
        },
      },
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
        {
          atMs: 3706,
          service: { do: 'apply', at: 'web/api', pods: 3, port: { name: 'http', port: 80 } },
        },
        {
          atMs: 5336,
          service: { do: 'apply', at: 'web/web', pods: 4, port: { name: 'http', port: 80 } },
        },
        {
          atMs: 7789,
          myIngress: {
            do: 'create',
            at: 'web/shop',
            spec: {
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
            },
          },
        },
        {
          atMs: 8025,
          myIngress: {
            do: 'edit',
            at: 'web/shop',
            change: {
              backends: [
                {
                  name: 'web',
                  service: { name: 'web', port: 'http' },
                  attributes: { 'deregistration_delay.timeout_seconds': '30' },
                  healthCheck: { path: '/ready', intervalSeconds: 10 },
                },
              ],
              defaultAction: { fixedResponse: { statusCode: 410, body: 'gone' } },
            },
          },
        },
        {
          atMs: 8124,
          myIngress: {
            do: 'edit',
            at: 'web/shop',
            change: { backends: null, rules: null, defaultAction: null, inbound: null },
          },
        },
        {
          atMs: 8789,
          service: { do: 'apply', at: 'web/next', pods: 3, port: { name: 'http', port: 80 } },
        },
        {
          atMs: 11675,
          service: { do: 'apply', at: 'api/next', pods: 2, port: { name: 'http', port: 80 } },
        },
      ],
    },
};
