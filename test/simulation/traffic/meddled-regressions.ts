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
};
